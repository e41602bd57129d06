"""Settings that change nothing, because deny, hidden or a policy pack makes them void."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcpexpose.compiler import keys
from mcpexpose.compiler.settings import in_force
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import PolicyState
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcpexpose.compiler.captured import Inputs, Server
    from mcpexpose.compiler.entries import Entries, Entry
    from mcpexpose.compiler.settings import Table, Tables
    from mcpexpose.model.plan import Because, ToolDecision

_SHORT = "a pattern lets read_only tools alone run by themselves, and it meets none"


@dataclass(frozen=True, slots=True)
class _Effect:
    """What became of one setting on one tool."""

    state: Literal["works", "beaten", "void"]
    by: str = ""
    """What made it void."""
    kept_away: bool = False
    """The tool as a whole is denied or hidden."""


_WORKS, _BEATEN = _Effect("works"), _Effect("beaten")


def check_effects(
    inputs: Inputs, tables: Tables, approvals: Entries, decisions: Mapping[ToolId, ToolDecision]
) -> tuple[Finding, ...]:
    """A warning for each tool table, server's exposure and approving entry that nothing comes of on any tool it meets.

    One that a more exact setting beats everywhere is no fault, and of what is left out nothing is said.
    """
    findings: list[Finding] = []
    for server in inputs.servers.values():
        for table in tables.tables.get(server.id, ()):
            names = tables.meets[server.id, table.name]
            findings += _of_table(inputs, server, table, names, tables, decisions)
        findings += _of_server(inputs, server, decisions)
    for entry in approvals.entries:
        findings += _of_approval(inputs, entry, decisions)
    return tuple(findings)


def _of_table(
    inputs: Inputs,
    server: Server,
    table: Table,
    names: tuple[str, ...],
    tables: Tables,
    decisions: Mapping[ToolId, ToolDecision],
) -> Iterator[Finding]:
    path = ("mcp_servers", server.id, "tools", table.name)
    written = [key for key in table.values if key != "require_in_plan"]
    tools = [ToolId(server.id, name) for name in names]
    void: dict[str, _Effect] = {}
    for key in written:
        judge = _judge_of(key, (*path, key), tables)
        if effect := _overall(judge(tool, decisions[tool]) for tool in tools):
            void[key] = effect
    if not void:
        return
    subject = f"{server.id}/{table.name}" if table.pattern.exact else keys.subject(path)
    subjects = (subject, keys.subject(path)) if table.pattern.exact else (subject, f"{server.id}/{table.name}")
    whole = len(void) == len(written) and all(effect.kept_away for effect in void.values())
    if whole:
        by = next(iter(void.values())).by
        yield _finding(
            inputs, subjects, f"The table of {shown(subject, 120)} has no effect: {by}", path, "header", written
        )
        return
    for key, effect in void.items():
        what = f"{key} in the table of {shown(subject, 120)} has no effect: {effect.by}"
        yield _finding(inputs, subjects, what, (*path, key), "key", [key])


def _judge_of(key: str, path: keys.Path, tables: Tables) -> Callable[[ToolId, ToolDecision], _Effect]:
    def judge(tool: ToolId, decision: ToolDecision) -> _Effect:
        if decision.left_out_by:
            return _WORKS
        if key == "approval":
            return _approval(path, decision)
        setting = in_force(tables.get(tool), key)
        wins = setting is not None and setting.path == path
        if not decision.in_plan and not (key == "exposure" and _winner(decision, "exposure").path == path):
            return _kept_away(decision) if wins or key != "exposure" else _BEATEN
        if not wins:
            return _BEATEN
        if key in ("exposure", "side_effect"):
            winner = _winner(decision, key)
            if winner.layer == "pack" and winner.path != path:
                return _Effect("void", f"{_name(winner)} makes it {winner.value}")
        return _WORKS

    return judge


def _approval(path: keys.Path, decision: ToolDecision) -> _Effect:
    """Of `approval` in a tool table, and of an entry of `auto_approve`."""
    if not decision.in_plan:
        return _kept_away(decision)
    winner = _winner(decision, "approval")
    if winner.path == path:
        return _WORKS
    losers = [because for because in decision.losers if because.axis == "approval"]
    own = next((because for because in losers if because.path == path), None)
    if own is not None and own.value == winner.value:
        return _WORKS
    if own is not None and own.reason:
        return _Effect("void", _SHORT)
    if winner.layer == "pack" and losers and losers[0].path == path:
        return _Effect("void", f"{_name(winner)} asks all the same")
    return _BEATEN


def _of_server(inputs: Inputs, server: Server, decisions: Mapping[ToolId, ToolDecision]) -> Iterator[Finding]:
    if server.table.exposure in (None, "hidden"):
        return
    path = ("mcp_servers", server.id, "exposure")
    effects = []
    for name in server.tools:
        decision = decisions[ToolId(server.id, name)]
        winner = _winner(decision, "exposure")
        losers = [because for because in decision.losers if because.axis == "exposure"]
        if decision.left_out_by or winner.path == path or winner.layer == "auto":
            effects.append(_WORKS)
        elif winner.layer == "pack" and losers and (losers[0].path == path or losers[0].layer == "auto"):
            effects.append(_Effect("void", f"{_name(winner)} makes it {winner.value}"))
        else:
            effects.append(_BEATEN)
    if effect := _overall(effects):
        subject = f"{server.id}:exposure"
        what = f"exposure of {shown(server.id)} has no effect on any tool: {effect.by}"
        yield _finding(inputs, (subject,), what, path, "key", ["exposure"])


def _of_approval(inputs: Inputs, entry: Entry, decisions: Mapping[ToolId, ToolDecision]) -> Iterator[Finding]:
    effects = (
        _WORKS if decisions[tool].left_out_by else _approval(entry.path, decisions[tool]) for tool in entry.meets
    )
    if effect := _overall(effects):
        written = keys.written(entry.path)
        subjects = (entry.text, written) if entry.pattern.exact else (written,)
        what = f'{written}: "{shown(entry.text, 80)}" has no effect: {effect.by}'
        yield _finding(inputs, subjects, what, entry.path, "value", ["auto_approve"])


def _overall(effects: Iterable[_Effect]) -> _Effect | None:
    """The effect that makes a setting void on all that it decides; None where it works, or is merely beaten."""
    void: _Effect | None = None
    for effect in effects:
        if effect.state == "works":
            return None
        if effect.state == "void" and void is None:
            void = effect
    return void


def _kept_away(decision: ToolDecision) -> _Effect:
    state = "denied" if decision.policy_state is PolicyState.DENIED else "hidden"
    return _Effect("void", f"{shown(str(decision.id), 120)} is {state} by {_name(_winner(decision, 'exposure'))}", True)


def _winner(decision: ToolDecision, axis: str) -> Because:
    return next(because for because in decision.because if because.axis == axis)


def _name(because: Because) -> str:
    return shown(because.key, 160)


def _finding(
    inputs: Inputs,
    subjects: tuple[str, ...],
    message: str,
    path: keys.Path,
    on: Literal["value", "key", "header"],
    written: list[str],
) -> Finding:
    return Finding(
        "override-without-effect",
        Severity.WARNING,
        message,
        subjects,
        "Take it out, or change what makes it void.",
        Place(inputs.resolved.file, path, on),
        details={"keys": written},
    )
