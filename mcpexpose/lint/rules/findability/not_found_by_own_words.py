"""A deferred tool that a search for the words of its own description does not find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import shown
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="plan")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    findable, plan = context.findable, subject.compiled.plan
    limit, bound = plan.search.limit, plan.search.min_match
    for row, tool in enumerate(plan.tools):
        words = findable.words(row) if tool.exposure is Exposure.DEFERRED else ""
        # With fewer rivals than there are places it is among the answers, unless a poor answer is none at all; and what
        # holds every word is never weak.
        if not words or (len(findable.rivals[row]) < limit and bound in (0, "weak")):
            continue
        found = findable.search(words, limit)
        if any(hit.row == row for hit in found.hits):
            continue
        if found.reason == "below-min-match":
            message = f"finds nothing, since no match reaches [search] min_match, {bound}"
            advice = "Lower min_match, or say more of what the tool does."
        else:
            message = f"finds {count(limit, 'other tool')}, and not it"
            advice = "Say what sets it apart: its kind of thing, its service, other people's words as `keywords`."
        yield rule.finding(
            f"a search for the words of {shown(str(tool.id))}, {_quoted(words)}, {message}",
            (tool.id,),
            advice,
            context.tool(tool.id).at("description"),
            details={"found": [str(plan.tools[hit.row].id) for hit in found.hits], "reason": found.reason},
        )


def _quoted(words: str) -> str:
    return f'"{shown(" ".join(words.split()), 60)}"'
