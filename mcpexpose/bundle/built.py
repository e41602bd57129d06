"""Which index belongs to which plan, as this user's own builds made it: an equal plan's index is then taken over.

What is said of an index here holds for the search sections of tools.bin as well, which are made with it.
An index in a bundle fits its manifest, but a manifest can be mended; that it was made from the plan is told only by
building it again, or by a note of one's own. The notes stand in the user's cache, one small file a plan.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from mcpexpose.bundle import layout
from mcpexpose.bundle.read import Bundle, open_bundle
from mcpexpose.model import caches
from mcpexpose.model.canonical import digest, digest_bytes
from mcpexpose.model.errors import McpexposeError
from mcpexpose.search.table_write import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NOTES_MAX = 1_000
"""Notes that are kept; the oldest go."""


@dataclass(frozen=True, slots=True)
class Built:
    """What is searched in a bundle."""

    files: Mapping[str, bytes]
    """Of the folder of the index, by name."""
    table: Mapping[str, bytes]
    """The sections of tools.bin that a search reads."""

    def digest(self) -> str:
        """Of all of it."""
        parts = (self.files, self.table)
        return digest([[[name, digest_bytes(data)] for name, data in part.items()] for part in parts])


def index_of(place: Path, plan_digest: str) -> Built | None:
    """What is searched in the bundle that stands at PLACE, where it is of that plan and as we built it."""
    note = _note(plan_digest)
    try:
        noted = caches.read_own(note, 100).decode("ascii") if note else None
        if noted is None:
            return None
        bundle = open_bundle(place)
        if bundle.manifest.plan_digest != plan_digest:
            return None
        found = _read(bundle)
    except (OSError, ValueError, McpexposeError):
        return None
    return found if found.digest() == noted else None


def remember(plan_digest: str, built: Built) -> None:
    """Notes what a build made for a plan. A cache that cannot be written is no trouble."""
    note = _note(plan_digest)
    if note is None:
        return
    with contextlib.suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        work = note.with_name(f".{secrets.token_hex(8)}")
        with os.fdopen(os.open(work, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(built.digest().encode("ascii"))
        work.replace(note)
        notes = sorted(note.parent.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        for old in notes[: max(0, len(notes) - NOTES_MAX)]:
            old.unlink(missing_ok=True)


def _read(bundle: Bundle) -> Built:
    start = layout.INDEX + "/"
    paths = [file.path for file in bundle.manifest.files if file.path.startswith(start)]
    return Built(
        {path.removeprefix(start): bundle.read(path) for path in paths},
        {name: bundle.table.section(name).whole() for name in bundle.table.names() if name in SECTIONS},
    )


def _note(plan_digest: str) -> Path | None:
    folder = caches.folder()
    if folder is None:
        return None
    # The bytes of an index go with the library that makes it, so another one's are not taken for its own.
    maker = [plan_digest, metadata.version("whoosh-reloaded"), ".".join(map(str, sys.version_info[:2]))]
    return folder / "built" / digest(maker)
