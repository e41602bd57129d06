"""Ways in which somebody tried to make the host lie, act twice, act on what is stale, forget, leak or hang."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import json
import logging
import os
import sqlite3
import threading
import time
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import (
    ApprovalQueue,
    ConnectionLost,
    HostPlan,
    Inspection,
    Ledger,
    LoggerSink,
    NotSent,
    Runtime,
    ServerError,
)
from mcpexpose.host import ledger as ledger_module
from mcpexpose.host.evidence import Evidence
from mcpexpose.model.policy import Approval, PolicyState, SideEffect
from mcpexpose.model.transport import Transport
from tests.builders import compiled, tool
from tests.host.running import OK, Memory, Server, plan_of, run, yes
from tests.work import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from mcpexpose.host.ledger import Bound, Request

WRITE = SideEffect.WRITE


def inspected(session: Any, name: str, server: str = "gh") -> Inspection:
    found = session.inspect(server, name)
    assert isinstance(found, Inspection)
    return found


class Slow(Ledger):
    """One whose disk takes its time: MEANWHILE happens while a call is written down."""

    meanwhile: Callable[[], Any] = staticmethod(lambda: None)

    def begin(self, bound: Bound, run_id: str, at: str, *, approval: bool) -> str:
        done = super().begin(bound, run_id, at, approval=approval)
        self.meanwhile()
        return done


class Wire:
    """Connections in name: a start during which MEANWHILE happens, and a server behind it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.meanwhile: Callable[[], Any] = lambda: None
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def open(self, server: str, transport: Transport) -> concurrent.futures.Future[None]:
        async def opening() -> None:
            self.meanwhile()

        return asyncio.run_coroutine_threadsafe(opening(), self.loop)

    def call(self, request: Any) -> concurrent.futures.Future[Any]:
        return asyncio.run_coroutine_threadsafe(self.server(request), self.loop)

    def list_tools(self, server: str, transport: Transport) -> concurrent.futures.Future[list[Any]]:
        async def listed() -> list[Any]:
            raise ConnectionLost("gone")

        return asyncio.run_coroutine_threadsafe(listed(), self.loop)

    def spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        asyncio.run_coroutine_threadsafe(work(), self.loop)

    def secrets(self, server: str) -> tuple[str, ...]:
        return ("tok-secret",)

    def close(self) -> None:
        async def end() -> None:
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
            self.loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join()
        self.loop.close()


# what is stale


def test_a_change_that_is_heard_while_the_server_starts(tmp_path: Path) -> None:
    """G08: the first thing that a started server may say is that its list is another one."""
    server = Server()
    wire = Wire(server)
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), connections=wire)
    wire.meanwhile = lambda: plan.list_changed("gh")
    session = plan.session()
    outcome = run(session.call(inspected(session, "put"), {}, approve=yes))
    assert outcome.outcome == "refused:stale-revision"
    assert server.calls == []
    assert plan.runtime.ledger.open_runs() == ()
    wire.close()


@pytest.mark.parametrize(("listed", "outcome"), [("put", "ok"), ("other", "refused:stale-revision")])
def test_a_server_that_says_so_whenever_it_starts(tmp_path: Path, listed: str, outcome: str) -> None:
    """G08, G14: it is asked for its list before the call is refused, once, as a stale one always is."""
    server, asked = Server(), []

    class Listing(Wire):
        def list_tools(self, server: str, transport: Transport) -> concurrent.futures.Future[list[Any]]:
            async def given() -> list[Any]:
                asked.append(server)
                return [{"name": listed}]

            return asyncio.run_coroutine_threadsafe(given(), self.loop)

    wire = Listing(server)
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), connections=wire)
    wire.meanwhile = lambda: plan.runtime.changed("gh")
    session = plan.session()
    handle = inspected(session, "put")
    session.approve(handle, {})
    assert run(session.call(handle, {})).outcome == outcome
    assert asked == ["gh"]
    assert len(server.calls) == (outcome == "ok")
    assert [each.state for each in plan.runtime.ledger.requests()] == ([] if outcome == "ok" else ["granted"])
    wire.close()


