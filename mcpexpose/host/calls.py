"""One call, from the gate to the outcome. It is sent once, and never again of our own accord."""

from __future__ import annotations

import inspect
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcpexpose.host import gate, record, results
from mcpexpose.host.carrying import SilentServer, carry, connect
from mcpexpose.host.cleaning import cleaned, error_text
from mcpexpose.host.failures import error_result
from mcpexpose.host.inspector import Refused
from mcpexpose.host.ledger import ApprovalGone, EqualCallOpen, LedgerUnavailable
from mcpexpose.host.outcome import Ask, Completed, Failed, Quarantined, Unknown
from mcpexpose.host.threads import in_thread
from mcpexpose.model.calling import ConnectionLost, NotSent, ResultTooLarge, ResultUnreadable, ServerError
from mcpexpose.model.errors import BundleRefused
from mcpexpose.surface import refusals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.host.arguments import Arguments
    from mcpexpose.host.gate import Located, Named
    from mcpexpose.host.ledger import Bound
    from mcpexpose.host.outcome import Approve, Decision, Outcome, Reduce, Through
    from mcpexpose.host.plan import HostPlan
    from mcpexpose.host.session import Session
    from mcpexpose.model.names import ToolId

_log = logging.getLogger(__name__)

INVALID_PARAMS = -32602
"""Of JSON-RPC: the arguments, or the tool itself, are not what the server has now."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that nothing speaks against any more."""

    located: Located
    arguments: Arguments
    approved: bool
    """Somebody said yes just now, so no stored approval is used up."""
    begun: str = ""
    """The ledger's word for it, once it is written down."""

    @property
    def bound(self) -> Bound:
        return self.located.bound(self.arguments)

    @property
    def takes(self) -> bool:
        """Whether it uses a stored approval up."""
        return not (self.approved or self.located.runs_by_itself)

    @property
    def plan(self) -> HostPlan:
        """The one that it was checked by; another may take over while it is under way."""
        return self.located.grounds.plan

    @property
    def keeps_books(self) -> bool:
        """Whether the ledger has a part in it, and so a disk that may be waited for."""
        return self.located.effects or self.takes


async def call(
    session: Session,
    named: Named,
    given: Mapping[str, Any] | str | bytes,
    approve: Approve | None,
    through: Through | None,
    reduce: Reduce | None,
) -> Outcome:
    """See `Session.call`."""
    clock = record.Clock()
    tool = gate.tool_of(named)
    ready: _Ready | Refused | Failed = await _ready(session, named, given, approve)
    if isinstance(ready, _Ready) and through is None:
        ready = await _connected(session, named, ready)
    if isinstance(ready, _Ready):
        ready = await _begun(session, named, ready)
    if not isinstance(ready, _Ready):
        _tell(session, session.plan, tool, ready, clock)
        return ready
    outcome = await _send(session, ready, through, reduce, clock)
    if ready.keeps_books:
        import asyncio

        await asyncio.shield(in_thread(_close, session, ready, outcome, clock, pool="disk"))
    else:
        _tell(session, ready.plan, tool, outcome, clock)
    return outcome


async def _ready(
    session: Session, named: Named, given: Mapping[str, Any] | str | bytes, approve: Approve | None
) -> _Ready | Refused:
    located = await _current(session, named)
    if isinstance(located, Refused):
        return located
    arguments = gate.read(located, given)
    refused = arguments if isinstance(arguments, Refused) else await _fit(located, arguments)
    if refused is not None:
        session.void(refused)
        return refused
    assert not isinstance(arguments, Refused)
    decision = await _decide(session, located, arguments)
    approved = False
    if isinstance(decision, Ask):
        if approve is None or not await _yes(session, located, decision, approve):
            return gate.unasked(located, decision)
        # Somebody took their time: what was true before may be so no longer.
        again = await _current(session, named)
        if isinstance(again, Refused):
            return again
        located, approved = again, True
        decision = await _decide(session, located, arguments, approved=True)
    if isinstance(decision, Refused):
        return decision
    return _Ready(located, arguments, approved)


