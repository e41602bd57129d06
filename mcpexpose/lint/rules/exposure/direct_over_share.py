"""Direct definitions that take too much of the context window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    plan = subject.compiled.plan
    share = plan.totals.tokens_direct / plan.context_window
    limit = context.config.exposure.direct_max_share
    if share > limit:
        biggest = sorted((tool for tool in plan.tools if tool.exposure == "direct"), key=lambda tool: -tool.tokens)[:3]
        yield rule.finding(
            f"direct tools take {plan.totals.tokens_direct:,} of {plan.context_window:,} tokens, {share:.1%}; "
            f"the limit is {limit:.1%}",
            ("exposure",),
            "Defer the biggest that are not needed every time; `mcpexpose plan` lists them by tokens.",
            context.place("exposure"),
            details={"share": round(share, 4), "limit": limit, "biggest": [str(tool.id) for tool in biggest]},
        )
