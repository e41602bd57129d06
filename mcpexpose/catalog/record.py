"""From a capture to the file: compared with what is there, and written only where nothing is lost unseen."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.catalog.store import dump, file_name, load_one, path_of, write_bytes
from mcpexpose.catalog.unfold import MAX_BYTES
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.model.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one captured catalog."""

    written: Path | None
    """The file; None where it stayed as it was."""
    differs: bool
    """Whether the revision is another one than before, or there was none."""
    findings: tuple[Finding, ...] = ()


def compare(folder: Path, catalog: Catalog) -> Recorded:
    """Only look: does CATALOG differ from the file of its server, by revision?"""
    old, _ = load_one(folder, catalog.server)
    return Recorded(None, old is None or old.revision != catalog.revision)


def record(folder: Path, catalog: Catalog, *, accept_shrink: bool = False, folder_name: str = "catalogs") -> Recorded:
    """Write CATALOG in place of the older one, in one step.

    One that lost more than half of the tools (unless ACCEPT_SHRINK), or that no reader would take, leaves the file as
    it was and is a finding. Raises InputMissing where the folder cannot be written.
    """
    name = f"{folder_name}/{file_name(catalog.server)}"
    old, _ = load_one(folder, catalog.server, folder_name=folder_name)
    differs = old is None or old.revision != catalog.revision
    if old is not None and not accept_shrink and (finding := _shrank(old, catalog, name)):
        return Recorded(None, differs, (finding,))
    try:
        data = dump(catalog)
    except ValueError as error:
        return Recorded(None, differs, (_unfit(catalog, "catalog-invalid-json", str(error), name),))
    if len(data) > MAX_BYTES:
        sentence = f"it would hold more than {MAX_BYTES // 2**20} MiB"
        return Recorded(None, differs, (_unfit(catalog, "catalog-too-large", sentence, name),))
    return Recorded(write_bytes(folder, catalog.server, data), differs)


def stamped(catalog: Catalog, captured_at: str) -> Catalog:
    """CATALOG with a time of capture where it has none; its revision is the same."""
    return catalog if catalog.captured_at is not None else dataclasses.replace(catalog, captured_at=captured_at)


def has_file(folder: Path, server: str) -> bool:
    """Whether SERVER was captured before, usably or not."""
    return path_of(folder, server) is not None


def _shrank(old: Catalog, new: Catalog, name: str) -> Finding | None:
    before = {str(tool["name"]) for tool in old.tools}
    gone = before - {str(tool["name"]) for tool in new.tools}
    if len(gone) * 2 <= len(before):
        return None
    server = shown(new.server)
    return Finding(
        "catalog-shrank",
        Severity.ERROR,
        f"{server} no longer lists {len(gone):,} of its {len(before):,} tools, so {shown(name)} stays as it was",
        (new.server,),
        f"Look whether {server} is well; `mcpexpose capture --accept-shrink {server}` takes the new list.",
        Place(name),
        details={"before": len(before), "now": len(new.tools), "gone": len(gone)},
    )


def _unfit(catalog: Catalog, slug: str, sentence: str, name: str) -> Finding:
    return Finding(
        slug,
        Severity.ERROR,
        f"The new catalog of {shown(catalog.server)} is not written: {shown(sentence)}",
        (catalog.server,),
        f"Have the server mended; {shown(name)} stays as it was.",
        Place(name),
    )
