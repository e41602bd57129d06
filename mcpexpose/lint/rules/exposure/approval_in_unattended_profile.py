"""A tool that must ask, in a profile where nobody answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Profile
from mcpexpose.model.policy import PolicyState
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")
_NAMED = 5


@rule.on(Profile)
def check(profile: Profile, context: Context) -> Iterator[Finding]:
    if not profile.table.unattended:
        return
    reached = set(profile.planned.tools)
    asking = [
        str(tool.id)
        for tool in context.plan.tools
        if tool.policy_state is PolicyState.APPROVAL_REQUIRED and str(tool.id) in reached
    ]
    if asking:
        more = f" and {len(asking) - _NAMED} more" if len(asking) > _NAMED else ""
        names = ", ".join(shown(name) for name in asking[:_NAMED]) + more
        yield rule.finding(
            f"profile {shown(profile.name)} is unattended, and {names} must ask: every such call will be refused",
            (f"profiles.{profile.name}", *asking),
            "Keep them out with `side_effects` or `groups`, or approve them by name in `[policy] auto_approve`.",
            profile.place,
            details={"tools": asking},
        )
