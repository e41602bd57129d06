"""The compiler's view of its inputs: each enabled server with its table and every name that was captured of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.names import ToolId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.config import ResolvedConfig, ServerTable


@dataclass(frozen=True, slots=True)
class Entry:
    """One definition as the server listed it, and where it stands in the catalog's array."""

    index: int
    tool: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Server:
    """An enabled server. Without a usable catalog it has no names, and no name or pattern is judged on it."""

    id: str
    table: ServerTable
    catalog: Catalog | None
    tools: Mapping[str, tuple[Entry, ...]]
    """By name, sorted; more than one entry where the server listed a name twice."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.tools)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the passes read."""

    resolved: ResolvedConfig
    servers: Mapping[str, Server]
    """Enabled ones only, sorted by id."""

    @property
    def ids(self) -> Iterator[ToolId]:
        """Every captured tool once, sorted."""
        return (ToolId(server.id, name) for server in self.servers.values() for name in server.tools)

    def first(self, tool: ToolId) -> Entry:
        """The definition; the first in the file where the name stands twice."""
        return self.servers[tool.server].tools[tool.name][0]


def gather(resolved: ResolvedConfig, catalogs: Mapping[str, Catalog]) -> Inputs:
    """Sorted by server and name, whatever the order of tables, files and tools; disabled servers are not there."""
    servers: dict[str, Server] = {}
    for name, table in sorted(resolved.config.mcp_servers.items()):
        if table.enabled:
            catalog = catalogs.get(name)
            servers[name] = Server(name, table, catalog, _by_name(catalog) if catalog else {})
    return Inputs(resolved, servers)


def _by_name(catalog: Catalog) -> dict[str, tuple[Entry, ...]]:
    found: dict[str, list[Entry]] = {}
    indices = catalog.indices or tuple(range(len(catalog.tools)))
    for index, tool in zip(indices, catalog.tools, strict=True):
        found.setdefault(tool["name"], []).append(Entry(index, tool))
    return {name: tuple(found[name]) for name in sorted(found)}
