"""A deferred tool that is not the first answer to its own name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import shown
from mcpexpose.search.analysis import name_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.lint.findable import Findable
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0", remembered="plan")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    findable, tools = context.findable, subject.compiled.plan.tools
    for row, tool in enumerate(tools):
        if tool.exposure is not Exposure.DEFERRED:
            continue
        told = _beaten(findable, row, str(tool.id), same_name=False) or _beaten(findable, row, tool.name)
        if told is not None:
            query, first = told
            other = f"finds {shown(str(tools[first].id))} first" if first >= 0 else "finds nothing"
            yield rule.finding(
                f'a search for "{shown(query, 80)}" {other}, and not {shown(str(tool.id))}',
                (tool.id, *([tools[first].id] if first >= 0 else [])),
                "Hide or deny the one that is not needed, or rename its server: a model that knows a name uses it.",
                context.tool(tool.id).place,
            )


def _beaten(findable: Findable, row: int, query: str, *, same_name: bool = True) -> tuple[str, int] | None:
    """QUERY, which names the tool of ROW, and the other tool that it finds first, or -1 where it finds none."""
    own = findable.plan.tools[row]
    named = findable.spelled(query)
    if row in named and all(same_name and _same(own.name, findable.plan.tools[n].name) for n in named if n != row):
        return None  # what is named comes first, whatever else is met
    first = findable.first(query)
    if first is None:
        return query, -1
    if first == row or (same_name and _same(own.name, findable.plan.tools[first].name)):
        return None
    return query, first


def _same(one: str, other: str) -> bool:
    """One name on two servers, however it is spelled, is told as such."""
    return name_key(one) == name_key(other)
