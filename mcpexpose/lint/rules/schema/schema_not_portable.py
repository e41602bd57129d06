"""A valid schema that some provider refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.toolschema import not_portable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if tool.planned:
        for problem in not_portable(tool.raw, context.config.exposure.targets):
            yield problem.finding(tool.id, tool.file, tool.index)
