"""Whatever happens in whatever order: what reaches the server is current, allowed, recorded, and not open already."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mcpexpose import ConnectionLost, HostPlan, Inspection, Ledger, NotSent, Runtime, ServerError
from mcpexpose.host.plan import CompiledSource
from mcpexpose.model.catalog import revision_of
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.transport import Transport
from tests.builders import compiled, tool
from tests.host.running import OK, Memory, hurried

NUMBERS = st.integers(0, 2)
ENDS = st.sampled_from(["ok", "lost", "silent", "refused", "unknown-tool", "not-sent", "cancelled", "hears"])


def entries(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


class HostAndServer(RuleBasedStateMachine):
    """A host with a record, a sink, approvals and a server whose list changes; the truth is kept beside it."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mcpexpose-order-"))
        self.sink = Memory()
        self.names: tuple[str, ...] = ("get", "put")
        self.told = True  # whether the host knows what the server lists
        self.open: set[int] = set()
        self.approved: Counter[int] = Counter()
        self.ran: list[tuple[str, int]] = []
        self.calls: list[str] = []
        self.begin()

    def begin(self) -> None:
        runtime = Runtime(
            audit=self.sink,
            ledger=Ledger(self.folder / "runs.sqlite"),
            refresh=self.listed,
            recompile=lambda catalogs: self.made(tuple(str(each["name"]) for each in catalogs["gh"].tools)),
        )
        done = self.made(self.names)
        self.plan = HostPlan(CompiledSource(done.plan, done.definitions), None, runtime)
        self.session = self.plan.session()

    def made(self, names: tuple[str, ...]) -> Any:
        done = compiled(*(tool("gh", name, side_effect=self.effect(name)) for name in names))
        transport = Transport("stdio", "fake-server", tool_timeout_s=100, startup_timeout_s=100)
        revision = revision_of("gh", entries(names))
        servers = tuple(replace(each, transport=transport, revision=revision) for each in done.plan.servers)
        return replace(done, plan=replace(done.plan, servers=servers))

    @staticmethod
    def effect(name: str) -> SideEffect:
        return SideEffect.WRITE if name == "put" else SideEffect.READ_ONLY

    async def listed(self, server: str) -> list[dict[str, Any]]:
        self.told = True
        return entries(self.names)

    @rule(more=st.booleans())
    def the_list_changes(self, more: bool) -> None:
        self.names = ("get", "new", "put") if more else ("get", "put")
        self.told = False
        self.plan.list_changed("gh")

    @rule()
    def somebody_refreshes(self) -> None:
        asyncio.run(self.plan.refresh("gh"))

    @rule(n=NUMBERS)
    def somebody_approves(self, n: int) -> None:
        before = len(self.sink.events)
        assert self.session.approve(("gh", "put"), {"n": n})
        self.approved[self.key(n)] += 1
        assert self.sink.fails or len(self.sink.events) > before

    def key(self, n: int) -> Any:
        """Approvals are of a revision, and a later one needs its own."""
        return (self.session.plan.servers["gh"].revision, n)

    @rule(n=NUMBERS)
    def somebody_settles(self, n: int) -> None:
        assert self.session.settle(("gh", "put"), {"n": n}, "completed") == (n in self.open)
        self.open.discard(n)

    @rule(fails=st.booleans())
    def the_disk_of_the_events(self, fails: bool) -> None:
        self.sink.fails = fails

    @rule()
    def the_host_restarts(self) -> None:
        if self.plan.runtime._late:  # a disk that is full all the time keeps nothing
            self.calls.clear()
            self.sink.events.clear()
        self.plan.runtime.ledger.close()
        self.told = True
        self.begin()

    @rule(name=st.sampled_from(["get", "put"]), n=NUMBERS, end=ENDS, yes=st.sampled_from([None, True, False]))
    def a_call(self, name: str, n: int, end: str, yes: bool | None) -> None:
        handle = self.session.inspect("gh", name)
        assert isinstance(handle, Inspection)
        stale, writes = not self.told, name == "put"
        before = len(self.ran)
        outcome = hurried(self.called(handle, n, end, yes))
        self.calls.append("unknown-completion" if (outcome, name) == ("cancelled", "put") else outcome)
        ran = len(self.ran) - before
        assert ran <= 1
        if not ran:
            assert outcome.startswith("refused:"), (outcome, end)
        if not writes:
            assert not (ran and outcome.startswith("refused:"))
            return
        if stale:
            assert ran == 0 or self.told
        if ran:
            if yes is not True and end != "not-sent":
                self.approved[self.taken] -= 1
            if self.calls[-1] == "unknown-completion":
                self.open.add(n)
            assert (self.calls[-1] == "unknown-completion") is (end in ("lost", "silent", "cancelled"))

    async def called(self, handle: Inspection, n: int, end: str, yes: bool | None) -> str:
        begun = asyncio.Event()

        async def through(carried: Any) -> Any:
            begun.set()
            self.arrived(carried, n, yes)
            if end == "hears":
                self.told = False
                self.plan.list_changed("gh")
            if end in ("silent", "cancelled"):
                await asyncio.Event().wait()
            failures: dict[str, Exception] = {
                "lost": ConnectionLost("gone"),
                "refused": ServerError(-32000 - 99, "no"),
                "unknown-tool": ServerError(-32602, "Unknown tool"),
                "not-sent": NotSent("no connection"),
            }
            if end in failures:
                raise failures[end]
            return OK

        approve = None if yes is None else lambda ask: yes
        task = asyncio.ensure_future(self.session.call(handle, {"n": n}, through=through, approve=approve))
        if end == "cancelled":
            waiting = asyncio.ensure_future(begun.wait())
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if begun.is_set():
                task.cancel()
        try:
            return str((await task).outcome)
        except asyncio.CancelledError:
            return "cancelled"

    def arrived(self, carried: Any, n: int, yes: bool | None) -> None:
        """What holds of every call that reaches the server."""
        self.ran.append((carried.tool, n))
        assert self.told, "from a stale list"
        assert carried.revision == revision_of("gh", entries(self.names)), "of another revision"
        assert carried.arguments == {"n": n}
        if carried.tool == "put":
            assert n not in self.open, "although an equal one is open"
            assert not self.sink.fails, "although no record can be kept"
            self.taken = self.key(n)
            assert yes is True or self.approved[self.taken] > 0, "although nobody said yes"

    @invariant()
    def what_is_open_is_written_down(self) -> None:
        assert len(self.plan.runtime.ledger.open_runs()) == len(self.open)

    @invariant()
    def what_was_done_is_told(self) -> None:
        """Once the disk is there again, each call that was made has its event, in order."""
        if not self.sink.fails and not self.plan.runtime._late:
            told = [each for each in self.sink.told("call") if not str(each).startswith("refused:")]
            assert told == [each for each in self.calls if not each.startswith("refused:")]

    def teardown(self) -> None:
        if hasattr(self, "plan"):
            self.plan.runtime.close()


HostAndServer.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


@pytest.mark.slow
class TestAnyOrder(HostAndServer.TestCase):
    """G06, G08, G11, G12"""
