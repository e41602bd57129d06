"""A side effect that runs without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.finding import Place
from mcpexpose.model.policy import PolicyState, SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    decision = tool.decision
    if (
        not tool.planned
        or decision.policy_state is not PolicyState.ALLOWED
        or decision.side_effect is SideEffect.READ_ONLY
    ):
        return
    because = next((each for each in decision.because if each.axis == "approval"), None)
    by = f" by {shown(because.key, 80)}" if because else ""
    yield rule.finding(
        f"{shown(str(tool.id))} is {decision.side_effect} and runs without asking{by}",
        (tool.id,),
        "Let it ask, or waive this with the reason why nobody needs to.",
        Place(because.file, because.path) if because and because.file else tool.place,
    )
