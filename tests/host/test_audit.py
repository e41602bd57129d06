"""Events: facts alone, one a line, there before the answer."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcpexpose import Event, FileSink, Inspection, LoggerSink
from mcpexpose.host.audit import line
from mcpexpose.model.policy import SideEffect
from tests.builders import profile, tool
from tests.host.running import Memory, Server, plan_of, run, yes

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "event.schema.json").read_text("utf-8"))
EVENT = Event("call", "2026-11-30T12:00:00Z", "run-1", server="gh", tool="put", outcome="ok")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in path.read_text("ascii").splitlines()]


def test_every_step_leaves_its_facts_and_no_content(tmp_path: Path) -> None:
    """G12: search, inspect, check, approve, call; no query, argument, result or path; each as the schema has it."""
    path = tmp_path / "events.jsonl"
    plan = plan_of(
        tmp_path,
        tool("gh", "put", "Put it", side_effect=SideEffect.WRITE),
        sink=FileSink(path),
        profiles=[profile("job", ["gh/put"])],
    )
    session = plan.session("job", run_id="run-7", route="gw")
    session.find_tools("put for jane@example.com")
    session.find_tools("")
    found = session.inspect("gh", "put")
    assert isinstance(found, Inspection)
    session.approve(found, {"sku": "SENTINEL-ARG"})
    server = Server({"content": [{"type": "text", "text": "SENTINEL-RESULT"}]})
    run(session.call(found, {"sku": "SENTINEL-ARG"}, through=server))
    session.inspect("jane@example.com", "x y")
    session.inspect("gh", "no_such")
    events = lines(path)
    assert [(each["event"], each["outcome"]) for each in events] == [
        ("load", "ok"),
        ("search", "ok"),
        ("search", "search-query-empty"),
        ("inspect", "ok"),
        ("approve", "granted"),
        ("check", "allowed"),
        ("call", "ok"),
        ("inspect", "refused:unknown-tool"),
        ("inspect", "refused:unknown-tool"),
    ]
    for event in events:
        Draft202012Validator(SCHEMA).validate(event)
        assert (event["run_id"], event["query_class"], event["gateway_route"]) == ("run-7", "job", "gw")
    call = events[6]
    assert (call["server"], call["tool"], call["revision"]) == ("gh", "put", found.revision)
    assert (call["policy_state"], call["side_effect"], call["exposure"]) == ("approval_required", "write", "deferred")
    assert call["latency_ms"] >= 0
    assert events[1]["candidates"] == 1
    assert "server" not in events[7]
    assert events[8]["tool"] == "no_such"
    text = path.read_text()
    for word in ("SENTINEL", "jane", str(tmp_path)):
        assert word not in text


def test_the_file_is_its_owners_and_survives_rotation(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "events.jsonl"
    sink = FileSink(path, fsync="always")
    sink.write(EVENT, effects=True)
    assert path.stat().st_mode & 0o777 == 0o600
    path.rename(tmp_path / "events.1")
    sink.write(EVENT, effects=True)
    assert len(lines(path)) == len(lines(tmp_path / "events.1")) == 1
    path.unlink()
    sink.write(EVENT, effects=False)
    assert len(lines(path)) == 1
    sink.close()


def test_a_line_that_was_cut_short_spoils_no_other(tmp_path: Path) -> None:
    """A crash or a full disk in the middle of a line."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"event":"call","at":"2026-11-30T12:00')
    sink = FileSink(path)
    sink.write(EVENT, effects=True)
    sink.close()
    torn, whole = path.read_bytes().splitlines()
    assert json.loads(whole)["run_id"] == "run-1"
    assert torn.startswith(b'{"event"')


@pytest.fixture
def full() -> Path:
    path = Path("/dev/full")
    if not path.exists():
        pytest.skip("the system has no full device")
    return path


def test_a_full_disk_refuses_writers(tmp_path: Path, full: Path) -> None:
    """A sink that cannot write refuses what has side effects, and nothing else."""
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=SideEffect.WRITE), tool("gh", "get"), sink=FileSink(full))
    session, server = plan.session(), Server()
    put, get = session.inspect("gh", "put"), session.inspect("gh", "get")
    assert run(session.call(put, {}, approve=yes, through=server)).outcome == "refused:audit-unavailable"
    assert run(session.call(get, {}, through=server)).outcome == "ok"


def test_a_logger_takes_events_too(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "mcpexpose.events"):
        LoggerSink().write(EVENT, effects=False)
    (record,) = caplog.records
    assert json.loads(record.getMessage()) == json.loads(line(EVENT))
    assert record.event["tool"] == "put"  # type: ignore[attr-defined]


def test_the_event_is_there_before_the_answer(tmp_path: Path) -> None:
    """Whoever has the answer finds the event."""
    sink = Memory()
    session = plan_of(tmp_path, tool("gh", "get"), sink=sink).session()
    found = session.inspect("gh", "get")

    async def main() -> None:
        await session.call(found, {}, through=Server())
        assert sink.events[-1].event == "call"

    run(main())
