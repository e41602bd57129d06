"""Two tools whose composed names are equal once they are made to fit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mcpexpose.compiler.naming import ALIAS_MAX, clean
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context, WholePlan
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    groups: dict[str, list[CapturedTool]] = defaultdict(list)
    for tool in context.tools:
        groups[clean(tool.id)[:ALIAS_MAX].lower()].append(tool)
    for tools in groups.values():
        if len(tools) > 1 and any(tool.planned for tool in tools):
            first, *others = tools
            names = " and ".join(shown(str(tool.id), 100) for tool in tools[:4])
            yield rule.finding(
                f"{names} would have one name for the model; each got digits of its own: {first.decision.alias} …",
                [tool.id for tool in tools],
                "Deny what is not needed, or have a server rename a tool: digits tell a model nothing.",
                first.at("name"),
                related=[tool.at("name") for tool in others],
                details={"aliases": [tool.decision.alias for tool in tools]},
            )
