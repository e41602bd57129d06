"""Calls: sent once, ended in time, and what becomes of what comes back."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import (
    Completed,
    ConnectionLost,
    Failed,
    HostPlan,
    Inspection,
    Ledger,
    NotSent,
    Quarantined,
    ServerError,
    Unknown,
)
from mcpexpose.model.calling import ResultTooLarge, ResultUnreadable
from mcpexpose.model.policy import SideEffect
from tests.builders import tool
from tests.host.running import Memory, Server, hurried, plan_of, run, yes

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose import Carried

WRITE = SideEffect.WRITE
OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@pytest.fixture
def sink() -> Memory:
    return Memory()


@pytest.fixture
def plan(tmp_path: Path, sink: Memory) -> HostPlan:
    def small(done: Any) -> Any:
        return replace(done, plan=replace(done.plan, limits=replace(done.plan.limits, result_max_bytes=1000)))

    return plan_of(
        tmp_path,
        tool("gh", "get"),
        tool("gh", "put", side_effect=WRITE),
        tool("gh", "count", outputSchema=OUTPUT),
        sink=sink,
        change=small,
    )


def handle(plan: HostPlan, name: str) -> tuple[Any, Inspection]:
    session = plan.session()
    found = session.inspect("gh", name)
    assert isinstance(found, Inspection)
    return session, found


def call(plan: HostPlan, name: str, answer: Any, **options: Any) -> Any:
    session, found = handle(plan, name)
    return hurried(session.call(found, {}, through=Server(answer), approve=yes, **options))


def content(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


async def hang(carried: Carried) -> Any:
    await asyncio.Event().wait()


# what comes back


def test_a_result_comes_whole(plan: HostPlan, sink: Memory) -> None:
    """G07: numbers as they were, control characters gone, the event before the answer."""
    result = {
        **content("a\x1b[31mred\x1b[0m\x00\u202eb\n\tc"),
        "structuredContent": {"id": 1972435959496572928, "f": 1.5},
    }
    outcome = call(plan, "get", result)
    assert isinstance(outcome, Completed)
    assert outcome.text == "aredb\n\tc"
    assert outcome.result["structuredContent"] == {"id": 1972435959496572928, "f": 1.5}
    assert sink.told("call") == ["ok"]
    assert "1972435959496572928" not in repr(outcome)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [], "structuredContent": {"n": "3"}},
        {"content": [], "structuredContent": {"n": True}},
        {"content": [], "structuredContent": {"n": 3, "x": 1}},
        {"content": [], "structuredContent": None},
        {"content": [{"type": "text", "text": '{"n": 1}'}]},
        {"structuredContent": {"n": 1}},
        {"content": ["text"], "structuredContent": {"n": 1}},
        {"content": [{"type": "text"}], "structuredContent": {"n": 1}},
        {"content": [{"type": "image", "data": "x"}], "structuredContent": {"n": 1}},
        {"content": [], "structuredContent": {"n": 1}, "isError": "no"},
        {"content": [{"type": "resource", "resource": {"uri": "x:y"}}], "structuredContent": {"n": 1}},
        {"content": [{"type": "resource", "resource": {"text": "x"}}], "structuredContent": {"n": 1}},
        {"content": [{"type": "resource", "resource": {"uri": "x:y", "text": 5}}], "structuredContent": {"n": 1}},
        [], None, "text", 3,
    ],
)  # fmt: skip
def test_what_does_not_fit_is_withheld(plan: HostPlan, sink: Memory, result: Any) -> None:
    """G07: nothing of it reaches the model; the answer names server and revision."""
    outcome = call(plan, "count", result)
    assert isinstance(outcome, Quarantined)
    assert outcome.outcome == "quarantined:result-malformed"
    assert plan.servers["gh"].revision in outcome.text
    assert "gh" in outcome.text
    assert sink.told("call") == ["quarantined:result-malformed"]


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), "\ud800", nested(100_000), object(), {1: 2}])
def test_what_is_no_json_is_withheld(plan: HostPlan, odd: Any) -> None:
    """NaN, lone surrogates, endless nesting, other types: none of them raises."""
    outcome = call(plan, "get", {"content": [], "structuredContent": {"odd": odd}})
    assert isinstance(outcome, Quarantined)
    assert outcome.reason == "result-malformed"


def test_the_budget_counts_bytes_of_the_whole_result(plan: HostPlan, sink: Memory) -> None:
    """G15: UTF-8, blobs and structured content too; under it whole and unchanged."""
    assert call(plan, "get", content("→" * 300)).text == "→" * 300
    for big in (
        content("→" * 400),
        content("x", structuredContent={"s": "s" * 1000}),
        {"content": [{"type": "resource", "resource": {"uri": "x:y", "blob": "A" * 1000}}]},
        content("x", _meta={"a": "b" * 1000}),
    ):
        outcome = call(plan, "get", big)
        assert isinstance(outcome, Quarantined)
        assert outcome.outcome == "quarantined:result-too-large"
        assert outcome.size == len(json.dumps(big, ensure_ascii=False, separators=(",", ":")).encode())
        assert "→" not in outcome.text
    assert sink.events[-1].size_bytes == outcome.size
    assert sink.events[-1].limit_bytes == 1000


def test_fifty_megabytes(plan: HostPlan) -> None:
    outcome = call(plan, "get", content("row of a table\n" * 3_400_000))
    assert isinstance(outcome, Quarantined)
    assert len(outcome.text) < 1000


def test_a_reducer_shortens_what_is_valid(plan: HostPlan) -> None:
    """G15: it sees the whole valid result; what it gives keeps the budget."""
    seen: list[int] = []

    def shorten(result: dict[str, Any]) -> dict[str, Any]:
        seen.append(len(result["content"][0]["text"]))
        return content("short")

    async def later(result: dict[str, Any]) -> dict[str, Any]:
        return content("later")

    assert call(plan, "get", content("x" * 5000), reduce=shorten).text == "short"
    assert call(plan, "get", content("x" * 5000), reduce=later).text == "later"
    assert (
        call(plan, "get", content("x" * 5000), reduce=lambda result: result).outcome == "quarantined:result-too-large"
    )
    assert call(plan, "get", content("x" * 5000), reduce=lambda result: "no").outcome == "quarantined:result-malformed"
    assert call(plan, "get", content("x"), reduce=lambda result: 1 / 0).outcome == "quarantined:result-malformed"
    assert call(plan, "count", content("x"), reduce=shorten).outcome == "quarantined:result-malformed"
    assert seen == [5000]


def test_an_error_is_kept_apart(plan: HostPlan) -> None:
    """`isError`: the server's text within the budget, credentials struck out, no schema held against it."""
    token = "ghp_" + "a1B2c3D4" * 5
    outcome = call(plan, "count", content(f"city unknown, token {token}\x1b[2J", isError=True))
    assert isinstance(outcome, Failed)
    assert outcome.outcome == "tool-error"
    assert "city unknown" in outcome.text
    assert token not in outcome.text + json.dumps(outcome.result)
    long = call(plan, "get", content("x" * 5000, isError=True))
    assert long.outcome == "tool-error"
    assert len(json.dumps(long.result)) <= 1000


