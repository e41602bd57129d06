"""What a host that embeds the library leans on: nothing raised for what models do, nothing lost on the way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import Approval, Connections, Inspection, NotSent, PolicyState, Refused, Runtime
from mcpexpose.model.policy import Exposure, SideEffect
from tests.builders import compiled, profile, tool
from tests.host.running import OK, Memory, Server, plan_of, run, yes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mcpexpose import HostPlan
    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.plan import Compiled

WRITE, DIRECT = SideEffect.WRITE, Exposure.DIRECT
REFUSED = "refused:audit-unavailable"
HUGE = 10**5_000


def names(session: Any) -> list[str]:
    return [each["name"] for each in session.declared()]


def asking(server: str, name: str) -> Any:
    """A tool that only reads, and that somebody has to approve."""
    planned, line = tool(server, name)
    return replace(planned, approval=Approval.ASK, policy_state=PolicyState.APPROVAL_REQUIRED), line


# approvals and events


def test_a_reader_keeps_its_approval_where_nothing_was_sent(tmp_path: Path) -> None:
    """G06: a call that never left used nothing up, whether or not it could have changed something."""
    session = plan_of(tmp_path, asking("gh", "get")).session()
    handle = session.inspect("gh", "get")
    session.approve(handle, {})
    assert run(session.call(handle, {}, through=Server(NotSent("no connection")))).outcome == "not-sent"
    assert run(session.call(handle, {}, through=Server())).outcome == "ok"
    assert run(session.call(handle, {}, through=Server())).outcome == "refused:approval-required"


def test_a_reader_that_nobody_answered_used_its_approval_up(tmp_path: Path) -> None:
    session = plan_of(tmp_path, asking("gh", "get")).session()
    handle = session.inspect("gh", "get")
    session.approve(handle, {})
    assert run(session.call(handle, {}, through=Server(ConnectionError()))).outcome == "timed-out"
    assert run(session.call(handle, {}, through=Server())).outcome == "refused:approval-required"
    assert session.plan.runtime.ledger.open_runs() == ()


def test_readers_crowd_no_write_out_of_the_late_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """G12: the record of a call that may have changed something waits for as long as there is no room for it."""
    monkeypatch.setattr("mcpexpose.host.runtime._LATE", 5)
    sink = Memory()
    session = plan_of(tmp_path, tool("gh", "get"), tool("gh", "put", side_effect=WRITE), sink=sink).session()
    get, put = session.inspect("gh", "get"), session.inspect("gh", "put")

    def fill(carried: Any) -> Any:
        sink.fails = True
        return OK

    assert run(session.call(put, {}, approve=yes, through=Server(fill))).outcome == "ok"
    for number in range(9):
        assert run(session.call(get, {}, through=Server())).outcome == "ok"
        assert run(session.call(put, {"n": number}, approve=yes, through=Server())).outcome == REFUSED
    sink.fails = False
    session.inspect("gh", "get")
    assert next(event.outcome for event in sink.events if event.event == "call" and event.tool == "put") == "ok"


@pytest.mark.parametrize(
    ("code", "message", "outcome"),
    [
        (-32000, "Connection closed", "unknown-completion"),
        (-32001, "Request 'tools/call' timed out", "unknown-completion"),
        (-32603, "Server returned an error response", "unknown-completion"),
        (-32600, "Unexpected content type: text/html", "unknown-completion"),
        (-32600, "server answered a request with 202 Accepted", "unknown-completion"),
        (-32700, "Failed to parse JSON response: no", "unknown-completion"),
        (-32603, "no stock", "tool-error"),
        (-32600, "not that way", "tool-error"),
    ],
)
def test_what_a_hosts_own_sdk_client_makes_up_is_no_answer(
    tmp_path: Path, code: int, message: str, outcome: str
) -> None:
    """G11: a gateway that gave up, a page, a 202: the SDK puts an error of its own in the place of an answer."""
    from mcp import MCPError

    session = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE)).session()
    handle = session.inspect("gh", "put")
    server = Server(MCPError(code=code, message=message))
    assert run(session.call(handle, {}, approve=yes, through=server)).outcome == outcome


def test_a_hint_of_idempotence_opens_no_second_call(tmp_path: Path) -> None:
    """G11: what the server or the config says of repeating settles nothing; somebody has to look."""
    planned, line = tool("gh", "put", side_effect=WRITE, annotations={"idempotentHint": True})
    session = plan_of(tmp_path, (replace(planned, idempotent=True), line)).session()
    handle, server = session.inspect("gh", "put"), Server(ConnectionError())
    assert run(session.call(handle, {"n": 1}, approve=yes, through=server)).outcome == "unknown-completion"
    assert run(session.call(handle, '{"n": 1.0}', approve=yes, through=server)).outcome == "refused:outcome-unknown"
    assert len(server.calls) == 1
    assert session.settle(handle, {"n": 1}, "not-completed")
    assert run(session.call(handle, {"n": 1}, approve=yes, through=Server())).outcome == "ok"


def test_an_event_has_the_facts_that_its_call_was_made_under(tmp_path: Path) -> None:
    """G12: another plan takes over while a call is under way, with another revision, class or without the tool."""
    for number, others in enumerate((tool("gh", "put"), tool("gh", "other"))):
        sink = Memory()
        plan = plan_of(tmp_path / str(number), tool("gh", "put", side_effect=WRITE), sink=sink)
        session = plan.session()

        def take_over(carried: Any, plan: HostPlan = plan, others: Any = others) -> Any:
            plan.succeed(compiled(others, tool("gh", "more")))
            return OK

        handle = session.inspect("gh", "put")
        outcome = run(session.call(handle, {}, approve=yes, through=Server(take_over)))
        assert outcome.outcome == "ok"
        assert session.plan is not plan
        told = next(event for event in sink.events if event.event == "call")
        assert (told.revision, told.tool, told.side_effect) == (outcome.revision, "put", "write")


# sessions that go on


def test_a_resumed_session_declares_what_it_did(tmp_path: Path) -> None:
    """F06, G13: a plan took over in between, with other direct tools; the list is the same after a resume."""

    def recompile(catalogs: Mapping[str, Catalog]) -> Compiled:
        return compiled(
            tool("gh", "get"), tool("gh", "aaa", exposure=DIRECT), tool("zz", "look", "Look around", exposure=DIRECT)
        )

    async def refresh(server: str) -> list[dict[str, Any]]:
        return [{"name": "aaa"}, {"name": "get"}]

    plan = plan_of(
        tmp_path,
        tool("gh", "get", exposure=DIRECT),
        tool("zz", "look", "Look around"),
        refresh=refresh,
        recompile=recompile,
    )
    session = plan.session()
    session.find_tools("look around")
    before = names(session)
    plan.list_changed("gh")
    assert run(plan.refresh("gh"))
    assert names(session) == [*before, "gh__aaa"] == ["find_tools", "gh__get", "zz__look", "gh__aaa"]
    kept = json.loads(json.dumps(session.state()))
    for again in (plan.session(state=kept), plan.newest.session(state=kept)):
        assert names(again) == names(session)
        assert again.state() == session.state()


def test_a_search_tool_that_comes_later_comes_last(tmp_path: Path) -> None:
    """G13: a plan with nothing to search for is followed by one that has; what stood first stays first."""

    def recompile(catalogs: Mapping[str, Catalog]) -> Compiled:
        return compiled(tool("gh", "get", exposure=DIRECT), tool("gh", "new", "Brand new"), tool("gh", "newer"))

    async def refresh(server: str) -> list[dict[str, Any]]:
        return [{"name": "get"}, {"name": "new"}, {"name": "newer"}]

    plan = plan_of(tmp_path, tool("gh", "get", exposure=DIRECT), refresh=refresh, recompile=recompile)
    session = plan.session()
    assert names(session) == ["gh__get"]
    state = session.state()
    plan.list_changed("gh")
    assert run(plan.refresh("gh"))
    assert names(session) == ["gh__get", "find_tools"]
    session.find_tools("brand new", 1)
    assert names(session) == ["gh__get", "find_tools", "gh__new"]
    assert names(plan.newest.session(state=session.state())) == names(session)
    assert names(plan.newest.session(state=state)) == ["gh__get", "find_tools"]
    assert names(plan.newest.session()) == ["find_tools", "gh__get"]


def test_a_newer_bundle_puts_nothing_in_between(load: Callable[..., HostPlan], plan: HostPlan) -> None:
    """G13: what became direct comes last, what is not direct any more was declared, and stays."""
    session = plan.session()
    session.find_tools("job logs", 1)
    state = session.state()
    newer = load(
        compiled(
            tool("aa", "first", "Comes first by name", exposure=DIRECT),
            tool("ci", "get_job_logs", "Read the logs of a job", exposure=DIRECT),
            tool("gh", "get_issue", "Read one issue"),
            tool("zz", "status", "Health of all services", exposure=DIRECT),
        )
    )
    assert names(newer.session(state=state)) == [*names(session), "aa__first"]
    assert names(newer.session()) == ["find_tools", "aa__first", "ci__get_job_logs", "zz__status"]


def test_another_profile_or_another_choice_begins_anew(plan: HostPlan) -> None:
    """G05: what a profile that is given beside a state declares is what counts, not what was declared before it."""
    state = plan.session(tools=["gh/create_issue"]).state()
    assert names(plan.session(profile="ci", state=state)) == ["find_tools", "ci__get_job_logs", "zz__status"]
    assert names(plan.session(tools=[], state=state)) == ["find_tools", "gh__get_issue", "zz__status"]


def test_a_state_from_before_is_read(plan: HostPlan) -> None:
    """States that hosts stored when there was no `first` in them."""
    session = plan.session(tools=["gh/create_issue"])
    old = {key: value for key, value in session.state().items() if key not in ("first", "has_search")}
    assert names(plan.session(state=old)) == names(session)


def test_what_a_state_says_was_first_lifts_nothing(plan: HostPlan) -> None:
    """X04"""
    state = plan.session("read").state()
    made = state | {"first": ["bank/transfer", "/", "ci/retry_job", *state["first"], *state["first"]]}
    assert names(plan.session(state=made)) == names(plan.session("read"))


# what a model may do


def test_what_inspect_refused_call_refuses_too(tmp_path: Path) -> None:
    """A host that hands on what `inspect` gave needs no branch, and gets one and the same answer."""
    plan = plan_of(tmp_path, tool("gh", "get"), tool("zz", "look"), profiles=[profile("p", ["gh/get"])])
    session, server = plan.session("p"), Server()
    for pair, reason in ((("gh", "no_such"), "unknown-tool"), (("zz", "look"), "not-in-profile")):
        refused = session.inspect(*pair)
        assert isinstance(refused, Refused)
        outcome = run(session.call(refused, "{", through=server))
        assert outcome == session.check(refused, {}) == refused
        assert outcome.reason == reason
    assert server.calls == []


@pytest.mark.parametrize("given", [{"n": HUGE}, '{"n": ' + "9" * 5_000 + "}"], ids=["value", "text"])
def test_an_endless_number_is_told(tmp_path: Path, given: Any) -> None:
    """A number of thousands of digits is refused for what it is, and goes nowhere."""
    session, server = plan_of(tmp_path, tool("gh", "get")).session(), Server()
    outcome = run(session.call(session.inspect("gh", "get"), given, through=server))
    assert outcome.outcome == "refused:invalid-arguments"
    assert "thousands of digits" in outcome.text
    assert server.calls == []


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("0.1", 0.1),
        ("0.10000000000000001", 0.1),
        ("-0.30000000000000004", -0.30000000000000004),
        ("1.50000000000000000000000", 1.5),
        ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
        ("9007199254740993", 9007199254740993),
        ("3.141592653589793238", None),
        ("12345678901234567890.5", None),
        ("9007199254740993.0", None),
        ("9007199254740994.0", 9007199254740994.0),
        ("1.2345678901234568e+18", 1.2345678901234568e18),
        ("90071992547409930.1e-1", None),
    ],
)
def test_a_number_is_sent_as_it_was_written_or_not_at_all(tmp_path: Path, written: str, sent: Any) -> None:
    """No number is changed on the way: digits that would be lost are told, those that any float has are not."""
    session, server = plan_of(tmp_path, tool("gh", "get")).session(), Server()
    outcome = run(session.call(session.inspect("gh", "get"), f'{{"n": {written}}}', through=server))
    if sent is None:
        assert (outcome.outcome, server.calls) == ("refused:invalid-arguments", [])
        assert "at most 17 digits" in outcome.text
    else:
        assert server.calls[0].arguments == {"n": sent}


def test_an_endless_number_in_a_result_is_told_in_our_words(tmp_path: Path) -> None:
    """G07: nothing of Python, and nothing of the value."""
    session = plan_of(tmp_path, tool("gh", "get")).session()
    answer = {"content": [], "structuredContent": {"n": HUGE}}
    outcome = run(session.call(session.inspect("gh", "get"), {}, through=Server(answer)))
    assert outcome.outcome == "quarantined:result-malformed"
    assert "set_int_max_str_digits" not in outcome.text
    assert "a number that cannot be written" in outcome.text


def test_a_change_that_is_heard_after_the_end_is_no_fault(tmp_path: Path) -> None:
    """A host that shuts down hears servers until the last: they are stale, and nothing is raised."""
    plan = plan_of(tmp_path, tool("gh", "get"), connections=Connections())
    plan.runtime.close()
    plan.list_changed("gh")
    assert plan.freshness("gh").state == "stale"
    session = plan.session()
    assert run(session.call(session.inspect("gh", "get"), {})).outcome == "refused:stale-revision"


# what went wrong in the host itself


def test_the_hosts_own_faults_are_logged_without_their_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A carrier or a reducer that falls over looks like a lost connection or a bad result: the log says what it was."""
    session = plan_of(tmp_path, tool("gh", "get")).session()
    handle = session.inspect("gh", "get")

    def falls_over(given: Any) -> Any:
        raise KeyError("secret-argument")

    assert run(session.call(handle, {}, through=falls_over)).outcome == "timed-out"
    assert run(session.call(handle, {}, through=Server(), reduce=falls_over)).outcome == "quarantined:result-malformed"
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len([line for line in said if "KeyError" in line]) == 2
    assert not any("secret-argument" in line for line in said)


