"""Running an import on texts, for tests."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from mcpexpose.compiler import patterns
from mcpexpose.importers.dialects import BY_NAME
from mcpexpose.importers.importing import Imported, import_files
from mcpexpose.importers.source import of_bytes

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding


def imported(*files: tuple[str, str | bytes], host: str = "") -> Imported:
    """What comes of files of these names and texts."""
    sources = [of_bytes(text.encode() if isinstance(text, str) else text, name) for name, text in files]
    return import_files(sources, BY_NAME[host] if host else None)


def servers(result: Imported) -> dict[str, Any]:
    """The servers that were written, read back."""
    found: dict[str, Any] = tomllib.loads(result.text).get("mcp_servers", {}) if result.text else {}
    return found


def said(result: Imported, slug: str) -> list[Finding]:
    """The findings of that slug."""
    return [finding for finding in result.findings if finding.slug == slug]


def told(result: Imported) -> set[tuple[str, str]]:
    """Slug and first subject of every finding."""
    return {(finding.slug, finding.subjects[0]) for finding in result.findings}


def let_in(table: dict[str, Any], tool: str) -> bool:
    """Whether our config lets a tool in."""
    if table.get("enabled") is False:
        return False
    allow, deny = table.get("allow"), table.get("deny", [])
    inside = allow is None or any(patterns.compiled(each).matches(tool) for each in allow)
    return inside and not any(patterns.compiled(each).matches(tool) for each in deny)
