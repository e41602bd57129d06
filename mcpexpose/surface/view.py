"""Request 1 as the model gets it: the one place that says what is declared, and in which order.

The search tool stands first, then the declared tools sorted by alias, then, in later requests, the activated ones in
the order of their activation. So the list that a provider caches only ever grows at its end (G13), and a tool that an
operator adds to the direct ones leaves what stands before it as it was. The search tool is declared where request 1
leaves a tool undeclared, whatever servers are up, so that it neither comes nor goes within a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.tokens import estimate
from mcpexpose.surface import request
from mcpexpose.surface.declarations import declaration, declaration_text, search_tool
from mcpexpose.surface.planned import OfPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcpexpose.model.plan import Plan, PlannedProfile


@dataclass(frozen=True, slots=True)
class View:
    """What request 1 carries of us; tokens by the plan's estimator."""

    declared: tuple[dict[str, Any], ...]
    prompt_section: str
    tokens_tools: int
    """Of all declarations but the search tool's."""
    tokens_search_tool: int
    tokens_prompt_section: int

    @property
    def tokens(self) -> int:
        return self.tokens_tools + self.tokens_search_tool + self.tokens_prompt_section


def find_profile(plan: Plan, name: str | None) -> PlannedProfile | None:
    """The profile of that name; None for None. Raises SelectionRefused where the plan has none of that name."""
    return None if name is None else OfPlan(plan).profile(name)


def reachable(plan: Plan, profile: PlannedProfile | None) -> tuple[int, ...]:
    """Rows of the tools that the profile reaches, in the plan's order; all of them without a profile."""
    return tuple(OfPlan(plan).pool(profile.name if profile else None))


def first_rows(plan: Plan, profile: PlannedProfile | None) -> tuple[int, ...]:
    """Rows declared from request 1 under the profile, sorted by alias."""
    return request.first_rows(OfPlan(plan), profile.name if profile else None)


def view(plan: Plan, definition: Callable[[int], Mapping[str, Any]], profile: str | None = None) -> View:
    """Request 1 under a profile, all servers available. DEFINITION gives the definition of a row."""
    planned = OfPlan(plan)
    rows = request.first_rows(planned, profile)
    tools = [declaration(definition(row)) for row in rows]
    section = request.servers_section(planned, profile, frozenset(rows))
    search = [search_tool(plan.search.limit)] if request.has_search(planned, profile, frozenset(rows)) else []
    return View(
        declared=(*search, *tools),
        prompt_section=section,
        tokens_tools=sum(estimate(declaration_text(tool)) for tool in tools),
        tokens_search_tool=sum(estimate(declaration_text(tool)) for tool in search),
        tokens_prompt_section=estimate(section),
    )
