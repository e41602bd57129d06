"""What a server said that it has: one captured `tools/list`, raw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mcpexpose.model.canonical import digest
from mcpexpose.model.records import dataclass

CATALOG_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Catalog:
    """`catalogs/<server>.json`. `tools` holds only entries that are objects with a name; the rest is a finding."""

    server: str
    tools: tuple[Mapping[str, Any], ...]
    """As the server listed them, unknown fields kept; in the file's order, duplicates among them."""
    file: str = ""
    """For findings: "catalogs/github.json"."""
    indices: tuple[int, ...] = ()
    """Where each of `tools` stands in the file's array."""
    format: int = CATALOG_FORMAT
    captured_at: str | None = None
    """RFC 3339 with a zone, as written; not checked here."""
    protocol: str | None = None
    server_info: Mapping[str, Any] | None = None
    instructions: str | None = None
    ttl_ms: int | None = None
    cache_scope: Literal["public", "private"] | None = None
    complete: bool = True
    revision: str = ""
    """SHA-256, 64 hexadecimal digits; see `revision_of`."""


def revision_of(server: str, tools: tuple[Mapping[str, Any], ...] | list[Any]) -> str:
    """Digest of the canonical JSON of `[server, tools]`, the tools sorted by name by code point.

    Tools of one name keep an order that does not hang on the file's: by their own digests. Raises ValueError where a
    value has no canonical form.
    """

    plain = [dict(tool) if isinstance(tool, Mapping) else tool for tool in tools]
    names = [_name(tool) for tool in plain]
    if len(set(names)) == len(names):
        return digest([server, sorted(plain, key=_name)])
    return digest([server, sorted(plain, key=lambda tool: (_name(tool), digest(tool)))])


def _name(tool: Any) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) else ""