def test_a_change_that_is_heard_while_the_call_is_written_down(tmp_path: Path) -> None:
    """G08, G06: nothing is sent, nothing is open, and the approval was not used."""
    ledger = Slow(tmp_path / "runs.sqlite")
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=Runtime(ledger=ledger))
    session, server = plan.session(), Server()
    handle = inspected(session, "put")
    session.approve(handle, {})
    ledger.meanwhile = lambda: plan.list_changed("gh")
    assert run(session.call(handle, {}, through=server)).outcome == "refused:stale-revision"
    assert server.calls == []
    assert ledger.open_runs() == ()
    assert [each.state for each in ledger.requests()] == ["granted"]


def test_a_call_that_is_cancelled_while_it_is_written_down(tmp_path: Path) -> None:
    """G11, G06: it never leaves, so nothing is open and the approval is still good."""
    ledger, sink = Slow(tmp_path / "runs.sqlite"), Memory()
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=Runtime(ledger=ledger, audit=sink))
    session, server = plan.session(), Server()
    handle = inspected(session, "put")
    session.approve(handle, {})
    writing, go_on = threading.Event(), threading.Event()
    ledger.meanwhile = lambda: (writing.set(), go_on.wait())

    async def main() -> None:
        task = asyncio.create_task(session.call(handle, {}, through=server))
        while not writing.is_set():
            await asyncio.sleep(0.005)
        task.cancel()
        await asyncio.sleep(0.01)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert server.calls == []
    assert ledger.open_runs() == ()
    assert [each.state for each in ledger.requests()] == ["granted"]
    assert sink.told("call") == ["cancelled"]


def test_a_policy_that_changes_while_the_call_is_written_down(tmp_path: Path) -> None:
    """G06: the same revision, and a plan that asks now: what was allowed before is not sent."""
    ledger = Slow(tmp_path / "runs.sqlite")
    put, line = tool("gh", "put", side_effect=WRITE)
    free = replace(put, policy_state=PolicyState.ALLOWED, approval=Approval.AUTO)
    plan = plan_of(tmp_path, (free, line), runtime=Runtime(ledger=ledger))
    session, server = plan.session(), Server()
    after = compiled((put, line))
    same = replace(after, plan=replace(after.plan, servers=(plan.servers["gh"],)))
    ledger.meanwhile = lambda: plan.succeed(same)
    outcome = run(session.call(inspected(session, "put"), {}, through=server))
    assert outcome.outcome == "refused:stale-revision"
    assert server.calls == []
    ledger.meanwhile = lambda: None
    assert run(session.call(inspected(session, "put"), {}, through=server)).outcome == "refused:approval-required"


def test_a_handle_that_was_made_over(tmp_path: Path) -> None:
    """G03: a handle is what was issued, whatever somebody writes into a copy of it."""
    plan = plan_of(tmp_path, tool("gh", "get"))
    session = plan.session()
    handle = inspected(session, "get")
    plan.succeed(compiled(tool("gh", "get"), tool("gh", "new")))
    newer = session.plan.servers["gh"].revision
    assert newer != handle.revision
    outcome = run(session.call(replace(handle, revision=newer), {}, through=Server()))
    assert outcome.outcome == "refused:stale-revision"


def test_a_server_that_lost_all_its_tools_may_come_back(tmp_path: Path) -> None:
    """F08: a plan without any of its tools has not forgotten it."""
    listed = ["get"]

    async def refresh(server: str) -> list[dict[str, Any]]:
        return [{"name": name} for name in listed]

    def recompile(catalogs: Any) -> Any:
        return compiled(*(tool("gh", each["name"]) for each in catalogs["gh"].tools), tool("zz", "look"))

    plan = plan_of(tmp_path, tool("gh", "get"), tool("zz", "look"), refresh=refresh, recompile=recompile)
    session = plan.session()
    for names in ([], ["get", "again"]):
        listed[:] = names
        plan.list_changed("gh")
        assert run(plan.refresh("gh"))
        assert [name for name in ("get", "again") if session.lookup(f"gh__{name}")] == names
    assert run(session.call(inspected(session, "again"), {}, through=Server())).outcome == "ok"