async def _current(session: Session, named: Named) -> Located | Refused:
    """The tool; where its server is not fresh, the host asks it once before it says no."""
    located = session.locate(named)
    if not isinstance(located, Refused) or located.reason != "stale-revision":
        return located
    plan = session.plan
    if not plan.runtime.can_refresh:
        return located
    if located.server in plan.servers and plan.freshness(located.server).state == "fresh":
        return session.locate(named)  # another plan took over just now
    await plan.refresh(located.server)
    return session.locate(named)


async def _fit(located: Located, arguments: Arguments) -> Refused | None:
    if located.checker.is_quick(arguments.size):
        return gate.fit(located, arguments)
    return await in_thread(gate.fit, located, arguments)


async def _decide(session: Session, located: Located, arguments: Arguments, *, approved: bool = False) -> Decision:
    def decide() -> Decision:
        ledger = session.plan.runtime.ledger
        return gate.decide(located, arguments, ledger, unattended=session.unattended, approved=approved)

    asks_no_disk = located.runs_by_itself and not located.effects
    return decide() if asks_no_disk else await in_thread(decide, pool="disk")


async def _yes(session: Session, located: Located, ask: Ask, approve: Approve) -> bool:
    """Whether somebody says yes. In an unattended profile the question is never put, so it is none."""
    try:
        answer = approve(ask)
        said = "granted" if (await answer if inspect.isawaitable(answer) else answer) is True else "denied"
    except Exception as error:
        _log.warning("an approval could not be asked for: %s", type(error).__name__)
        said = "failed"
    event = record.of_tool("approve", session.plan, session.remembered, located.tool.id, said)
    session.plan.runtime.keep(event, effects=located.effects)
    return said == "granted"


async def _connected(session: Session, named: Named, ready: _Ready) -> _Ready | Refused | Failed:
    """With the connection there: a start may take long, sends nothing, and much may be heard in the meantime."""
    tool, revision = ready.located.tool, ready.located.server.revision
    try:
        await connect(session.plan.runtime, ready.located)
    except NotSent:
        return Failed(tool.server, tool.name, revision, "not-sent", refusals.not_sent(tool.server, tool.name))
    refused = _still(session, named, ready)
    if refused is not None and refused.reason == "stale-revision":
        # Many a server says that its list changed as soon as it is up, and lists what it did before.
        await _current(session, named)
        refused = _still(session, named, ready)
    return refused or ready


def _still(session: Session, named: Named, ready: _Ready) -> Refused | None:
    """Whether what was checked is what there is: the last look before a call leaves."""
    now = session.locate(named)
    if isinstance(now, Refused):
        return now
    if _meaning(now) == _meaning(ready.located):
        return None
    text = refusals.stale_revision(now.tool.server, now.tool.name, ready.located.server.revision)
    return now.refused("stale-revision", text)


def _meaning(located: Located) -> tuple[Any, ...]:
    tool, server = located.tool, located.server
    policy = (tool.policy_state, tool.side_effect, tool.approval)
    return (server.revision, server.transport, tool.definition_digest, *policy)


async def _begun(session: Session, named: Named, ready: _Ready) -> _Ready | Refused:
    """What `_begin` says; where it waits for a disk, in a thread, so that nobody else does."""
    if not ready.keeps_books:
        return _begin(session, ready)
    import asyncio

    writing = asyncio.ensure_future(in_thread(_begin, session, ready, pool="disk"))
    try:
        begun = await asyncio.shield(writing)
    except asyncio.CancelledError:
        if isinstance(begun := await writing, _Ready):
            _undo(session, begun)
            _note(session, ready.plan, ready.located.tool.id, "cancelled", None)
        raise
    if isinstance(begun, _Ready) and (refused := _still(session, named, begun)) is not None:
        await asyncio.shield(in_thread(_undo, session, begun, pool="disk"))
        return refused
    return begun