def test_a_protocol_error_is_an_answer(plan: HostPlan) -> None:
    """Nothing is open after it; its text is cut and cleaned."""
    outcome = call(plan, "put", ServerError(-32000 - 99, "password=hunter2secret " + "y" * 5000))
    assert isinstance(outcome, Failed)
    assert (outcome.outcome, outcome.code) == ("tool-error", -32099)
    assert "hunter2secret" not in outcome.text
    assert len(outcome.text) < 1200
    assert plan.runtime.ledger.open_runs() == ()


def test_invalid_params_void_and_stale(plan: HostPlan) -> None:
    """G09: the server does not know the arguments, so our definition is not current."""
    session, found = handle(plan, "get")
    outcome = run(session.call(found, {}, through=Server(ServerError(-32602, "Unknown tool"))))
    assert outcome.outcome == "tool-error"
    assert plan.freshness("gh").reason == "invalid-arguments"
    assert run(session.call(found, {}, through=Server())).outcome == "refused:not-inspected"
    again = session.inspect("gh", "get")
    assert run(session.call(again, {}, through=Server())).outcome == "refused:stale-revision"


def test_evidence_is_kept_only_where_it_was_asked_for(tmp_path: Path) -> None:
    """G16: its own folder, for its owner alone; never in the events."""
    sink = Memory()
    folder = tmp_path / "evidence"
    plan = plan_of(tmp_path, tool("gh", "count", outputSchema=OUTPUT), sink=sink, evidence=folder)
    outcome = call(plan, "count", content("SENTINEL"))
    assert isinstance(outcome, Quarantined)
    assert outcome.kept is not None
    kept = folder / outcome.kept
    assert json.loads(kept.read_bytes()) == content("SENTINEL")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "SENTINEL" not in repr(sink.events) + outcome.text
    other = plan_of(tmp_path, tool("gh", "count", outputSchema=OUTPUT))
    assert call(other, "count", content("SENTINEL")).kept is None


def test_what_the_sdk_gives_is_taken(plan: HostPlan) -> None:
    """A host that carries calls with the SDK hands its own object over."""
    import mcp_types

    made = mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text="hi")])
    assert call(plan, "get", made).text == "hi"


# what does not come back


def test_a_reader_that_is_silent_timed_out(plan: HostPlan) -> None:
    """G11: a state of its own; it may be called again."""
    outcome = call(plan, "get", hang)
    assert isinstance(outcome, Failed)
    assert outcome.outcome == "timed-out"
    assert call(plan, "get", {"content": []}).outcome == "ok"