def test_two_servers_that_change_at_once(tmp_path: Path) -> None:
    """G08: the plan of the later compile knows of both, however long the earlier one took."""
    first = threading.Event()

    async def refresh(server: str) -> list[dict[str, Any]]:
        return [{"name": "a"}, {"name": "b"}]

    def recompile(catalogs: Any) -> Any:
        if not first.is_set():
            first.set()
            time.sleep(0.2)
        names = {server: ["a", "b"] if server in catalogs else ["a"] for server in ("gh", "zz")}
        return compiled(*(tool(server, name) for server, each in names.items() for name in each))

    plan = plan_of(tmp_path, tool("gh", "a"), tool("zz", "a"), refresh=refresh, recompile=recompile)

    async def main() -> None:
        one = asyncio.create_task(plan.refresh("gh"))
        while not first.is_set():
            await asyncio.sleep(0.005)
        await asyncio.gather(one, plan.refresh("zz"))

    run(main())
    assert {server: plan.newest.freshness(server).state for server in ("gh", "zz")} == {"gh": "fresh", "zz": "fresh"}


# twice


def test_what_was_settled_while_it_was_on_its_way(tmp_path: Path) -> None:
    """G11: the end of a call that an operator settled closes no other one that was begun since."""
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE))
    session = plan.session()
    handle = inspected(session, "put")

    async def main() -> None:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def slow(carried: Any) -> Any:
            begun.set()
            await go_on.wait()
            return OK

        first = asyncio.create_task(session.call(handle, {}, approve=yes, through=slow))
        await begun.wait()
        assert session.settle(handle, {}, "not-completed")
        lost = await session.call(handle, {}, approve=yes, through=Server(ConnectionLost("gone")))
        assert lost.outcome == "unknown-completion"
        go_on.set()
        assert (await first).outcome == "ok"
        refused = await session.call(handle, {}, approve=yes, through=Server())
        assert refused.outcome == "refused:outcome-unknown"

    run(main())


def test_a_result_of_a_kind_that_nobody_knows(tmp_path: Path) -> None:
    """G11, G07: a task that goes on is not done; of a reader it is no result."""
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), tool("gh", "get"))
    session = plan.session()
    for kind in ("task", 5, None):
        server = Server({"resultType": kind, "content": []})
        outcome = run(session.call(inspected(session, "put"), {"sku": str(kind)}, approve=yes, through=server))
        assert outcome.outcome == "unknown-completion"
        assert (
            run(session.call(inspected(session, "get"), {}, through=server)).outcome == "quarantined:result-malformed"
        )
    asks = Server({"resultType": "input_required"})
    assert run(session.call(inspected(session, "put"), {}, approve=yes, through=asks)).outcome == "tool-error"


def test_a_record_that_somebody_replaced(tmp_path: Path) -> None:
    """G11: what is written down is where other processes look, after the file was taken away as well."""
    ledger = Ledger(tmp_path / "runs.sqlite")
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=Runtime(ledger=ledger))
    session = plan.session()
    lost = Server(ConnectionLost("gone"))
    assert run(session.call(inspected(session, "put"), {"n": 1}, approve=yes, through=lost)).outcome != "ok"
    for file in tmp_path.glob("runs.sqlite*"):
        file.unlink()
    run(session.call(inspected(session, "put"), {"n": 2}, approve=yes, through=lost))
    assert len(Ledger(tmp_path / "runs.sqlite").open_runs()) == 1


# approvals


def test_what_never_left_used_no_approval_up(tmp_path: Path) -> None:
    """G06"""
    session = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE)).session()
    handle = inspected(session, "put")
    session.approve(handle, {})
    assert run(session.call(handle, {}, through=Server(NotSent("no connection")))).outcome == "not-sent"
    assert run(session.call(handle, {}, through=Server())).outcome == "ok"
    assert run(session.call(handle, {}, through=Server())).outcome == "refused:approval-required"


def test_a_yes_at_the_last_moment_counts(tmp_path: Path) -> None:
    """Whoever was told that the answer is taken was told the truth."""

    class Late(Ledger):
        told: bool | None = None

        def withdraw(self, number: str) -> Request | None:
            self.told = self.answer(number, yes=True)
            return super().withdraw(number)

    ledger = Late(tmp_path / "runs.sqlite")
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=Runtime(ledger=ledger))
    session = plan.session()
    queue = ApprovalQueue(ledger, wait_s=0.05)
    assert run(session.call(inspected(session, "put"), {}, approve=queue, through=Server())).outcome == "ok"
    assert ledger.told is True


