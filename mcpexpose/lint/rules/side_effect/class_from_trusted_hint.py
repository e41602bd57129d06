"""A class that stands on the server's word alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="info", since="0.1.0")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    decision = tool.decision
    if not tool.planned or decision.side_effect in (SideEffect.DESTRUCTIVE, SideEffect.UNKNOWN):
        return
    if decision.declared_side_effect is None and decision.hint_side_effect is decision.side_effect_before_packs:
        yield rule.finding(
            f"{shown(str(tool.id))} is {decision.side_effect} because its server, which is trusted, says so",
            (tool.id,),
            "Write the class down where a later version of the server must not change it.",
            tool.at("annotations"),
        )
