"""Deferred tools that no search can give."""

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

rule = Rule(__name__, severity="error", since="0.1.0")
_NAMED = 3


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    plan = subject.compiled.plan
    # The search tool itself cannot be switched off or hidden; the one key that silences it is this. With "weak" what
    # holds every word is still found, so each tool is by words of its own.
    bound = plan.search.min_match
    if isinstance(bound, str) or not bound:
        return
    deferred = [(row, tool) for row, tool in enumerate(plan.tools) if tool.exposure is Exposure.DEFERRED]
    most = context.findable.most
    lost = [str(tool.id) for row, tool in deferred if most[row] < bound]
    if lost:
        named = ", ".join(shown(name) for name in lost[:_NAMED])
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        highest = max(most[row] for row, _ in deferred)
        yield rule.finding(
            f"[search] min_match is {bound:g}, and no words reach that for {len(lost)} of "
            f"{count(len(deferred), 'deferred tool')}: {named}{more} can be found by name alone",
            ("search.min_match", *lost),
            f"Lower it: {highest:.0f} is more than any words score here; `mcpexpose search` prints scores.",
            context.place("search", "min_match"),
            details={"tools": lost, "highest": round(highest, 1)},
        )
