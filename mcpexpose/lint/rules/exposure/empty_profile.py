"""A profile that reaches no tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Profile
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(Profile)
def check(profile: Profile, context: Context) -> Iterator[Finding]:
    # Where nothing was captured, nothing can be reached yet, and that is told elsewhere.
    if profile.planned.tools or not context.plan.tools:
        return
    keys = [key for key in ("groups", "side_effects") if getattr(profile.table, key) is not None]
    because = f" with its {' and '.join(keys)}" if keys else ""
    yield rule.finding(
        f"profile {shown(profile.name)} reaches none of {len(context.plan.tools)} tools{because}",
        (f"profiles.{profile.name}",),
        "Give tools the groups that it lists, or classes to what is unknown: unknown counts as destructive.",
        profile.place,
    )
