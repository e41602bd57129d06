"""Why a tool is as it is: every layer that had a say on each axis, the winner first, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import digest
from mcpexpose.model.finding import Location, Place
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.policy import Exposure, PolicyState
from mcpexpose.report.jsonout import dump
from mcpexpose.report.preview import because_text, decision_json
from mcpexpose.report.preview_text import RISK
from mcpexpose.report.screen import Cell, Column, Paint, Painted, Screen, cells, table
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.model.plan import Because, PlannedTool, ToolDecision

_AXES = {
    "exposure": "exposure",
    "policy_state": "policy",
    "side_effect": "side effect",
    "approval": "approval",
    "selection": "selection",
    "description": "text",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """One tool's decision, and what is known of it beside."""

    decision: ToolDecision
    tool: PlannedTool | None
    """None where it is in no plan."""
    profiles: tuple[str, ...]
    """Profiles that reach it."""
    declared_in: tuple[str, ...]
    """Profiles that declare it in request 1."""
    locate: Callable[[Place], Location | None]
    unattended: tuple[str, ...] = ()
    """Those of `profiles` in which nobody answers, so that a call that asks is refused."""

    def at(self, because: Because) -> Location | None:
        return self.locate(Place(because.file, because.path)) if because.file else None


def render_json(explanation: Explanation) -> str:
    """`because` holds the winner of each axis, `losers` every other layer."""
    decision = decision_json(explanation.decision)
    del decision["because"], decision["losers"]
    return dump(
        {
            "tool": str(explanation.decision.id),
            "decision": decision,
            "because": [_because(each, explanation) for each in explanation.decision.because],
            "losers": [_because(each, explanation) for each in explanation.decision.losers],
            "profiles": list(explanation.profiles),
            "declared_in": list(explanation.declared_in),
            "unattended": list(explanation.unattended),
        }
    )


def render_text(explanation: Explanation, screen: Screen) -> str:
    """The verdict in one sentence, then every layer by axis; nothing is cut, long reasons are broken."""
    layers = [*_layers(explanation, screen), *(Layer(*fact) for fact in _facts(explanation, screen))]
    room = _room(layers, screen)
    if room < 24:  # too narrow for a column of places
        layers = [
            replace(each, text=f"{each.text}, {each.place}" if each.place else each.text, place="") for each in layers
        ]
        room = max(_room(layers, screen), 16)
    rows: list[list[Cell]] = []
    for layer in layers:
        first, *rest = Screen(room).wrap(layer.text, rest="")
        rows.append([layer.label, Painted(layer.value, layer.paint), first, layer.place, layer.note])
        rows += [["", "", line, "", ""] for line in rest]
    lines = table([Column("")] * 5, rows, screen)[1:]
    return "\n".join([*screen.wrap(_verdict(explanation, screen)), "", *lines]) + "\n"


def _room(layers: list[Layer], screen: Screen) -> int:
    """What the other columns leave for the texts."""
    fixed = [max(cells(getattr(layer, name)) for layer in layers) for name in ("label", "value", "place", "note")]
    return screen.width - sum(fixed) - 2 * 5


@dataclass(frozen=True, slots=True)
class Layer:
    """One line of the table."""

    label: str
    value: str
    text: str
    paint: Paint = Paint.NONE
    place: str = ""
    note: str = ""


def _layers(explanation: Explanation, screen: Screen) -> list[Layer]:
    decision = explanation.decision
    denied = decision.policy_state is PolicyState.DENIED
    exposed = [because.key for because in decision.because if because.axis == "exposure"]
    layers = []
    for axis, label in _AXES.items():
        winners = [because for because in decision.because if because.axis == axis]
        losers = [because for because in decision.losers if because.axis == axis]
        if axis == "policy_state" and (not denied or [each.key for each in winners] == exposed):
            continue  # it follows from approval, or from what the row of exposure says
        if axis == "approval" and denied:
            layers.append(Layer(label, screen.dash, "denied"))
            continue
        for n, because in enumerate([*winners, *losers]):
            won = n < len(winners)
            at = explanation.at(because)
            layers.append(
                Layer(
                    label=label if n == 0 else "",
                    value=_value(because, screen),
                    text=screen.text(because_text(because, decision.id)),
                    paint=_paint(because) if won else Paint.NONE,
                    place=screen.text(f"{at.file}:{at.line}") if at else "",
                    note="" if won else "agrees" if because.value in {each.value for each in winners} else "gives way",
                )
            )
    return layers


def _verdict(explanation: Explanation, screen: Screen) -> str:
    decision = explanation.decision
    name = screen.text(str(decision.id))
    if slug := decision.left_out_by:
        return f"{name} is left out by {slug}: no model meets it until that is mended."
    if decision.policy_state is PolicyState.DENIED:
        return f"{name} is {screen.paint('denied', Paint.DANGER)}: no model meets it, no call reaches it."
    if decision.exposure is Exposure.HIDDEN:
        return f"{name} is {screen.paint('hidden', Paint.CLOSED)}: no model meets it, no call reaches it."
    asks = "runs without asking" if decision.policy_state is PolicyState.ALLOWED else "asks before each call"
    if decision.exposure is Exposure.DIRECT:
        met = "a model is told of it in request 1"
    elif explanation.declared_in:
        met = f"a model can find it, and is told of it in request 1 of profile {', '.join(explanation.declared_in)}"
    else:
        met = "a model can find it"
    exposure = screen.paint(decision.exposure.value, Paint.OPEN)
    return f"{name} is {exposure}, {decision.side_effect.value}: {met}; it {asks}."


def _facts(explanation: Explanation, screen: Screen) -> list[tuple[str, str, str]]:
    decision, tool = explanation.decision, explanation.tool
    words = len(decision.description.split())
    replaced = tool is not None and tool.replaced_description_digest is not None
    short = digest(decision.description)[:8]
    facts = []
    if not any(because.axis == "description" for because in decision.because):
        whose = "operator's" if replaced else "server's own"
        facts.append(("text", whose, f"{count(words, 'word')}, digest {short}{screen.more}"))
    facts.append(("alias", "", screen.text(decision.alias)))
    if tool is None:
        facts.append(("found by", "nobody", "it is not in the index"))
        return facts
    facts.append(("tokens", f"{decision.tokens:,}", ""))
    if decision.groups:
        facts.append(("groups", "", ", ".join(screen.text(group) for group in decision.groups)))
    if explanation.profiles:
        refused = explanation.unattended if decision.policy_state is PolicyState.APPROVAL_REQUIRED else ()
        named = (
            screen.text(name) + (" (refused: nobody is there to ask)" if name in refused else "")
            for name in explanation.profiles
        )
        facts.append(("profiles", "", ", ".join(named)))
    return facts


def _value(because: Because, screen: Screen) -> str:
    if because.axis == "description":
        return f"{len(because.value.split())} words" if because.value else screen.dash
    return screen.text(because.value) or screen.dash


def _paint(because: Because) -> Paint:
    if because.axis == "side_effect":
        return {side_effect.value: paint for side_effect, paint in RISK.items()}.get(because.value, Paint.NONE)
    paints = {"denied": Paint.DANGER, "hidden": Paint.CLOSED, "direct": Paint.OPEN}
    return paints.get(because.value, Paint.NONE)


def _because(because: Because, explanation: Explanation) -> dict[str, Any]:
    at = explanation.at(because)
    value: dict[str, Any] = to_json(because)
    return {**value, "line": at.line if at else None, "column": at.column if at else None}