def test_whoever_is_asked_falls_over(tmp_path: Path) -> None:
    """No yes, no call, and an event; the call does not raise."""
    sink, server = Memory(), Server()
    session = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), sink=sink).session()

    def broken(ask: Any) -> bool:
        raise RuntimeError("the window was closed")

    outcome = run(session.call(inspected(session, "put"), {}, approve=broken, through=server))
    assert outcome.outcome == "refused:approval-required"
    assert (sink.told("approve"), server.calls) == (["failed"], [])


# evidence


def test_an_event_of_what_was_done_is_late_and_not_lost(tmp_path: Path) -> None:
    """G12: the disk fills up during a call; nothing else that may change something runs before its event is kept."""
    sink = Memory()
    session = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), sink=sink).session()
    handle = inspected(session, "put")

    def fill(carried: Any) -> Any:
        sink.fails = True
        return OK

    assert run(session.call(handle, {"n": 1}, approve=yes, through=Server(fill))).outcome == "ok"
    assert sink.told("call") == []
    assert run(session.call(handle, {"n": 2}, approve=yes, through=Server())).outcome == "refused:audit-unavailable"
    sink.fails = False
    assert run(session.call(handle, {"n": 3}, approve=yes, through=Server())).outcome == "ok"
    assert sink.told("call") == ["ok", "ok"]


def test_late_events_are_kept_when_the_host_ends(tmp_path: Path) -> None:
    sink = Memory()
    plan = plan_of(tmp_path, tool("gh", "get"), sink=sink)
    session = plan.session()
    handle = inspected(session, "get")
    sink.fails = True
    assert run(session.call(handle, {}, through=Server())).outcome == "ok"
    sink.fails = False
    plan.runtime.close()
    assert sink.told("call") == ["ok"]


@pytest.mark.parametrize(
    "name", ["/home/jane/notes.txt", "C:/Users/jane", "ghp_" + "a1B2c3D4" * 5, "x" * 65, "a b", "jane@example.com"]
)
def test_what_a_model_calls_a_tool_is_not_evidence(tmp_path: Path, name: str) -> None:
    """G12: paths, credentials and addresses in a made-up name stay out of the events."""
    sink = Memory()
    session = plan_of(tmp_path, tool("gh", "get"), sink=sink).session()
    session.inspect(name, name)
    run(session.call((name, name), {}, through=Server()))
    assert all(name not in repr(event) for event in sink.events)


# leaks


def test_hidden_characters_in_names_of_a_result(tmp_path: Path) -> None:
    """What a model reads holds no control characters, wherever the server put them; and nothing is lost by that."""
    hostile = {"a\u202eb": 1, "ab": 2, "x\x1b[31m": {"\U000e0041": 3}}
    session = plan_of(tmp_path, tool("gh", "get")).session()
    result = {"content": [], "structuredContent": hostile}
    outcome = run(session.call(inspected(session, "get"), {}, through=Server(result)))
    assert outcome.result["structuredContent"] == {"a\\u202eb": 1, "ab": 2, "x": {"": 3}}
    assert not {"\u202e", "\x1b", "\U000e0041"} & set(outcome.text)


def test_a_credential_as_a_name_in_an_error(tmp_path: Path) -> None:
    """Errors are struck whole: names, texts, and what was filled in for the server."""
    token = "ghp_" + "a1B2c3D4" * 5
    wire = Wire(Server({"isError": True, "content": [], "structuredContent": {token: {"tok-secret": "tok-secret"}}}))
    session = plan_of(tmp_path, tool("gh", "get"), connections=wire).session()
    outcome = run(session.call(inspected(session, "get"), {}))
    assert outcome.outcome == "tool-error"
    told = outcome.text + json.dumps(outcome.result)
    assert token not in told
    assert "tok-secret" not in told
    wire.close()


# hangs


def test_a_full_pool_of_the_host_holds_nothing_up(tmp_path: Path) -> None:
    """The loop's own threads are all taken by work that never ends: calls, writers among them, go on."""
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), tool("gh", "get"))
    session, end = plan.session(), threading.Event()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        stuck = loop.run_in_executor(None, end.wait)
        try:
            async with asyncio.timeout(20):
                for name in ("put", "get"):
                    call = session.call(inspected(session, name), {}, approve=yes, through=lambda carried: OK)
                    assert (await call).outcome == "ok"
        finally:
            end.set()
            await stuck

    run(main())


