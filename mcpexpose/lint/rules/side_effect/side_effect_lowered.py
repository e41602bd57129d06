"""The config's class is milder than what the server itself says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.finding import Place
from mcpexpose.model.policy import SideEffect, strictness
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    declared = tool.decision.declared_side_effect
    claim = _claim(tool)
    if not tool.planned or declared is None or claim is None or strictness(claim[0]) <= strictness(declared):
        return
    because = next((each for each in tool.decision.because if each.axis == "side_effect"), None)
    yield rule.finding(
        f"{shown(str(tool.id))} is {declared} by the config, and its server says {claim[1]}; the config's word stands",
        (tool.id,),
        f'Look again: a server knows what it does. If it is wrong, waive this; else set `side_effect = "{claim[0]}"`.',
        Place(because.file, because.path) if because and because.file else tool.at("annotations"),
    )


def _claim(tool: CapturedTool) -> tuple[SideEffect, str] | None:
    """The strictest that the hints claim. `readOnlyHint` false alone claims that something is changed."""
    annotations = tool.raw.get("annotations")
    if not isinstance(annotations, dict):
        return None
    if annotations.get("destructiveHint") is True:
        return SideEffect.DESTRUCTIVE, "destructiveHint true"
    if annotations.get("readOnlyHint") is False:
        return SideEffect.WRITE, "readOnlyHint false"
    return None
