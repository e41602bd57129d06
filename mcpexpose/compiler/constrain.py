"""Policy packs: the limits on each tool, the strictest of each axis. They only narrow, in whatever order they come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcpexpose.compiler import patterns
from mcpexpose.compiler.select import bad_pattern
from mcpexpose.model.finding import Finding, Place
from mcpexpose.model.names import ToolId
from mcpexpose.model.plan import AxisName, Because
from mcpexpose.model.policy import Exposure, SideEffect, strictness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.classify import Class
    from mcpexpose.model.config import Constraint, ResolvedPack


@dataclass(frozen=True, slots=True)
class Limit:
    """What the packs leave of one tool."""

    side_effect: SideEffect
    """The class in force: before packs, or raised."""
    raised: Because | None = None
    deny: Because | None = None
    ask: Because | None = None
    max_exposure: Exposure = Exposure.DIRECT
    capped: Because | None = None
    losers: tuple[Because, ...] = ()
    """Says of packs that a stricter one, or an equal one, made idle."""


@dataclass(frozen=True, slots=True)
class _Rule:
    constraint: Constraint
    server: patterns.Pattern
    tool: patterns.Pattern
    key: str
    file: str
    at: int

    def because(self, axis: AxisName, value: str, key: str) -> Because:
        return Because(axis, value, "pack", self.key, self.constraint.reason, self.file, ("constraints", self.at, key))


def constrain(
    inputs: Inputs, classes: Mapping[ToolId, Class], groups: Mapping[ToolId, tuple[str, ...]]
) -> tuple[Mapping[ToolId, Limit], tuple[Finding, ...]]:
    """The limit of every captured tool: first each `min_side_effect`, by the class before packs; then all else."""
    findings: list[Finding] = []
    rules = [rule for pack in inputs.resolved.packs for rule in _rules(pack, findings)]
    limits: dict[ToolId, Limit] = {}
    for server in inputs.servers.values():
        here = _by_needle(rule for rule in rules if rule.server.matches(server.id))
        for name in server.tools:
            tool = ToolId(server.id, name)
            near = [rule for needle, sharing in here.items() if needle in name for rule in sharing]
            meeting = [rule for rule in near if rule.tool.matches(name) and _in_groups(rule.constraint, groups[tool])]
            limits[tool] = _limit(meeting, classes[tool].side_effect)
    return limits, tuple(findings)


def _by_needle(rules: Iterable[_Rule]) -> Mapping[str, list[_Rule]]:
    """A pack has hundreds of rules on some dozens of words, and most names hold none of them."""
    found: dict[str, list[_Rule]] = {}
    for rule in rules:
        found.setdefault(rule.tool.needle, []).append(rule)
    return found


def _rules(pack: ResolvedPack, findings: list[Finding]) -> Iterable[_Rule]:
    label = f"{pack.pack.name}@{pack.pack.version}"
    for at, constraint in enumerate(pack.pack.constraints):
        server, slash, tool = constraint.match.partition("/")
        trouble = patterns.problem(server) or patterns.problem(tool)
        if not slash:
            trouble = "is not of the form server/tool"
        if trouble:
            place = Place(pack.file, ("constraints", at, "match"))
            found = bad_pattern(f"{pack.file}:constraints[{at}].match", constraint.match, trouble, place)
            findings.append(replace(found, subjects=(pack.file, *found.subjects)))
            continue
        key = f"{label}: {constraint.match}"
        yield _Rule(constraint, patterns.compiled(server), patterns.compiled(tool), key, pack.file, at)


def _limit(rules: list[_Rule], before: SideEffect) -> Limit:
    if not rules:
        return Limit(before)
    raises = [
        rule.because("side_effect", _shown_class(rule.constraint.min_side_effect).value, "min_side_effect")
        for rule in rules
        if rule.constraint.min_side_effect is not None and _of_class(rule.constraint, {before})
    ]
    raised, idle = _strictest(raises, lambda because: strictness(SideEffect(because.value)))
    after = before
    if raised and _raises(SideEffect(raised.value), before):
        after = SideEffect(raised.value)
    elif raised is not None:
        idle, raised = [*idle, raised], None
    # What was unknown stays so for constraints on the unknown, though it is shown as destructive once it was raised.
    matched = {after, SideEffect.UNKNOWN} if before is SideEffect.UNKNOWN else {after}
    rest = [rule for rule in rules if _of_class(rule.constraint, matched)]
    denies = [rule.because("policy_state", "denied", "deny") for rule in rest if rule.constraint.deny]
    asks = [
        rule.because("approval", "ask", "approval")
        for rule in rest
        if rule.constraint.approval is not None and rule.constraint.approval.value == "ask"
    ]
    caps = [
        rule.because("exposure", rule.constraint.max_exposure.value, "max_exposure")
        for rule in rest
        if rule.constraint.max_exposure is not None and rule.constraint.max_exposure is not Exposure.DIRECT
    ]
    deny, idle_denies = _strictest(denies, lambda because: 0)
    ask, idle_asks = _strictest(asks, lambda because: 0)
    cap, idle_caps = _strictest(caps, lambda because: strictness(Exposure(because.value)))
    return Limit(
        side_effect=after,
        raised=raised,
        deny=deny,
        ask=ask,
        max_exposure=Exposure(cap.value) if cap else Exposure.DIRECT,
        capped=cap,
        losers=(*idle, *idle_denies, *idle_asks, *idle_caps),
    )


def _strictest(says: list[Because], rank: Callable[[Because], int]) -> tuple[Because | None, list[Because]]:
    """The strictest, and the rest; of equals the first by what is written, never by the order of packs or tables."""
    ordered = sorted(says, key=lambda because: (-rank(because), because.key, because.reason, because.value))
    return (ordered[0], ordered[1:]) if ordered else (None, [])


def _raises(wanted: SideEffect, before: SideEffect) -> bool:
    if before is SideEffect.UNKNOWN:
        return wanted is SideEffect.DESTRUCTIVE
    return strictness(wanted) > strictness(before)


def _shown_class(value: SideEffect | None) -> SideEffect:
    """Raised to unknown is raised to destructive, since that is how unknown is handled."""
    return SideEffect.DESTRUCTIVE if value is SideEffect.UNKNOWN or value is None else value


def _of_class(constraint: Constraint, classes: set[SideEffect]) -> bool:
    if constraint.side_effects is None:
        return True
    wanted = set(constraint.side_effects)
    return bool(wanted & classes) or (SideEffect.UNKNOWN in classes and SideEffect.DESTRUCTIVE in wanted)


def _in_groups(constraint: Constraint, groups: tuple[str, ...]) -> bool:
    return constraint.groups is None or bool(set(constraint.groups) & set(groups))
