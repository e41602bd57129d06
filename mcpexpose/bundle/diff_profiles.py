"""What changed for each profile: whom it reaches, what it is told at once, who answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model import changes as model
from mcpexpose.model.changes import Change, Part, Risk
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcpexpose.model.plan import Plan, PlannedProfile, PlannedTool

_ITEMS = 4


def profiles(before: Plan, after: Plan) -> Iterator[Change]:
    """Changes by profile. Tools that came or went altogether are told as such, and not again here."""
    both = {str(tool.id) for tool in before.tools} & {str(tool.id) for tool in after.tools}
    was = {profile.name: profile for profile in before.profiles}
    now = {profile.name: profile for profile in after.profiles}
    for name in sorted(was.keys() | now.keys()):
        if name not in was:
            text = f"new, reaches {len(now[name].tools):,} tools"
            yield model.change("profile", name, [Part(Risk.WIDENS, "profile", text)])
        elif name not in now:
            yield model.change("profile", name, [Part(Risk.NARROWS, "profile", "gone")], mark="-")
        elif parts := [*_profile(was[name], now[name], both)]:
            yield model.change("profile", name, parts)


def reach(tool: PlannedTool, plan: Plan) -> str:
    """Names of the profiles that reach a tool."""
    return _some(profile.name for profile in plan.profiles if str(tool.id) in profile.tools)


def _profile(one: PlannedProfile, other: PlannedProfile, both: set[str]) -> Iterator[Part]:
    yield from _sets("tools", "reaches", set(one.tools) & both, set(other.tools) & both)
    yield from _sets("default_tools", "is told at once", set(one.default_tools) & both, set(other.default_tools) & both)
    if one.unattended != other.unattended:
        risk = Risk.NARROWS if other.unattended else Risk.WIDENS
        text = "unattended: what would ask is refused" if other.unattended else "attended: somebody may approve"
        yield Part(risk, "unattended", text)
    if one.description != other.description:
        text = f"description {model.words(one.description, other.description)}"
        yield Part(Risk.TEXT, "description", text)


def _sets(field: str, verb: str, one: set[str], other: set[str]) -> Iterator[Part]:
    if came := sorted(other - one):
        yield Part(Risk.WIDENS, field, f"{verb} {_some(came)}")
    if went := sorted(one - other):
        yield Part(Risk.NARROWS, field, f"no longer {verb} {_some(went)}")


def _some(items: Iterable[str]) -> str:
    names = [shown(item, 60) for item in items]
    more = f" and {len(names) - _ITEMS:,} more" if len(names) > _ITEMS else ""
    return ", ".join(names[:_ITEMS]) + more
