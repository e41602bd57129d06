"""A visible text that tells the model of a tool that it cannot reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.mentions import mentioned
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if not tool.planned:
        return
    unmet = context.unmet_names[tool.id.server]
    for other in mentioned(tool.decision.description, unmet) if unmet else ():
        yield rule.finding(
            f"the description of {shown(str(tool.id))} names {shown(other.id.name)}, which no model meets",
            (tool.id, other.id),
            "Write a description of your own for it, or expose the other tool as well.",
            tool.at("description"),
        )
