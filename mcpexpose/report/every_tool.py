"""Each captured tool of a preview: whether a model is told of it, may find it or never meets it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcpexpose.report.preview import why_direct
from mcpexpose.surface.view import find_profile, reachable

if TYPE_CHECKING:
    from mcpexpose.model.plan import Because, ToolDecision
    from mcpexpose.report.preview import Preview

Met = Literal["direct", "deferred", "out of reach", "hidden", "denied", "left out"]
_ORDER: tuple[Met, ...] = ("direct", "deferred", "out of reach", "hidden", "denied", "left out")


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool under the preview's profile."""

    decision: ToolDecision
    met: Met
    because: Because | None
    """The layer that put it there; None where no layer of the config did."""
    decided_by: str = ""
    """What did, in words, where it is no layer: a finding, or the profile's reach."""


def every_tool(preview: Preview) -> list[ToolLine]:
    """All of them by server; within one what a model meets comes first, then by name."""
    plan = preview.plan
    reach = {plan.tools[row].id for row in reachable(plan, find_profile(plan, preview.profile))}
    declared = {line.tool.id for line in preview.direct}
    lines = [_line(each, preview, each.id in declared, each.id in reach) for each in preview.compiled.decisions]
    return sorted(lines, key=lambda line: (line.decision.id.server, _ORDER.index(line.met), line.decision.id.name))


def _line(decision: ToolDecision, preview: Preview, declared: bool, reached: bool) -> ToolLine:
    if slug := decision.left_out_by:
        return ToolLine(decision, "left out", None, slug)
    exposure = next((each for each in decision.because if each.axis == "exposure"), None)
    if not decision.in_plan:
        denial = next(
            (each for each in decision.because if each.axis == "policy_state" and each.value == "denied"), None
        )
        return ToolLine(decision, "denied" if denial else "hidden", denial or exposure)
    if declared:
        return ToolLine(decision, "direct", why_direct(decision, preview.profile))
    if reached:
        return ToolLine(decision, "deferred", exposure)
    return ToolLine(decision, "out of reach", None, f"profile {preview.profile} does not reach it")
