"""The second stage: one tool's whole definition at the plan's revision, checked before it is handed out (G03)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.bundle.layout import DEFINITIONS, damaged, refusal
from mcpexpose.model.policy import Approval, PolicyState, SideEffect
from mcpexpose.model.text import shown
from mcpexpose.surface.inspections import inspection_text, outside_profile_text, unknown_tool_text

if TYPE_CHECKING:
    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.freshness import Freshness
    from mcpexpose.model.plan import PlannedTool

Reason = Literal[
    "unknown-tool",
    "not-in-profile",
    "not-inspected",
    "stale-revision",
    "invalid-arguments",
    "validation-timeout",
    "outcome-unknown",
    "approval-mismatch",
    "approval-required",
    "audit-unavailable",
]
"""In the order in which they are looked for: the first that applies is the answer."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What was asked for is not given; `text` is what the model reads. Inspections have the first two reasons."""

    reason: Reason
    text: str
    server: str
    tool: str
    revision: str | None = None
    """The one that the call was made for; None where there was none."""
    pointer: str | None = None
    """Of invalid arguments: where, as a JSON pointer into them."""
    wanted: str | None = None
    """And what was wanted there, never what there was."""

    @property
    def outcome(self) -> str:
        """As events have it: `refused:` and the reason."""
        return f"refused:{self.reason}"


@dataclass(frozen=True, slots=True)
class Inspection:
    """A handle on one tool at one revision: what a call takes, never a bare name."""

    server: str
    tool: str
    revision: str
    """Of the catalog that the definition is from, 64 hexadecimal digits."""
    alias: str
    definition: Mapping[str, Any]
    """Name, title, description in force, input schema, and output schema and annotations where the server gave them."""
    policy_state: PolicyState
    side_effect: SideEffect
    approval: Approval
    freshness: Freshness
    text: str
    """What the model reads."""
    issue: int = field(default_factory=itertools.count(1).__next__, repr=False, compare=False)
    """Tells this handle from every other one of the process."""


def inspect(plan: HostPlan, row: int) -> Inspection:
    """The definition of a tool that the session reaches. Raises BundleRefused where it is not as the plan promises."""
    tool = plan.tool(row)
    definition = plan.definition(row)
    revision = plan.servers[tool.server].revision
    if wrong := _fault(tool, revision, definition):
        raise refusal(damaged(DEFINITIONS, f"gives {shown(str(tool.id))} {wrong}"))
    freshness = plan.freshness(tool.server)
    return Inspection(
        server=tool.server,
        tool=tool.name,
        revision=revision,
        alias=tool.alias,
        definition=definition,
        policy_state=tool.policy_state,
        side_effect=tool.side_effect,
        approval=tool.approval,
        freshness=freshness,
        text=inspection_text(tool, revision, definition, fresh=freshness.state == "fresh"),
    )


def unknown_tool(server: str, tool: str) -> Refused:
    """Hidden, denied, switched off, not there, or of a server that is away."""
    return Refused("unknown-tool", unknown_tool_text(server, tool), server, tool)


def outside_profile(server: str, tool: str) -> Refused:
    """In the plan, and not for this task."""
    return Refused("not-in-profile", outside_profile_text(server, tool), server, tool)


def _fault(tool: PlannedTool, revision: str, definition: Mapping[str, Any]) -> str | None:
    if (definition.get("server"), definition.get("name"), definition.get("alias")) != (
        tool.server,
        tool.name,
        tool.alias,
    ):
        return "another name"
    if not isinstance(definition.get("inputSchema"), Mapping):
        return "no input schema"
    if "outputSchema" in definition and not isinstance(definition["outputSchema"], Mapping | bool):
        return "an output schema that is none"
    if tool.policy_state is PolicyState.DENIED:
        return "out although it is denied"
    return None if revision else "no revision"
