"""A tool's name that some provider refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.limits import PROTOCOL_NAME, limits
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")
_PROTOCOL = re.compile(PROTOCOL_NAME)


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if not tool.planned:
        return
    # The server's id stands before it in what a model is told, so only the characters count, not where it begins.
    composed = f"s__{tool.id.name}"
    refused = [
        row.target
        for row in limits(context.config.exposure.targets, "tool-name")
        if not re.fullmatch(str(row.value), composed)
    ]
    if not _PROTOCOL.fullmatch(tool.id.name):
        refused.append("the protocol")
    if refused:
        yield rule.finding(
            f"{shown(str(tool.id))} has a name that {_listed(refused)} not take; a model is told {tool.decision.alias}",
            (tool.id,),
            "Nothing has to be done: calls go out under the server's own name. Other hosts may refuse the whole list.",
            tool.at("name"),
            details={"targets": refused, "alias": tool.decision.alias},
        )


def _listed(names: list[str]) -> str:
    return f"{names[0]} does" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} do"
