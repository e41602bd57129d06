"""The events of one session, each with the facts of the plan about the tool it is about."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from mcpexpose.model.event import Event
from mcpexpose.model.policy import SideEffect

if TYPE_CHECKING:
    from mcpexpose.host.plan import HostPlan
    from mcpexpose.host.selection import SessionState
    from mcpexpose.model.event import EventName
    from mcpexpose.model.names import ToolId

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""A name that no plan has is kept where it looks like one: it comes from a model, and may hold anything, such as a path
or a credential."""


class Clock:
    """Measures one answer."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()

    @property
    def ms(self) -> float:
        return round((time.perf_counter() - self._begun) * 1000, 3)


def of_tool(
    name: EventName,
    plan: HostPlan,
    state: SessionState,
    tool: ToolId,
    outcome: str,
    clock: Clock | None = None,
    **more: Any,
) -> Event:
    """An event about TOOL, in the plan or not."""
    row = plan.row(tool)
    known = None if row is None else plan.tool(row)
    server = plan.servers.get(tool.server)
    facts: dict[str, Any] = {
        "server": _name(tool.server),
        "tool": _name(tool.name),
        "revision": server.revision if server else None,
    }
    if known is not None:
        facts |= {
            "server": tool.server,
            "tool": tool.name,
            "policy_state": known.policy_state.value,
            "side_effect": known.side_effect.value,
            "exposure": known.exposure.value,
        }
    return event(name, plan, state, outcome, clock, **facts, **more)


def event(
    name: EventName, plan: HostPlan, state: SessionState, outcome: str, clock: Clock | None = None, **more: Any
) -> Event:
    """An event of a session."""
    return Event(
        name,
        plan.runtime.now(),
        state.run_id,
        query_class=state.profile,
        gateway_route=state.route,
        outcome=outcome,
        latency_ms=None if clock is None else clock.ms,
        plan=plan.manifest.digest if plan.manifest else None,
        **more,
    )


def has_effects(plan: HostPlan, tool: ToolId) -> bool:
    """Whether a call of TOOL may change something; True for one that nobody knows."""
    row = plan.row(tool)
    return row is None or plan.tool(row).side_effect is not SideEffect.READ_ONLY


def _name(text: str) -> str | None:
    from mcpexpose.model.secrets import redact  # only what a model wrote is looked at, and its patterns cost a search

    return text if _NAME.fullmatch(text) and redact(text) == text else None