def test_carriers_that_never_end_hold_no_others_up(tmp_path: Path) -> None:
    """G11: each times out by itself, and those that are still at it keep no other call waiting."""
    hasty, end = Transport("stdio", "x", tool_timeout_s=0.5), threading.Event()

    def change(done: Any) -> Any:
        servers = (replace(each, transport=hasty) if each.id == "gh" else each for each in done.plan.servers)
        return replace(done, plan=replace(done.plan, servers=tuple(servers)))

    session = plan_of(tmp_path, tool("gh", "get"), tool("zz", "look"), change=change, timeout_s=200).session()

    async def main() -> list[str]:
        handle, other = inspected(session, "get"), inspected(session, "look", "zz")
        calls = [session.call(handle, {"n": n}, through=lambda carried: end.wait()) for n in range(40)]
        stuck = asyncio.gather(*calls)
        assert (await session.call(other, {}, through=lambda carried: OK)).outcome == "ok"
        ends = [outcome.outcome for outcome in await stuck]
        assert (await session.call(other, {}, through=lambda carried: OK)).outcome == "ok"
        return ends

    assert run(main()) == ["timed-out"] * 40
    end.set()


@pytest.mark.parametrize("kind", ["async", "sync"])
def test_a_list_that_never_comes(tmp_path: Path, kind: str) -> None:
    """G08: refused in the end, and nobody else waits for it."""
    end = threading.Event()

    async def never(server: str) -> Any:
        await asyncio.Event().wait()

    def blocked(server: str) -> Any:
        end.wait()

    def short(done: Any) -> Any:
        servers = tuple(
            replace(each, transport=replace(each.transport, startup_timeout_s=0.1)) for each in done.plan.servers
        )
        return replace(done, plan=replace(done.plan, servers=servers))

    refresh = never if kind == "async" else blocked
    plan = plan_of(tmp_path, tool("gh", "get"), tool("zz", "look"), refresh=refresh, change=short)
    session = plan.session()
    plan.list_changed("gh")

    async def main() -> None:
        stale = asyncio.create_task(session.call(inspected(session, "get"), {}, through=Server()))
        await asyncio.sleep(0)
        other = session.call(inspected(session, "look", "zz"), {}, through=Server())
        assert (await other).outcome == "ok"
        assert (await stale).outcome == "refused:stale-revision"

    run(main())
    end.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_list(tmp_path: Path) -> None:
    """G08: a host that forks its workers while a server is asked: they ask by themselves, and wait for nobody."""

    async def refresh(server: str) -> list[dict[str, Any]]:
        begun.set()
        if os.getpid() == parent:
            await forked.wait()
        return [{"name": "get"}]

    parent, begun, forked = os.getpid(), asyncio.Event(), asyncio.Event()
    plan = plan_of(tmp_path, tool("gh", "get"), refresh=refresh)
    plan.list_changed("gh")

    def child() -> None:
        session = plan.session()
        code = 1
        try:
            outcome = asyncio.run(session.call(inspected(session, "get"), {}, through=Server()))
            code = 0 if outcome.outcome == "ok" else 2
        finally:
            os._exit(code)

    async def main() -> int:
        asking = asyncio.create_task(plan.refresh("gh"))
        await begun.wait()
        number = os.fork()
        if not number:
            asyncio.events._set_running_loop(None)
            child()
        forked.set()
        assert await asking
        return number

    _, status = os.waitpid(run(main()), 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_plan_whose_index_cannot_be_built(tmp_path: Path) -> None:
    """G08: the plan that was in force stays so, as a whole, and is the one that is refreshed next."""

    async def refresh(server: str) -> list[dict[str, Any]]:
        return [{"name": "get"}, {"name": "new"}]

    def recompile(catalogs: Any) -> Any:
        return replace(compiled(tool("gh", "get"), tool("gh", "new")), definitions=(b"{", b"{"))

    plan = plan_of(tmp_path, tool("gh", "get"), refresh=refresh, recompile=recompile)
    plan.list_changed("gh")
    assert run(plan.refresh("gh"))
    assert plan.newest is plan
    assert plan.runtime.latest is plan
    assert plan.session().find_tools("get").matches


def test_who_gives_up_takes_no_other_along(tmp_path: Path) -> None:
    """G08: a list that was asked for by a call that was cancelled is asked for again by those that wait for it."""
    asked: list[int] = []
    begun = asyncio.Event()

    async def refresh(server: str) -> list[dict[str, Any]]:
        asked.append(1)
        begun.set()
        if len(asked) == 1:
            await asyncio.Event().wait()
        return [{"name": "get"}]

    plan = plan_of(tmp_path, tool("gh", "get"), refresh=refresh)
    session = plan.session()
    handle = inspected(session, "get")
    plan.list_changed("gh")

    async def main() -> None:
        first = asyncio.create_task(session.call(handle, {}, through=Server()))
        await begun.wait()
        second = asyncio.create_task(session.call(handle, {}, through=Server()))
        for _ in range(10):  # it comes to where it waits for the list
            await asyncio.sleep(0)
        first.cancel()
        assert (await second).outcome == "ok"

    run(main())
    assert len(asked) == 2


def test_a_record_that_another_process_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer waits for it; meanwhile the loop and readers go on."""
    monkeypatch.setattr(ledger_module, "_BUSY_S", 200.0)
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), tool("gh", "get"))
    session = plan.session()
    assert plan.runtime.ledger.requests() == ()
    other = sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def main() -> None:
        server = Server()
        writing = asyncio.create_task(session.call(inspected(session, "put"), {}, approve=yes, through=server))
        for _ in range(5):
            assert (await session.call(inspected(session, "get"), {}, through=Server())).outcome == "ok"
        assert not writing.done()
        assert server.calls == []
        other.execute("ROLLBACK")
        assert (await writing).outcome == "ok"

    run(main())
    other.close()


def test_a_record_that_is_not_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer is refused in the end, and not sent; the next one after it was given back is not."""
    monkeypatch.setattr(ledger_module, "_BUSY_S", 0.1)
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE))
    session, server = plan.session(), Server()
    assert plan.runtime.ledger.requests() == ()
    other = sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = run(session.call(inspected(session, "put"), {}, approve=yes, through=server))
    assert (refused.outcome, server.calls) == ("refused:audit-unavailable", [])
    other.execute("ROLLBACK")
    other.close()
    monkeypatch.undo()
    assert run(session.call(inspected(session, "put"), {}, approve=yes, through=Server())).outcome == "ok"


