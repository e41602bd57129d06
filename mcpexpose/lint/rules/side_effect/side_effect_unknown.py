"""A tool of which nobody said what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    decision = tool.decision
    unclassed = (decision.side_effect_before_packs or decision.side_effect) is SideEffect.UNKNOWN
    if not tool.planned or not unclassed:
        return
    hint = decision.hint_side_effect
    claim = f"; its server claims {hint}, and is not trusted to lower a class" if hint else ""
    yield rule.finding(
        f"{shown(str(tool.id))} has no class of side effect, so it is handled as destructive{claim}",
        (tool.id,),
        f'Read what it does and say so: `tools."{shown(tool.id.name)}".side_effect` of {shown(tool.id.server)}.',
        tool.place,
    )
