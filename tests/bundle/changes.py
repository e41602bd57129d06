"""Ways to spoil a bundle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcpexpose.bundle.contents import own_digest
from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.model.errors import BundleRefused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def mend(bundle: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes the manifest as somebody would who knows its form: the own digest is made to fit."""
    file = bundle / "manifest.json"
    document = json.loads(file.read_bytes())
    change(document)
    document["digest"] = own_digest(document)
    file.write_bytes(canonical(document))


def relist(bundle: Path) -> None:
    """The manifest lists what stands there now, with the digests that it has now."""

    def change(document: dict[str, Any]) -> None:
        files = [path for path in bundle.rglob("*") if path.is_file() and path.name != "manifest.json"]
        document["files"] = sorted(
            (
                {
                    "path": path.relative_to(bundle).as_posix(),
                    "sha256": digest_bytes(path.read_bytes()),
                    "size": path.stat().st_size,
                }
                for path in files
            ),
            key=lambda file: str(file["path"]),
        )

    mend(bundle, change)


def slugs(call: Callable[[], object]) -> set[str]:
    """Slugs of the findings that the call is refused with; empty where it is not."""
    try:
        call()
    except BundleRefused as error:
        return {finding.slug for finding in error.findings}
    return set()
