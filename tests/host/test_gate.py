"""The gate: the first thing that speaks against a call is the answer, and approvals are for exactly one call."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mcpexpose
from mcpexpose import Allow, Ask, HostPlan, Inspection, Ledger, Refuse, SelectionRefused, ToolId
from mcpexpose.bundle.write import write
from mcpexpose.host.inspector import Refused
from mcpexpose.host.ledger import Bound
from mcpexpose.model.errors import BundleRefused
from mcpexpose.model.policy import SideEffect
from tests.builders import compiled, profile, tool
from tests.host.running import OK, Memory, Server, plan_of, run, yes

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "n": {"type": "integer"}, "s": {"type": "string", "pattern": "^(a+)+$"}},
    "required": ["id"],
}
WRITE = SideEffect.WRITE


@pytest.fixture
def sink() -> Memory:
    return Memory()


@pytest.fixture
def plan(tmp_path: Path, sink: Memory) -> HostPlan:
    return plan_of(
        tmp_path,
        tool("gh", "get", schema=SCHEMA),
        tool("gh", "put", side_effect=WRITE, schema=SCHEMA),
        tool("zz", "look"),
        sink=sink,
        profiles=[
            profile("gh", ["gh/get", "gh/put"]),
            replace(profile("night", ["gh/get", "gh/put"]), unattended=True),
        ],
    )


def inspected(session: Any, server: str, name: str) -> Inspection:
    found = session.inspect(server, name)
    assert isinstance(found, Inspection)
    return found


def reason(decision: Any) -> str:
    return decision.reason if isinstance(decision, Refuse) else type(decision).__name__


def test_a_reader_runs_by_itself_and_a_writer_asks(plan: HostPlan) -> None:
    """G06: automatic execution only for what policy approved."""
    session = plan.session()
    allowed = session.check(inspected(session, "gh", "get"), {"id": "1"})
    assert isinstance(allowed, Allow)
    ask = session.check(inspected(session, "gh", "put"), '{"id": "1"}')
    assert isinstance(ask, Ask)
    assert (ask.server, ask.tool, ask.side_effect, dict(ask.arguments)) == ("gh", "put", WRITE, {"id": "1"})
    assert "'1'" not in repr(ask)


def test_a_bare_name_is_no_key(plan: HostPlan) -> None:
    """G04"""
    for bare in ("get", "gh__get", "gh/get", ["gh", "get"], ("gh",), None):
        with pytest.raises(TypeError):
            plan.session().check(bare, {})  # type: ignore[arg-type]


def test_a_pair_stands_for_the_live_inspection(plan: HostPlan) -> None:
    """G03: execute comes after inspect."""
    session = plan.session()
    assert reason(session.check(("gh", "get"), {"id": "1"})) == "not-inspected"
    handle = inspected(session, "gh", "get")
    assert reason(session.check(("gh", "get"), {"id": "1"})) == "Allow"
    assert reason(session.check(ToolId("gh", "get"), {"id": "1"})) == "Allow"
    assert reason(plan.session().check(handle, {"id": "1"})) == "not-inspected"
    assert reason(plan.session(state=session.state()).check(handle, {"id": "1"})) == "not-inspected"


def test_invalid_arguments_void_the_inspection_of_that_tool_alone(plan: HostPlan) -> None:
    """G09"""
    session = plan.session()
    one, other = inspected(session, "gh", "get"), inspected(session, "gh", "put")
    refused = session.check(one, {"id": 5})
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.pointer, refused.wanted) == ("invalid-arguments", "/id", "a string")
    assert "/id" in refused.text
    assert "5" not in refused.text.replace(refused.server, "")
    assert reason(session.check(one, {"id": "1"})) == "not-inspected"
    assert reason(session.check(("gh", "get"), {"id": "1"})) == "not-inspected"
    assert reason(session.check(other, {"id": "1"})) == "Ask"
    assert reason(session.check(inspected(session, "gh", "get"), {"id": "1"})) == "Allow"


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{", '{"id": NaN}', '{"id": "1", "id": "2"}', '{"id": "1"} x', '{"n": 1e999, "id": "1"}',
     '{"id": "\\ud800"}', "[" * 200_000, '{"id":' * 200_000, b"\xff", '{"id": "' + "x" * 200_000 + '"}'],
)  # fmt: skip
def test_what_is_no_object_in_json_is_invalid(plan: HostPlan, text: Any) -> None:
    """NaN, twice the same key, text behind it, endless nesting, lone surrogates, too many bytes."""
    session = plan.session()
    refused = session.check(inspected(session, "gh", "get"), text)
    assert reason(refused) == "invalid-arguments"


@pytest.mark.parametrize(
    "value", [{"id": float("nan")}, {"id": float("inf")}, {1: "x"}, {"id": {1, 2}}, {"id": "\ud800"}, [], "x", None, 3]
)
def test_what_python_has_and_json_has_not_is_invalid(plan: HostPlan, value: Any) -> None:
    session = plan.session()
    assert reason(session.check(inspected(session, "gh", "get"), value)) == "invalid-arguments"


def test_size_is_in_bytes_of_compact_json(tmp_path: Path) -> None:
    """args_max_bytes counts UTF-8, and blanks of a text do not count."""

    def small(done: Any) -> Any:
        return replace(done, plan=replace(done.plan, limits=replace(done.plan.limits, args_max_bytes=20)))

    session = plan_of(tmp_path, tool("gh", "get"), change=small).session()
    assert reason(session.check(inspected(session, "gh", "get"), '{"a" :   "0123456789"}')) == "Allow"
    assert reason(session.check(inspected(session, "gh", "get"), {"a": "→→→→→"})) == "invalid-arguments"


def test_approval_is_of_exact_arguments_and_used_once(plan: HostPlan) -> None:
    """G06: a mismatch does not use it up; the order of keys does not matter; `true` is not `1`."""
    session, server = plan.session(), Server()
    handle = inspected(session, "gh", "put")
    assert session.approve(handle, {"id": "A", "n": 1})
    for other in ({"id": "A", "n": 2}, {"id": "A"}, {"id": "a", "n": 1}):
        assert run(session.call(handle, other, through=server)).outcome == "refused:approval-mismatch"
    assert run(session.call(handle, {"n": 1, "id": "A"}, through=server)).outcome == "ok"
    assert run(session.call(handle, {"id": "A", "n": 1}, through=server)).outcome == "refused:approval-required"
    assert len(server.calls) == 1


def test_true_is_not_one(tmp_path: Path) -> None:
    session, server = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE)).session(), Server()
    handle = inspected(session, "gh", "put")
    session.approve(handle, {"v": 1})
    assert run(session.call(handle, {"v": True}, through=server)).outcome == "refused:approval-mismatch"
    assert run(session.call(handle, {"v": 1.0}, through=server)).outcome == "ok"


def test_an_approval_is_bound_to_the_revision(tmp_path: Path) -> None:
    first = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE))
    first.session().approve(("gh", "put"), {})
    second = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), tool("gh", "new"))
    session = second.session()
    outcome = run(session.call(inspected(session, "gh", "put"), {}, through=Server()))
    assert outcome.outcome == "refused:approval-required"


def test_nobody_is_asked_at_night(plan: HostPlan) -> None:
    """An unattended profile refuses, whoever says yes or said so before."""
    session = plan.session("night")
    asked: list[Any] = []
    handle = inspected(session, "gh", "put")
    session.approve(handle, {"id": "1"})

    def approve(ask: Ask) -> bool:
        asked.append(ask)
        return True

    outcome = run(session.call(handle, {"id": "1"}, approve=approve, through=Server()))
    assert outcome.outcome == "refused:approval-required"
    assert asked == []


def test_what_is_said_of_a_profile_is_checked(tmp_path: Path) -> None:
    """A bundle whose profile was made an attended one after it was written is refused where it matters (C03)."""
    night = replace(profile("night", ["gh/put"]), unattended=True)
    write(compiled(tool("gh", "put", side_effect=WRITE), profiles=[night]), tmp_path / "plan")
    plan_file = tmp_path / "plan" / "plan.json"
    plan_file.write_bytes(plan_file.read_bytes().replace(b'"unattended": true', b'"unattended":false'))
    session = mcpexpose.load_plan(tmp_path / "plan").session("night")
    session.inspect("gh", "put")
    with pytest.raises(BundleRefused):
        session.check(("gh", "put"), {})


def test_whoever_is_asked_decides(plan: HostPlan) -> None:
    """Sync and async; only True is yes."""
    session, server = plan.session(), Server()
    handle = inspected(session, "gh", "put")
    for no in (False, None, 1, "yes"):
        outcome = run(session.call(handle, {"id": "1"}, approve=lambda ask, no=no: no, through=server))  # type: ignore[misc]
        assert outcome.outcome == "refused:approval-required"
    assert run(session.call(handle, {"id": "1"}, approve=lambda ask: True, through=server)).outcome == "ok"
    assert run(session.call(handle, {"id": "1"}, approve=yes, through=server)).outcome == "ok"
    assert len(server.calls) == 2


def test_what_changes_while_somebody_thinks_counts(plan: HostPlan) -> None:
    """The checks are made again after a yes."""
    session, server = plan.session(), Server()

    def approve(ask: Ask) -> bool:
        plan.list_changed("gh")
        return True

    outcome = run(session.call(inspected(session, "gh", "put"), {"id": "1"}, approve=approve, through=server))
    assert outcome.outcome == "refused:stale-revision"
    assert server.calls == []


def test_arguments_are_those_that_were_checked(plan: HostPlan) -> None:
    """Nobody changes them between the check, the question and the call."""
    session, server = plan.session(), Server()
    arguments: dict[str, Any] = {"id": "1"}

    def approve(ask: Ask) -> bool:
        arguments["id"] = "2"
        ask.arguments["id"] = "3"  # type: ignore[index]
        return True

    assert (
        run(session.call(inspected(session, "gh", "put"), arguments, approve=approve, through=server)).outcome == "ok"
    )
    assert server.calls[0].arguments == {"id": "1"}


def test_another_process_answers(plan: HostPlan, tmp_path: Path) -> None:
    """A queue in the ledger: the question waits there, and so does its answer; no argument is in the file."""
    from mcpexpose import ApprovalQueue

    code = (
        "import sys, time; from mcpexpose import Ledger\n"
        "ledger = Ledger(sys.argv[1])\n"
        "while not (asked := [one for one in ledger.requests() if one.state == 'asked']): time.sleep(0.02)\n"
        "assert ledger.answer(asked[0].id, yes=sys.argv[2] == 'yes'); assert not ledger.answer(asked[0].id, yes=True)"
    )
    for answer, expected in (("yes", "ok"), ("no", "refused:approval-required")):
        session = plan.session()
        ledger = Ledger(tmp_path / "runs.sqlite")
        child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "runs.sqlite"), answer])
        queue = ApprovalQueue(ledger, wait_s=200)
        call = session.call(inspected(session, "gh", "put"), {"id": "SENTINEL"}, approve=queue, through=Server())
        assert run(call).outcome == expected
        assert child.wait(200) == 0
        assert ledger.requests() == ()
    assert all(b"SENTINEL" not in file.read_bytes() for file in tmp_path.iterdir())


def test_nobody_answers_the_queue(plan: HostPlan, tmp_path: Path) -> None:
    from mcpexpose import ApprovalQueue

    session = plan.session()
    queue = ApprovalQueue(plan.runtime.ledger, wait_s=0.2)
    call = session.call(inspected(session, "gh", "put"), {"id": "1"}, approve=queue, through=Server())
    assert run(call).outcome == "refused:approval-required"
    assert plan.runtime.ledger.requests() == ()


def test_two_spenders_of_one_approval(plan: HostPlan) -> None:
    """Used once, whoever comes first."""
    ledger = plan.runtime.ledger
    server = plan.servers["gh"]
    bound = Bound.of("gh", server.transport, "put", server.revision, "d")
    ledger.grant(bound, "r", "2026-11-30T12:00:00Z")
    taken: list[bool] = []

    def take() -> None:
        try:
            Ledger(ledger.path).take(bound)
            taken.append(True)
        except Exception:
            taken.append(False)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken.count(True) == 1


def test_an_approval_of_what_there_is_not(plan: HostPlan) -> None:
    with pytest.raises(SelectionRefused):
        plan.session("gh").approve(("zz", "look"), {})
    with pytest.raises(SelectionRefused):
        plan.session().approve(("gh", "put"), "[]")
    assert plan.session().approve(("gh", "get"), {}) is False


ORDER = (
    "unknown-tool",
    "not-in-profile",
    "not-inspected",
    "stale-revision",
    "invalid-arguments",
    "outcome-unknown",
    "approval-mismatch",
    "audit-unavailable",
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(faults=st.sets(st.sampled_from(ORDER)))
def test_the_first_fault_in_order_is_the_answer(tmp_path_factory: pytest.TempPathFactory, faults: set[str]) -> None:
    """G06: whatever speaks against a call at once, the reasons have one order, and nothing is sent."""
    sink, server = Memory(), Server()
    plan = plan_of(
        tmp_path_factory.mktemp("order"),
        tool("gh", "put", side_effect=WRITE, schema=SCHEMA),
        tool("zz", "look"),
        sink=sink,
        profiles=[profile("out", ["zz/look"])],
    )
    session = plan.session("out" if "not-in-profile" in faults else None)
    if "not-inspected" not in faults and "not-in-profile" not in faults:
        inspected(session, "gh", "put")
    good = {"id": "1"}
    planned = plan.servers["gh"]
    from mcpexpose.host.arguments import Arguments, read

    arguments = read(good, 1000)
    assert isinstance(arguments, Arguments)
    bound = Bound.of("gh", planned.transport, "put", planned.revision, arguments.digest)
    plan.runtime.ledger.grant(replace(bound, digest="other") if "approval-mismatch" in faults else bound, "r", "t")
    if "outcome-unknown" in faults:
        plan.runtime.ledger.begin(bound, "r", "t", approval=False)
    if "unknown-tool" in faults:
        session.set_available("gh", False)
    if "stale-revision" in faults:
        plan.list_changed("gh")
    sink.fails = "audit-unavailable" in faults
    given_ = {"id": 1} if "invalid-arguments" in faults else good
    outcome = run(session.call(("gh", "put"), given_, through=server))
    expected = next((fault for fault in ORDER if fault in faults), None)
    assert outcome.outcome == (f"refused:{expected}" if expected else "ok")
    assert len(server.calls) == (0 if expected else 1)
    if expected:  # a refused call uses no approval up
        assert len(plan.runtime.ledger.requests()) == 1


def test_no_event_no_write(plan: HostPlan, sink: Memory) -> None:
    """G12: what may change something waits for its event; a reader does not; the approval is still good afterwards."""
    session, server = plan.session(), Server()
    handle, reader = inspected(session, "gh", "put"), inspected(session, "gh", "get")
    session.approve(handle, {"id": "1"})
    sink.fails = True
    assert run(session.call(handle, {"id": "1"}, through=server)).outcome == "refused:audit-unavailable"
    assert reason(session.check(handle, {"id": "1"})) == "audit-unavailable"
    assert run(session.call(reader, {"id": "1"}, through=server)).outcome == "ok"
    sink.fails = False
    assert run(session.call(handle, {"id": "1"}, through=server)).outcome == "ok"
    assert [call.tool for call in server.calls] == ["get", "put"]


def test_no_ledger_no_write(tmp_path: Path) -> None:
    """A record that cannot be kept refuses what may change something."""
    (tmp_path / "runs.sqlite").mkdir()
    session, server = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), tool("gh", "get")).session(), Server()
    outcome = run(session.call(inspected(session, "gh", "put"), {}, approve=yes, through=server))
    assert outcome.outcome == "refused:audit-unavailable"
    assert run(session.call(inspected(session, "gh", "get"), {}, through=server)).outcome == "ok"
    assert len(server.calls) == 1


def test_a_pattern_that_runs_away_refuses(plan: HostPlan) -> None:
    """validation-timeout is no fault of the arguments: the inspection stays."""
    session = plan.session()
    handle = inspected(session, "gh", "get")
    bad = {"id": "1", "s": "a" * 40 + "!"}
    assert reason(session.check(handle, bad)) == "validation-timeout"
    assert reason(session.check(handle, {"id": "1"})) == "Allow"


def test_a_route_grants_nothing(plan: HostPlan, sink: Memory) -> None:
    """G17: recorded, and the same refusals."""
    session = plan.session(route="gateway-7")
    outcome = run(session.call(inspected(session, "gh", "put"), {"id": "1"}, through=Server(OK)))
    assert outcome.outcome == "refused:approval-required"
    assert {event.gateway_route for event in sink.events} == {"gateway-7"}
