"""All that a session offers a model: what the next request declares, what a search may find, and of which servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.surface.declarations import declaration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcpexpose.model.plan import PlannedServer, PlannedTool

Stage = Literal["first", "found", "deferred"]
"""Declared from request 1; declared since a search found it; not declared, and to be found."""


@dataclass(frozen=True, slots=True)
class Offered:
    """One tool that the session reaches."""

    tool: PlannedTool
    definition: Mapping[str, Any]
    """Its line of definitions.bin."""
    stage: Stage

    @property
    def declaration(self) -> dict[str, Any]:
        """As a host's request declares it: alias, description, input schema."""
        return declaration(self.definition)


@dataclass(frozen=True, slots=True)
class Surface:
    """What an export is made from."""

    tools: tuple[Offered, ...]
    """In the order of declaration; behind those the deferred ones by alias."""
    search_tool: Mapping[str, Any] | None
    """The declaration of `find_tools`; None where there is nothing to be found."""
    prompt_section: str
    servers: tuple[PlannedServer, ...]
    """Those of the tools, sorted by id."""

    def at(self, *stages: Stage) -> tuple[Offered, ...]:
        """The tools of STAGES, in order."""
        return tuple(tool for tool in self.tools if tool.stage in stages)

    @property
    def to_find(self) -> tuple[Offered, ...]:
        """Those that request 1 does not declare, by alias, whether they were found or not."""
        return tuple(sorted(self.at("found", "deferred"), key=lambda each: each.tool.alias))

    def of(self, server: str) -> tuple[Offered, ...]:
        """The tools of a server, sorted by their names on it."""
        return tuple(sorted((each for each in self.tools if each.tool.server == server), key=lambda each: each.tool.id))


def offered(
    rows: Mapping[Stage, Iterable[int]],
    tool: Callable[[int], PlannedTool],
    definition: Callable[[int], Mapping[str, Any]],
) -> tuple[Offered, ...]:
    """The tools in ROWS: those of request 1 and those that were found in their order, deferred ones by alias."""
    found = {stage: [Offered(tool(row), definition(row), stage) for row in rows[stage]] for stage in rows}
    deferred = sorted(found.get("deferred", ()), key=lambda each: each.tool.alias)
    return (*found.get("first", ()), *found.get("found", ()), *deferred)
