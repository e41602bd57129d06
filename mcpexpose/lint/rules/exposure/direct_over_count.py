"""More direct tools than the targets take, or than a model can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.limits import smallest
from mcpexpose.model.text import shown
from mcpexpose.surface.view import first_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    settings = context.config.exposure
    found = smallest(settings.targets, "tools")
    if settings.direct_max_count is not None:
        limit, whose = settings.direct_max_count, "[exposure] direct_max_count"
    elif found is not None:
        limit, whose = found[0], ", ".join(found[1])
    else:
        return
    plan = subject.compiled.plan
    base = len(first_rows(plan, None))
    counts = [("exposure", "exposure", base)] if base > limit else []
    for profile in plan.profiles:
        count = len(first_rows(plan, profile))
        if count > limit and not (base > limit and count <= base):
            counts.append((f"profiles.{profile.name}", f"profile {shown(profile.name)}", count))
    for name, what, count in counts:
        place = context.place("exposure") if what == "exposure" else context.place("profiles", name.partition(".")[2])
        of = "" if what == "exposure" else f" under {what}"
        yield rule.finding(
            f"{count} tools are declared in request 1{of}; the limit is {limit} ({whose})",
            (name,),
            "Defer what is not needed in every conversation: it stays findable.",
            place,
            details={"count": count, "limit": limit},
        )
