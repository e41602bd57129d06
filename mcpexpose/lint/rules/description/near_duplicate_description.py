"""Visible tools whose texts nobody can tell apart."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context, WholePlan
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")
_WORDS = re.compile(r"\w+")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    groups: dict[tuple[str, ...], list[CapturedTool]] = defaultdict(list)
    for tool in context.tools:
        words = tuple(_WORDS.findall(tool.decision.description.casefold())) if tool.planned else ()
        if len(words) > 1:
            groups[words].append(tool)
    for tools in groups.values():
        # One name on several servers is told as such.
        if len({tool.id.name for tool in tools}) > 1:
            names = " and ".join(shown(str(tool.id), 80) for tool in tools[:4])
            more = f" and {len(tools) - 4} more" if len(tools) > 4 else ""
            yield rule.finding(
                f"{names}{more} have one description",
                [tool.id for tool in tools],
                "Say in the config what sets each apart: a model that cannot tell takes either.",
                tools[0].at("description"),
                related=[tool.at("description") for tool in tools[1:]],
            )
