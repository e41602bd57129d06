"""One profile reaches strangers' text, private data and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint import flows
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.policy import PolicyState, SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcpexpose.model.finding import Finding, Place
    from mcpexpose.model.plan import PlannedTool

rule = Rule(__name__, severity="warning", since="0.1.0", audit=True)


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    plan = subject.compiled.plan
    if not plan.profiles:
        yield from _told("a model", "policy", context.place("policy"), plan.tools)
    tools = {str(tool.id): tool for tool in plan.tools}
    for profile in plan.profiles:
        place = context.place("profiles", profile.name)
        reached = [tools[name] for name in profile.tools]
        if profile.unattended:  # what would ask is refused there
            reached = [tool for tool in reached if tool.policy_state is PolicyState.ALLOWED]
        yield from _told(f"profile {shown(profile.name)}", f"profiles.{profile.name}", place, reached)


def _told(who: str, subject: str, place: Place, tools: Iterable[PlannedTool]) -> Iterator[Finding]:
    strangers, private, out = [], [], []
    for tool in tools:
        changes = tool.side_effect is not SideEffect.READ_ONLY
        reads = tool.side_effect in (SideEffect.READ_ONLY, SideEffect.UNKNOWN)
        if flows.brings_strangers_text(tool.name, reads=reads):
            strangers.append(tool)
        if flows.reads_private(tool.name, reads=reads):
            private.append(tool)
        if flows.takes_out(tool.name, changes=changes):
            out.append(tool)
    # What runs without asking is the worst way out, and one tool that reads both is no flow of two.
    out.sort(key=lambda tool: (tool.policy_state is not PolicyState.ALLOWED, tool.id))
    if not strangers or not private or not out or len({tool.id for tool in (*strangers, *private)}) < 2:
        return
    stranger = strangers[0]
    other = next(tool for tool in private if tool.id != stranger.id) if len(private) > 1 else private[0]
    if other.id == stranger.id:
        stranger = next(tool for tool in strangers if tool.id != other.id)
    asks = "" if out[0].policy_state is PolicyState.ALLOWED else ", once somebody says yes"
    yield rule.finding(
        f"{who} reaches what strangers write ({shown(str(stranger.id))}), private data ({shown(str(other.id))}) and a "
        f"way out ({shown(str(out[0].id))}{asks}): words in the first can send the second by the third",
        (subject, stranger.id, other.id, out[0].id),
        "Split it into profiles that each lack one of the three, or let the way out ask.",
        place,
        details={
            name: [str(tool.id) for tool in found]
            for name, found in (("untrusted", strangers), ("private", private), ("outward", out))
        },
    )
