"""A deferred tool that is not the first answer to its own name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import shown
from mcpexpose.search.analysis import has_words, name_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcpexpose.lint.findable import Findable
    from mcpexpose.model.finding import Finding
    from mcpexpose.model.plan import PlannedTool

    Key = Callable[[PlannedTool], str]

rule = Rule(__name__, severity="error", since="0.1.0", remembered="plan")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    findable, tools = context.findable, subject.compiled.plan.tools
    for row, tool in enumerate(tools):
        if tool.exposure is not Exposure.DEFERRED or not has_words(tool.name):
            continue
        told = _beaten(findable, row, str(tool.id), _whole) or _beaten(findable, row, tool.name, _bare)
        if told is not None:
            query, first = told
            other = f"finds {shown(str(tools[first].id))} first" if first >= 0 else "finds nothing"
            yield rule.finding(
                f'a search for "{shown(query, 80)}" {other}, and not {shown(str(tool.id))}',
                (tool.id, *([tools[first].id] if first >= 0 else [])),
                "Hide or deny the one that is not needed, or rename its server: a model that knows a name uses it.",
                context.tool(tool.id).place,
            )


def _beaten(findable: Findable, row: int, query: str, key: Key) -> tuple[str, int] | None:
    """QUERY, which names the tool of ROW, and the other tool that it finds first, or -1 where it finds none.

    Tools whose names have one KEY, that is but for case and separators, are told as colliding.
    """
    tools = findable.plan.tools
    own = key(tools[row])
    named = findable.spelled(query)
    if row in named and all(key(tools[n]) == own for n in named):
        return None  # what is named comes first, whatever else is met
    first = findable.first(query)
    if first is None:
        return query, -1
    return None if key(tools[first]) == own else (query, first)


def _whole(tool: PlannedTool) -> str:
    return name_key(f"{tool.server}/{tool.name}")


def _bare(tool: PlannedTool) -> str:
    return name_key(tool.name)
