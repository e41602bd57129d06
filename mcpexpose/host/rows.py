"""The tools of a plan as sessions ask for them: one at a time, out of a bundle's table or out of a plan in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from mcpexpose.surface.planned import OfPlan, Planned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Limits, MinMatch, Plan, PlannedServer, PlannedTool, SearchSettings


class Tools(Planned, Protocol):
    """A plan's tools, and what a session needs besides."""

    @property
    def limits(self) -> Limits: ...

    @property
    def search(self) -> Bounds: ...

    def tool(self, row: int) -> PlannedTool:
        """What the plan says of the tool."""
        ...

    def id(self, row: int) -> ToolId:
        """Which tool it is."""
        ...

    def row(self, tool: ToolId) -> int | None:
        """The tool's row, or None."""
        ...

    def row_of_alias(self, alias: str) -> int | None:
        """The row of the tool that a model calls ALIAS, or None."""
        ...

    def server_of(self, row: int) -> str:
        """Id of the tool's server."""
        ...

    def server(self, server: str) -> PlannedServer:
        """Raises KeyError for a server of which the plan holds no tool."""
        ...

    def server_ids(self) -> Sequence[str]:
        """Sorted."""
        ...

    def unattended(self, profile: str | None) -> bool:
        """Whether the profile is one of runs that nobody watches. Raises SelectionRefused for one that there is not."""
        ...


class Bounds(Protocol):
    """How a search of the plan is bounded."""

    @property
    def limit(self) -> int: ...

    @property
    def min_match(self) -> MinMatch: ...


class RowsOfPlan(OfPlan):
    """Those of a plan in memory."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._by_id = {tool.id: row for row, tool in enumerate(plan.tools)}
        self._by_alias = {tool.alias: row for row, tool in enumerate(plan.tools)}
        self._by_server = {server.id: server for server in plan.servers}

    @property
    def limits(self) -> Limits:
        return self._plan.limits

    @property
    def search(self) -> SearchSettings:
        return self._plan.search

    def tool(self, row: int) -> PlannedTool:
        return self._plan.tools[row]

    def id(self, row: int) -> ToolId:
        return self._plan.tools[row].id

    def row(self, tool: ToolId) -> int | None:
        return self._by_id.get(tool)

    def row_of_alias(self, alias: str) -> int | None:
        return self._by_alias.get(alias)

    def server_of(self, row: int) -> str:
        return self._plan.tools[row].server

    def server(self, server: str) -> PlannedServer:
        return self._by_server[server]

    def server_ids(self) -> Sequence[str]:
        return tuple(self._by_server)

    def unattended(self, profile: str | None) -> bool:
        return profile is not None and self.profile(profile).unattended


class Servers(Mapping[str, "PlannedServer"]):
    """The servers of which a plan holds a tool, by id; each is read when it is asked for."""

    def __init__(self, rows: Tools) -> None:
        self._rows = rows

    def __getitem__(self, server: str) -> PlannedServer:
        return self._rows.server(server)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows.server_ids())

    def __len__(self) -> int:
        return len(self._rows.server_ids())
