"""A session's next request in the form of a provider, and the answer to a search in the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.host.grounds import Grounds
from mcpexpose.host.session import Session
from mcpexpose.model.errors import UsageRefused
from mcpexpose.surface import exporters, request
from mcpexpose.surface.declarations import search_tool
from mcpexpose.surface.offered import Surface, offered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.exported import Export


def export(source: Session | HostPlan, target: str, *, profile: str | None = None) -> Export:
    """What SOURCE declares to a model, as TARGET takes it: the part of a request that the plan decides, and the losses.

    Of a plan it is request 1, under PROFILE; of a session the next request, under its own. The same aliases,
    descriptions and schemas as `Session.declared`, as far as the target takes them; no credential is ever in it.
    Connects to nothing and decides nothing. Raises UsageRefused for a target that is none, and for a profile beside a
    session; SelectionRefused for a profile that the plan has not; BundleRefused where the bundle was changed.
    """
    if isinstance(source, Session):
        if profile is not None:
            raise UsageRefused("a session has its profile already; export the plan for another one")
        away = frozenset(source.remembered.unavailable)
        return exporters.export(_surface(*source.declared_rows(), away), target)
    return exporters.export(_surface(Grounds.of(source, profile)), target)


def export_answer(session: Session, answer: Answer, target: str, call_id: str) -> dict[str, Any]:
    """What goes back to a model of TARGET for its call of find_tools, whose id in that API is CALL_ID.

    ANSWER is what SESSION's `find_tools` gave. `anthropic-custom` gets references to the tools, `openai-custom` their
    definitions, the others the text. Raises UsageRefused for a target that is none, or that searches by itself.
    """
    grounds = session.grounds
    first = frozenset(grounds.plan.rows.alias(row) for row in grounds.first)
    return exporters.answer(answer, target, call_id, first)


def _surface(
    grounds: Grounds, first: Sequence[int] | None = None, found: Sequence[int] = (), away: frozenset[str] = frozenset()
) -> Surface:
    """All that a session on GROUNDS offers: the declared rows, FIRST and FOUND, and the rest, without servers AWAY."""
    plan = grounds.plan
    first = grounds.first if first is None else first
    declared = {*first, *found}
    rest = [row for row in grounds.pool if row not in declared and plan.rows.server_of(row) not in away]
    tools = offered({"first": first, "found": found, "deferred": rest}, plan.tool, plan.definition)
    return Surface(
        tools=tools,
        search_tool=search_tool(plan.rows.search.limit) if grounds.has_search else None,
        prompt_section=request.servers_section(plan.rows, grounds.profile, frozenset(grounds.first), away),
        servers=tuple(plan.servers[server] for server in sorted({each.tool.server for each in tools})),
    )