def _begin(session: Session, ready: _Ready) -> _Ready | Refused:
    """Write down that the call is about to be sent, and use its approval up; or why it is not sent after all."""
    located, runtime = ready.located, session.plan.runtime
    server, name = located.tool.server, located.tool.name
    unavailable = located.refused("audit-unavailable", refusals.audit_unavailable(server, name))
    event = record.of_tool("check", ready.plan, session.remembered, located.tool.id, "allowed")
    if not runtime.keep(event, effects=located.effects) and located.effects:
        return unavailable
    try:
        if located.effects:
            call = runtime.ledger.begin(ready.bound, session.run_id, runtime.now(), approval=ready.takes)
            return replace(ready, begun=call)
        if ready.takes:
            runtime.ledger.take(ready.bound)
    except EqualCallOpen:
        return located.refused("outcome-unknown", refusals.outcome_unknown(server, name))
    except ApprovalGone:
        return located.refused("approval-required", refusals.approval_required(server, name))
    except LedgerUnavailable:
        return unavailable
    return ready


def _undo(session: Session, ready: _Ready) -> None:
    """It never left."""
    runtime = session.plan.runtime
    try:
        if ready.begun:
            runtime.ledger.undo(ready.bound, session.run_id, runtime.now(), call=ready.begun, approval=ready.takes)
        elif ready.takes:  # a reader that somebody has to approve: no call of it is ever open
            runtime.ledger.grant(ready.bound, session.run_id, runtime.now())
    except LedgerUnavailable:
        _log.error("the record of a call that never left could not be taken back: it stays open, or its approval used")


async def _send(
    session: Session, ready: _Ready, through: Through | None, reduce: Reduce | None, clock: record.Clock
) -> Outcome:
    """The call itself. Whatever happens, its fate is written down before anybody hears of it."""
    located = ready.located
    tool, server = located.tool, located.server
    who = (tool.server, tool.name, server.revision)
    try:
        raw = await carry(session.plan.runtime, located, ready.arguments, through)
        outcome: Outcome = await _judged(session, ready, raw, reduce)
    except NotSent:
        outcome = Failed(*who, "not-sent", refusals.not_sent(tool.server, tool.name))
    except ServerError as error:
        outcome = _answered(session, located, error)
    except (ResultTooLarge, ResultUnreadable) as error:
        outcome = _unread(session, located, error)
    except (SilentServer, ConnectionLost) as error:
        lost = isinstance(error, ConnectionLost)
        if located.effects:
            outcome = Unknown(*who, refusals.unknown_completion(tool.server, tool.name), ready.bound.key)
        else:
            outcome = Failed(*who, "timed-out", refusals.timed_out(tool.server, tool.name, lost=lost))
    except BaseException as error:  # cancelled, or the process is about to end: the server may be at it
        if located.effects:
            text = refusals.unknown_completion(tool.server, tool.name)
            _close(session, ready, Unknown(*who, text, ready.bound.key), clock)
        else:
            _note(session, ready.plan, tool.id, "failed" if isinstance(error, Exception) else "cancelled", clock)
        raise
    return outcome


def _close(session: Session, ready: _Ready, outcome: Outcome, clock: record.Clock) -> None:
    """Its end, written down before anybody hears of it; the event first, so that a host that is killed in between
    leaves the call open, which is safe.
    """
    _tell(session, ready.plan, ready.located.tool.id, outcome, clock)
    if isinstance(outcome, Failed) and outcome.outcome == "not-sent":
        _undo(session, ready)
        return
    if not ready.begun:
        return
    ledger = session.plan.runtime.ledger
    try:
        if isinstance(outcome, Unknown):
            ledger.unknown(ready.bound, ready.begun)
        else:
            ledger.end(ready.bound, ready.begun)
    except LedgerUnavailable:
        _log.error("the record of a call could not be closed, so an equal call is refused until it is settled")


