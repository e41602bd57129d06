"""A composed name that must be cut to fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler.naming import ALIAS_MAX, clean
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.limits import smallest
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")
_LEAST = len("s__")
"""What stands before a tool's name at the least."""


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if not tool.planned:
        return
    length = len(clean(tool.id))
    least = smallest(context.config.exposure.targets, "tool-name-length")
    limit = min(ALIAS_MAX, least[0]) if least else ALIAS_MAX
    if length <= limit:
        return
    whose = f" ({', '.join(least[1])})" if least and least[0] == limit else ""
    cut = "is cut to" if length > ALIAS_MAX else "stays"
    yield rule.finding(
        f"{shown(str(tool.id))} has {length} characters with its server; {limit} fit{whose}, and the alias {cut} "
        f"{tool.decision.alias}",
        (tool.id,),
        _advice(tool.id.name, limit),
        tool.at("name"),
        details={"length": length, "limit": limit, "alias": tool.decision.alias},
    )


def _advice(name: str, limit: int) -> str:
    if len(name) + _LEAST <= limit:
        return "Shorten the server's id: it stands before every one of its tools."
    return "No id is short enough: have the server rename it, or let it be, since calls go out under its own name."
