"""Deferring so little that search and prompt section cost more than they save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.policy import Exposure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="info", since="0.1.0")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    plan = subject.compiled.plan
    deferred = sum(tool.tokens for tool in plan.tools if tool.exposure is Exposure.DEFERRED)
    cost = plan.totals.tokens_search_tool + plan.totals.tokens_prompt_section
    if 0 < deferred < cost:
        yield rule.finding(
            f"all deferred tools together are {deferred:,} tokens; finding them costs {cost:,} in every conversation",
            ("exposure",),
            'Declare them: `exposure = "direct"` or `"auto"`.',
            context.place("exposure"),
            details={"deferred": deferred, "cost": cost},
        )