def test_plans_that_were_replaced_are_forgotten(tmp_path: Path) -> None:
    """A server that changes all day long fills no memory: between the first and the last plan nothing is kept."""
    plan = plan_of(tmp_path, tool("gh", "get"))
    middle = []
    for number in range(5):
        middle.append(weakref.ref(plan.newest.succeed(compiled(tool("gh", f"t{number}")))))
        assert isinstance(plan.newest, HostPlan)
    gc.collect()
    assert [each() is None for each in middle] == [True, True, True, True, False]


def test_a_protocol_error_beside_a_success(tmp_path: Path) -> None:
    """G09: one call's -32602 voids the handle that another one is about to use, and that one is not sent."""
    ledger = Slow(tmp_path / "runs.sqlite")
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), runtime=Runtime(ledger=ledger))
    session, server = plan.session(), Server()
    handle = inspected(session, "put")

    def meanwhile() -> None:
        ledger.meanwhile = lambda: None
        bad = session.call(handle, {"n": 2}, approve=yes, through=Server(ServerError(-32602, "Unknown tool")))
        assert asyncio.run(bad).outcome == "tool-error"

    ledger.meanwhile = meanwhile
    refused = run(session.call(handle, {"n": 1}, approve=yes, through=server))
    assert refused.outcome in ("refused:not-inspected", "refused:stale-revision")
    assert server.calls == []


# what nobody reviewed


def test_a_config_that_was_edited_since(tmp_path: Path) -> None:
    """C03, G08: a bundle was reviewed; what stands in the config now was not, so no list makes the host go by it."""

    async def refresh(server: str) -> list[dict[str, Any]]:
        return [{"name": "put"}, {"name": "new"}]

    put, line = tool("gh", "put", side_effect=WRITE)
    free = replace(put, policy_state=PolicyState.ALLOWED, approval=Approval.AUTO)

    def recompile(catalogs: Any) -> Any:
        done = compiled((free, line), tool("gh", "new"))
        return replace(done, plan=replace(done.plan, inputs={**done.plan.inputs, "config": "f" * 64}))

    plan = plan_of(tmp_path, (put, line), refresh=refresh, recompile=recompile)
    session, server = plan.session(), Server()
    plan.list_changed("gh")
    assert run(plan.refresh("gh"))
    assert plan.newest is plan
    assert run(session.call(inspected(session, "put"), {}, through=server)).outcome == "refused:stale-revision"
    assert server.calls == []