@pytest.mark.parametrize(
    "answer", [hang, ConnectionLost("x"), TimeoutError(), ConnectionResetError(), RuntimeError("?")]
)
def test_a_writer_that_is_silent_is_unknown(plan: HostPlan, sink: Memory, answer: Any) -> None:
    """G11: an equal call is refused until somebody settles it; another one is not; nothing is sent twice."""
    session, found = handle(plan, "put")
    server = Server(answer)
    outcome = hurried(session.call(found, {"sku": "A"}, through=server, approve=yes))
    assert isinstance(outcome, Unknown)
    assert "failed" not in outcome.text
    assert sink.told("call")[-1] == "unknown-completion"
    server.answer = {"content": []}
    for arguments in ({"sku": "A"}, '{ "sku": "A" }'):
        refused = run(session.call(found, arguments, through=server, approve=yes))
        assert refused.outcome == "refused:outcome-unknown"
    assert run(session.call(found, {"sku": "B"}, through=server, approve=yes)).outcome == "ok"
    assert len(server.calls) == 2
    (left,) = Ledger(plan.runtime.ledger.path).open_runs()
    assert (left.key, left.server, left.tool, left.state) == (outcome.key, "gh", "put", "unknown")
    assert session.settle(found, {"sku": "A"}, "not-completed")
    assert not session.settle(found, {"sku": "A"}, "not-completed")
    assert run(session.call(found, {"sku": "A"}, through=server, approve=yes)).outcome == "ok"
    assert sink.told("settle") == ["not-completed"]


def test_what_was_never_sent_is_not_open(plan: HostPlan) -> None:
    outcome = call(plan, "put", NotSent("no connection"))
    assert isinstance(outcome, Failed)
    assert outcome.outcome == "not-sent"
    assert plan.runtime.ledger.open_runs() == ()
    session, found = handle(plan, "get")
    assert run(session.call(found, {})).outcome == "not-sent"


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ResultTooLarge("x"), "result-too-large"), (ResultUnreadable("x"), "result-malformed")],
)
def test_an_answer_that_cannot_be_read_is_an_answer(plan: HostPlan, error: Exception, reason: str) -> None:
    """The call was carried out, so nothing is open."""
    outcome = call(plan, "put", error)
    assert isinstance(outcome, Quarantined)
    assert outcome.reason == reason
    assert plan.runtime.ledger.open_runs() == ()


def test_progress_renews_the_limit(plan: HostPlan) -> None:
    """It may go on for longer than the limit as long as it says so, and not for ever."""

    async def slow(carried: Carried) -> Any:
        for _ in range(5):
            await asyncio.sleep(carried.timeout_s * 0.6)
            reports = threading.Thread(target=carried.progress)
            reports.start()
            reports.join()
        return {"content": []}

    assert call(plan, "get", slow).outcome == "ok"

    async def endless(carried: Carried) -> Any:
        while True:
            await asyncio.sleep(carried.timeout_s / 4)
            carried.progress()

    assert call(plan, "get", endless).outcome == "timed-out"


def test_a_cancelled_writer_stays_open(plan: HostPlan, sink: Memory) -> None:
    """Cancellation says nothing about what the server did."""

    async def main(name: str) -> None:
        session, there = plan.session(), asyncio.Event()

        async def hang(carried: Carried) -> Any:
            there.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(session.call(session.inspect("gh", name), {}, through=hang, approve=yes))
        await there.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main("get"))
    assert plan.runtime.ledger.open_runs() == ()
    run(main("put"))
    assert [each.state for each in plan.runtime.ledger.open_runs()] == ["unknown"]
    assert sink.told("call") == ["cancelled", "unknown-completion"]


def test_a_plain_function_carries_too(plan: HostPlan) -> None:
    """In a thread, so that nobody else waits."""
    session, found = handle(plan, "get")
    here = threading.get_ident()
    there: list[int] = []

    def carry(carried: Carried) -> Any:
        there.append(threading.get_ident())
        return {"content": []}

    assert run(session.call(found, {}, through=carry)).outcome == "ok"
    assert there != [here]


def test_equal_writes_at_once_are_sent_once(tmp_path: Path) -> None:
    """200 calls from 20 threads: of equal ones one is under way, and the rest is refused."""
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), timeout_s=60)
    counted: dict[str, int] = {}
    lock = threading.Lock()

    async def work(carried: Carried) -> Any:
        with lock:
            counted[carried.arguments["sku"]] = counted.get(carried.arguments["sku"], 0) + 1
        await asyncio.sleep(0.05)
        raise ConnectionLost("gone")

    outcomes: list[str] = []

    def thread(number: int) -> None:
        async def main() -> None:
            session = plan.session()
            found = session.inspect("gh", "put")
            assert isinstance(found, Inspection)
            calls = [session.call(found, {"sku": str(n)}, through=work, approve=yes) for n in range(10)]
            for outcome in await asyncio.gather(*calls):
                with lock:
                    outcomes.append(outcome.outcome)

        asyncio.run(main())

    threads = [threading.Thread(target=thread, args=(n,)) for n in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert counted == {str(n): 1 for n in range(10)}
    assert outcomes.count("unknown-completion") == 10
    assert outcomes.count("refused:outcome-unknown") == 190