def test_a_record_that_cannot_be_kept_is_named_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What is refused as audit-unavailable for the ledger's sake sends nobody to look at the events."""
    (tmp_path / "file").write_text("")
    runtime = Runtime(ledger=tmp_path / "file" / "runs.sqlite")
    session = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=runtime).session()
    outcome = run(session.call(session.inspect("gh", "put"), {}, approve=yes, through=Server()))
    assert outcome.outcome == "refused:audit-unavailable"
    assert str(tmp_path) not in outcome.text
    assert any(str(runtime.ledger.path) in record.getMessage() for record in caplog.records)


# making a runtime


def test_a_path_stands_for_a_file(tmp_path: Path) -> None:
    """A path where a file is enough: events, open calls and evidence."""
    runtime = Runtime(audit=str(tmp_path / "events.jsonl"), ledger=tmp_path / "runs.sqlite", evidence=tmp_path / "kept")
    session = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=runtime).session()
    handle = session.inspect("gh", "put")
    assert isinstance(handle, Inspection)
    assert run(session.call(handle, {}, approve=yes, through=Server({}))).outcome == "quarantined:result-malformed"
    runtime.close()
    assert (tmp_path / "events.jsonl").stat().st_mode & 0o777 == 0o600
    assert '"outcome":"quarantined:result-malformed"' in (tmp_path / "events.jsonl").read_text()
    assert (tmp_path / "runs.sqlite").is_file()
    assert len(list((tmp_path / "kept").iterdir())) == 1