def test_an_approval_for_the_same_command_with_another_account(tmp_path: Path) -> None:
    """G06: what somebody allowed one project is not allowed to another one that keeps its record in the same file."""

    def as_(account: str) -> Callable[[Any], Any]:
        def change(done: Any) -> Any:
            servers = tuple(
                replace(each, transport=replace(each.transport, env={"ACCOUNT": account})) for each in done.plan.servers
            )
            return replace(done, plan=replace(done.plan, servers=servers))

        return change

    put = tool("gh", "put", side_effect=WRITE)
    one = plan_of(tmp_path, put, change=as_("test")).session()
    other = plan_of(tmp_path, put, change=as_("production")).session()
    one.approve(inspected(one, "put"), {})
    outcome = run(other.call(inspected(other, "put"), {}, through=Server()))
    assert outcome.outcome == "refused:approval-required"


def test_a_logger_that_drops_events(tmp_path: Path) -> None:
    """G12: evidence that nobody keeps is none, and calls that may change something are refused."""
    logger = logging.getLogger("mcpexpose.test.dropping")
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    plan = plan_of(tmp_path, tool("gh", "put", side_effect=WRITE), sink=LoggerSink(logger))
    session, server = plan.session(), Server()

    def call(n: int) -> str:
        return str(run(session.call(inspected(session, "put"), {"n": n}, approve=yes, through=server)).outcome)

    assert call(1) == "refused:audit-unavailable"
    logger.setLevel(logging.INFO)
    assert call(2) == "refused:audit-unavailable"
    kept: list[logging.LogRecord] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = kept.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    assert call(3) == "ok"
    assert [each.event["event"] for each in kept][-2:] == ["check", "call"]  # type: ignore[attr-defined]
    assert len(server.calls) == 1


# floods


def most_of_the_loop(work: Callable[[], Coroutine[Any, Any, Any]], most: int) -> Any:
    """What WORK gives, which may take no more than MOST steps of the loop's own thread, where everybody waits."""
    given: list[Any] = []
    steps(lambda: given.append(run(work())), most)
    return given[0]


def test_a_flood_of_progress(tmp_path: Path) -> None:
    """A server that reports progress without end is heard now and then: of 300,000 reports while the loop is at
    something else, one.
    """
    session = plan_of(tmp_path, tool("gh", "get"), timeout_s=200).session()
    woken: list[Any] = []

    async def main() -> Any:
        loop, reported = asyncio.get_running_loop(), threading.Event()
        wake = loop.call_soon_threadsafe

        def counted(call: Any, *given: Any, **more: Any) -> Any:
            woken.append(call)
            return wake(call, *given, **more)

        def flood(carried: Any) -> Any:
            loop.call_soon_threadsafe(reported.wait)  # the loop is at something else
            woken.clear()
            for _ in range(300_000):
                carried.progress()
            reported.set()
            return OK

        loop.call_soon_threadsafe = counted  # type: ignore[method-assign]
        return await session.call(inspected(session, "get"), {}, through=flood)

    assert run(main()).outcome == "ok"
    assert len(woken) <= 3


def test_an_error_of_very_many_words(tmp_path: Path) -> None:
    """A failure that is told at length is cut, and cleaned beside the loop; nobody else waits."""
    session = plan_of(tmp_path, tool("gh", "get")).session()
    said = {"isError": True, "content": [{"type": "text", "text": f"word {n}"} for n in range(100_000)]}
    run(session.call(inspected(session, "get"), {}, through=Server(OK | {"isError": True})))  # what is imported late is
    outcome = most_of_the_loop(lambda: session.call(inspected(session, "get"), {}, through=Server(said)), 30_000)
    assert outcome.outcome == "tool-error"
    assert outcome.text.startswith("word 0\nword 1\n")
    assert len(json.dumps(outcome.result)) < 200_000


def test_evidence_fills_no_disk(tmp_path: Path) -> None:
    """G16: a server that sends what is withheld without end leaves so much behind and no more."""
    folder = tmp_path / "evidence"
    evidence = Evidence(folder, limit_bytes=1_000)
    kept = [evidence.keep(b"x" * 400) for _ in range(5)]
    assert [each is not None for each in kept] == [True, True, False, False, False]
    assert len(list(folder.iterdir())) == 2
