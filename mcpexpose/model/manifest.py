"""`manifest.json`: what a bundle is made of, and by what."""

from __future__ import annotations

from mcpexpose.model.records import dataclass

BUNDLE_FORMAT = 3


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a bundle, but for the manifest itself."""

    path: str
    """Relative to the bundle, forward slashes, no link and no `..`."""
    sha256: str
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Written in canonical bytes, so that any flipped one shows."""

    format_version: int
    plan_digest: str
    """Of plan.json without every `captured_at`."""
    table_digest: str
    """SHA-256 of the head of tools.bin, which holds those of its blocks: so each is checked when it is read."""
    files: tuple[BundleFile, ...]
    tool_version: str
    analyzer_version: str
    ranking_version: str
    digest: str
    """Of the canonical form of all the rest."""
