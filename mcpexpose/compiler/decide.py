"""The say of all passes on one tool, put together: the winner of each axis, and the losers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcpexpose.model.plan import AxisName, Because, ToolDecision
from mcpexpose.model.policy import Approval, Exposure, PolicyState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.compiler.approve import Consent
    from mcpexpose.compiler.budget import Defined
    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.classify import Class
    from mcpexpose.compiler.constrain import Limit
    from mcpexpose.compiler.expose import Exposed
    from mcpexpose.compiler.profiles import Profiles
    from mcpexpose.compiler.select import Selection
    from mcpexpose.compiler.settings import Tables
    from mcpexpose.model.names import ToolId

_AXES: tuple[AxisName, ...] = ("exposure", "side_effect", "approval", "policy_state", "description", "selection")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What each pass said, by tool."""

    aliases: Mapping[ToolId, str]
    groups: Mapping[ToolId, tuple[str, ...]]
    selections: Mapping[ToolId, Selection]
    tables: Tables
    classes: Mapping[ToolId, Class]
    limits: Mapping[ToolId, Limit]
    consents: Mapping[ToolId, Consent]
    exposed: Mapping[ToolId, Exposed]
    defined: Mapping[ToolId, Defined]
    left_out: Mapping[ToolId, str]


def decide(inputs: Inputs, verdicts: Verdicts) -> Mapping[ToolId, ToolDecision]:
    """The decision on every captured tool, sorted; profiles have not spoken yet."""
    return {tool: _decide(inputs, verdicts, tool) for tool in inputs.ids}


def with_profiles(decisions: Mapping[ToolId, ToolDecision], profiles: Profiles) -> Mapping[ToolId, ToolDecision]:
    """The same, with what the profiles select and reach."""
    return {
        tool: replace(
            decision,
            because=(*decision.because, *profiles.selected.get(tool, ())),
            profiles=profiles.reached.get(tool, ()),
        )
        if tool in profiles.reached
        else decision
        for tool, decision in decisions.items()
    }


def _decide(inputs: Inputs, verdicts: Verdicts, tool: ToolId) -> ToolDecision:
    selection, limit = verdicts.selections[tool], verdicts.limits[tool]
    made, consent, exposed = verdicts.classes[tool], verdicts.consents[tool], verdicts.exposed[tool]
    defined, left_out = verdicts.defined[tool], verdicts.left_out.get(tool)
    denied = selection.denied or limit.deny is not None
    if denied:
        state = PolicyState.DENIED
    else:
        state = PolicyState.ALLOWED if consent.approval is Approval.AUTO else PolicyState.APPROVAL_REQUIRED
    states = _states(selection, limit, consent, state)
    texts = [
        Because("description", str(each.value), "tool", each.key, "", inputs.resolved.file, each.path)
        for each in verdicts.tables.get(tool).get("description", ())
    ]
    winners = [exposed.because, limit.raised or made.because, consent.because, states[0], *texts[:1]]
    losers = [
        *exposed.losers,
        *((made.because,) if limit.raised else ()),
        *made.losers,
        *consent.losers,
        *states[1:],
        *texts[1:],
        *limit.losers,
    ]
    return ToolDecision(
        id=tool,
        alias=verdicts.aliases[tool],
        exposure=exposed.exposure,
        policy_state=state,
        side_effect=limit.side_effect,
        approval=consent.approval,
        groups=verdicts.groups[tool],
        description=defined.description,
        tokens=defined.tokens,
        in_plan=bool(not denied and exposed.exposure is not Exposure.HIDDEN and not left_out),
        left_out_by=left_out,
        because=tuple(winners),
        losers=_by_axis(losers),
        declared_side_effect=made.declared,
        hint_side_effect=made.hinted,
        side_effect_before_packs=made.side_effect,
    )


def _states(selection: Selection, limit: Limit, consent: Consent, state: PolicyState) -> list[Because]:
    """Denied by a list before denied by a pack; where neither denies, approval decides."""
    lists = [selection.because] if selection.because else []
    denials = [*(lists if selection.denied else ()), *((limit.deny,) if limit.deny else ())]
    if denials:
        return [*denials, *selection.losers, *(() if selection.denied else lists)]
    return [replace(consent.because, axis="policy_state", value=state.value), *lists]


def _by_axis(losers: Iterable[Because]) -> tuple[Because, ...]:
    return tuple(sorted(losers, key=lambda because: _AXES.index(because.axis)))
