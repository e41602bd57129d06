"""Request 1 as the model gets it: the one place that says what is declared, and in which order.

The search tool stands first, then the declared tools sorted by alias, then, in later requests, the activated ones in
the order of their activation. So the list that a provider caches only ever grows at its end (G13), and a tool that an
operator adds to the direct ones leaves what stands before it as it was. The search tool is declared where request 1
leaves a tool undeclared, whatever servers are up, so that it neither comes nor goes within a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.errors import SelectionRefused
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import shown
from mcpexpose.model.tokens import estimate
from mcpexpose.surface.declarations import declaration, declaration_text, search_tool
from mcpexpose.surface.prompt import prompt_section

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

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
    if name is None:
        return None
    for profile in plan.profiles:
        if profile.name == name:
            return profile
    known = ", ".join(shown(profile.name) for profile in plan.profiles) or "none"
    raise SelectionRefused(f"the plan has no profile {shown(str(name), 80)!r}; it has: {known}")


def reachable(plan: Plan, profile: PlannedProfile | None) -> tuple[int, ...]:
    """Rows of the tools that the profile reaches, in the plan's order; all of them without a profile."""
    if profile is None:
        return tuple(range(len(plan.tools)))
    names = frozenset(profile.tools)
    return tuple(row for row, tool in enumerate(plan.tools) if str(tool.id) in names)


def first_rows(plan: Plan, profile: PlannedProfile | None, selected: Iterable[int] = ()) -> tuple[int, ...]:
    """Rows declared from request 1, sorted by alias: direct ones, the profile's default tools, and SELECTED.

    What the profile does not reach is not among them, selected or not.
    """
    pool = reachable(plan, profile)
    names = frozenset(profile.default_tools) if profile else frozenset()
    chosen = frozenset(selected)
    rows = [
        row
        for row in pool
        if plan.tools[row].exposure is Exposure.DIRECT or row in chosen or str(plan.tools[row].id) in names
    ]
    return tuple(sorted(rows, key=lambda row: plan.tools[row].alias))


def has_search(plan: Plan, profile: PlannedProfile | None, declared: Container[int]) -> bool:
    """Whether the search tool is declared: where the profile reaches a tool that request 1 does not declare."""
    return any(row not in declared for row in reachable(plan, profile))


def servers_section(
    plan: Plan, profile: PlannedProfile | None, declared: Container[int], available: Container[str] | None = None
) -> str:
    """The prompt section: a line for each available server with a reachable tool that request 1 does not declare."""
    found = {plan.tools[row].server for row in reachable(plan, profile) if row not in declared}
    return prompt_section(
        (server.id, server.summary)
        for server in plan.servers
        if server.id in found and (available is None or server.id in available)
    )


def view(plan: Plan, definition: Callable[[int], Mapping[str, Any]], profile: str | None = None) -> View:
    """Request 1 under a profile, all servers available. DEFINITION gives the definition of a row."""
    chosen = find_profile(plan, profile)
    rows = first_rows(plan, chosen)
    tools = [declaration(definition(row)) for row in rows]
    section = servers_section(plan, chosen, frozenset(rows))
    search = [search_tool(plan.search.limit)] if has_search(plan, chosen, frozenset(rows)) else []
    return View(
        declared=(*search, *tools),
        prompt_section=section,
        tokens_tools=sum(estimate(declaration_text(tool)) for tool in tools),
        tokens_search_tool=sum(estimate(declaration_text(tool)) for tool in search),
        tokens_prompt_section=estimate(section),
    )
