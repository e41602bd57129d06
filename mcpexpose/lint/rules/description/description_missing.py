"""A tool without a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if tool.planned and not tool.decision.description.strip():
        yield rule.finding(
            f"{shown(str(tool.id))} has no description: there is its name to go by, and its arguments",
            (tool.id,),
            f'Write one: `tools."{shown(tool.id.name)}".description` of {shown(tool.id.server)}.',
            tool.place,
        )
