"""Profiles: which tools of the plan a kind of task may reach, and which it is told at once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.compiler import entries, keys
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.plan import Because, PlannedProfile
from mcpexpose.model.policy import Exposure, PolicyState, SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.constrain import Limit
    from mcpexpose.model.config import ProfileTable
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import ToolDecision


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles, and what they say of single tools."""

    profiles: tuple[PlannedProfile, ...]
    selected: Mapping[ToolId, tuple[Because, ...]]
    """By tool, a say of each profile that selects it."""
    reached: Mapping[ToolId, tuple[str, ...]]


def plan_profiles(
    inputs: Inputs, decisions: Mapping[ToolId, ToolDecision], limits: Mapping[ToolId, Limit]
) -> tuple[Profiles, tuple[Finding, ...]]:
    """Every profile, sorted by name, and a finding for each selection that cannot be."""
    planned: list[PlannedProfile] = []
    selected: dict[ToolId, list[Because]] = defaultdict(list)
    reached: dict[ToolId, list[str]] = defaultdict(list)
    findings: list[Finding] = []
    for name, table in sorted(inputs.resolved.config.profiles.items()):
        groups = None if table.groups is None else frozenset(table.groups)
        reach = {tool for tool, decision in decisions.items() if decision.in_plan and _reaches(table, groups, decision)}
        path = ("profiles", name, "default_tools")
        listed, wrong = entries.read(inputs, path, table.default_tools, classes=False)
        findings += wrong
        chosen: set[ToolId] = set()
        for entry in listed.entries:
            took = [tool for tool in entry.meets if tool in reach and not _capped(limits[tool])]
            for tool in took:
                if tool not in chosen:
                    selected[tool].append(_because(inputs, entry))
            chosen.update(took)
            findings += _refused(inputs, name, entry, took, reach, decisions, limits)
        for tool in reach:
            reached[tool].append(name)
        planned.append(_planned(name, table, reach, chosen))
    return (
        Profiles(
            tuple(planned),
            {tool: tuple(says) for tool, says in selected.items()},
            {tool: tuple(names) for tool, names in reached.items()},
        ),
        tuple(findings),
    )


def _planned(name: str, table: ProfileTable, reach: Iterable[ToolId], chosen: Iterable[ToolId]) -> PlannedProfile:
    classes = table.side_effects
    return PlannedProfile(
        name=name,
        description=table.description,
        groups=None if table.groups is None else tuple(sorted(set(table.groups))),
        side_effects=None if classes is None else tuple(sorted({SideEffect(each) for each in classes})),
        unattended=table.unattended,
        tools=tuple(sorted(str(tool) for tool in reach)),
        default_tools=tuple(sorted(str(tool) for tool in chosen)),
    )


def _reaches(table: ProfileTable, groups: frozenset[str] | None, decision: ToolDecision) -> bool:
    """A tool without groups is in no profile that lists groups; what is unknown counts as destructive."""
    if groups is not None and groups.isdisjoint(decision.groups):
        return False
    unknown = decision.side_effect is SideEffect.UNKNOWN
    side_effect = SideEffect.DESTRUCTIVE if unknown else decision.side_effect
    return table.side_effects is None or side_effect.value in table.side_effects


def _capped(limit: Limit) -> bool:
    """A pack that keeps a tool out of request 1 keeps it out of every selection too."""
    return limit.max_exposure is not Exposure.DIRECT


def _because(inputs: Inputs, entry: entries.Entry) -> Because:
    return Because("selection", "direct", "profile", entry.key, entry.text, inputs.resolved.file, entry.path)


def _refused(
    inputs: Inputs,
    profile: str,
    entry: entries.Entry,
    took: list[ToolId],
    reach: set[ToolId],
    decisions: Mapping[ToolId, ToolDecision],
    limits: Mapping[ToolId, Limit],
) -> list[Finding]:
    """What an entry asks for and is not given. A pattern may meet such tools, where it meets others as well."""
    sound = [tool for tool in entry.meets if decisions[tool].left_out_by is None]
    if took or not sound:
        return []
    first = sound[0]
    decision = decisions[first]
    what = str(first) if entry.pattern.exact else f"all that {entry.text} meets"
    subjects = (entry.text, keys.written(entry.path))
    place = Place(inputs.resolved.file, entry.path)
    said = f"{shown(keys.written(entry.path))}: {shown(what, 120)}"
    if first in reach and _capped(limits[first]):
        capped = limits[first].capped
        return [
            Finding(
                "override-without-effect",
                Severity.WARNING,
                f"{said} is kept out of request 1 by {shown(capped.key if capped else 'a pack')}",
                subjects,
                "Take the entry out, or have the pack changed.",
                place,
                details={"entry": entry.text},
            )
        ]
    if not decision.in_plan:
        state = "denied" if decision.policy_state is PolicyState.DENIED else "hidden"
        why = next((b.key for b in decision.because if b.axis == "exposure"), "")
        message = f"{said} is {state} by {shown(why, 120)}, and a selection lifts neither"
        advice = "Take the entry out, or expose the tool where it is kept away."
    else:
        outside = "its groups" if not _in_groups(inputs, profile, decision) else f"its class, {decision.side_effect}"
        message = f"{said} is out of reach of profile {shown(profile)} for {outside}"
        advice = "Take the entry out, or widen the profile."
    return [
        Finding(
            "selection-not-allowed",
            Severity.ERROR,
            message,
            subjects,
            advice,
            place,
            details={"entry": entry.text, "profile": profile},
        )
    ]


def _in_groups(inputs: Inputs, profile: str, decision: ToolDecision) -> bool:
    groups = inputs.resolved.config.profiles[profile].groups
    return groups is None or bool(set(groups) & set(decision.groups))