async def _judged(session: Session, ready: _Ready, raw: Any, reduce: Reduce | None) -> Outcome:
    located = ready.located
    plan, tool, server = session.plan, located.tool, located.server
    who = (tool.server, tool.name, server.revision)
    limit = located.grounds.plan.limits.result_max_bytes
    kind = raw.get("resultType", "complete") if isinstance(raw, dict) else "complete"
    if kind == "input_required":
        return Failed(*who, "tool-error", refusals.wants_input(tool.server, tool.name))
    if kind != "complete" and located.effects:  # a task that goes on, or who knows what
        return Unknown(*who, refusals.unknown_completion(tool.server, tool.name), ready.bound.key)
    found: results.Sound | results.Unsound
    if kind != "complete":
        found = results.Unsound("result-malformed", "it is of a kind that this host does not know")
    else:
        try:
            output = located.grounds.plan.checker(located.row, "outputSchema")
        except BundleRefused:
            found = results.Unsound("result-malformed", "it could not be held against its output schema")
        else:
            found = await results.judge(raw, output, limit, reduce, in_thread=in_thread)
    if isinstance(found, results.Unsound):
        if found.reason == "result-too-large":
            text = refusals.too_large(*who, found.size, limit)
        else:
            text = refusals.malformed(*who, found.why)
        kept = None
        if plan.runtime.evidence is not None:
            kept = await in_thread(plan.runtime.evidence.keep_value, raw, pool="disk")
        return Quarantined(*who, found.reason, text, found.size, kept)
    if found.is_error:
        secrets = _secrets(session, tool.server)
        result = await in_thread(error_result, found.result, found.size, limit, secrets)
        return Failed(*who, "tool-error", results.model_text(result), None, result)
    result = cleaned(found.result)
    return Completed(*who, result, results.model_text(result))


def _answered(session: Session, located: Located, error: ServerError) -> Failed:
    """The server knows the request and refused it; where it did not know its form, our definition is not current."""
    plan, tool = session.plan, located.tool
    if error.code == INVALID_PARAMS:
        plan.runtime.changed(tool.server, "invalid-arguments")
        session.handles.void(tool.id)
    said = error_text(error.message, located.grounds.plan.limits.result_max_bytes, _secrets(session, tool.server))
    text = f"{refusals.named(tool.server, tool.name)} answered with the error {error.code}: {said}"
    return Failed(tool.server, tool.name, located.server.revision, "tool-error", text, error.code)


def _unread(session: Session, located: Located, error: ResultTooLarge | ResultUnreadable) -> Quarantined:
    tool, revision = located.tool, located.server.revision
    who = (tool.server, tool.name, revision)
    if isinstance(error, ResultTooLarge):
        limit = located.grounds.plan.limits.result_max_bytes
        return Quarantined(*who, "result-too-large", refusals.too_large(*who, None, limit))
    return Quarantined(*who, "result-malformed", refusals.malformed(*who, "it is no JSON that can be read"))


def _secrets(session: Session, server: str) -> tuple[str, ...]:
    connections = session.plan.runtime.connections
    return connections.secrets(server) if connections is not None else ()


def _tell(session: Session, plan: HostPlan, tool: ToolId, outcome: Outcome, clock: record.Clock) -> None:
    """The call's event, before its answer, with the facts of the PLAN that it was made under. A call that was sent is
    answered even where this fails.
    """
    more: dict[str, Any] = {}
    if isinstance(outcome, Quarantined):
        more = {"size_bytes": outcome.size, "limit_bytes": plan.limits.result_max_bytes}
    _note(session, plan, tool, outcome.outcome, clock, **more)


def _note(
    session: Session, plan: HostPlan, tool: ToolId, outcome: str, clock: record.Clock | None, **more: Any
) -> None:
    event = record.of_tool("call", plan, session.remembered, tool, outcome, clock, **more)
    plan.runtime.keep(event, effects=record.has_effects(plan, tool))
