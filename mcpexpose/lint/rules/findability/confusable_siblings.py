"""Two tools of one server that answer to each other's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.lint.findable import Findable
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="plan")

NEAR = 0.95
"""Scores nearer than this are decided by chance: a plural, the order of two words."""
_LIMIT = 8


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    findable, tools = context.findable, subject.compiled.plan.tools
    for row, tool in enumerate(tools):
        for other in sorted(findable.rivals[row]):
            sibling = tools[other]
            if other < row or sibling.server != tool.server or _one_text(tool.description, sibling.description):
                continue
            if not (findable.covers(other, row) and findable.covers(row, other)):
                continue
            if _answers(findable, row, other) and _answers(findable, other, row):
                places = [context.tool(each.id).at("description") for each in (tool, sibling)]
                yield rule.finding(
                    f"{shown(str(tool.id))} and {shown(str(sibling.id))} have every word of each other's descriptions: "
                    "a search for either scores both alike",
                    (tool.id, sibling.id),
                    "Say in the config what sets each apart, or hide the one that is not needed.",
                    places[0],
                    related=places[1:],
                )


def _one_text(one: str, other: str) -> bool:
    """That is told as near-duplicate-description."""
    return one.split() == other.split()


def _answers(findable: Findable, row: int, other: int) -> bool:
    """Whether a search for the description of ROW scores OTHER as high, or nearly."""
    scores = {hit.row: (hit.exact, hit.score) for hit in findable.search(findable.words(row), _LIMIT).hits}
    if other not in scores:
        return False
    if row not in scores or scores[other][0] != scores[row][0]:
        return row not in scores or scores[other][0]
    return scores[other][1] >= NEAR * scores[row][1]
