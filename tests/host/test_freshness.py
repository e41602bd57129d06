"""What a server's definitions are worth: the state machine, transition by transition, and refreshes over it."""

from __future__ import annotations

import asyncio
import datetime
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcpexpose import HostPlan, Inspection, Ledger, Runtime, SelectionRefused
from mcpexpose.host.freshness import Watch
from mcpexpose.host.refreshing import is_quiet
from mcpexpose.model.catalog import revision_of
from mcpexpose.model.policy import Exposure
from tests.builders import compiled, profile, tool
from tests.host.running import Memory, Server, plan_of, run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.plan import Compiled

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)


class ServerAndWatch(RuleBasedStateMachine):
    """A server whose list changes now and then and says so, and the watch of a host that asks it."""

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch()
        self.now = "r0"
        self.read: str | None = None
        self.silent = True

    @rule(revision=st.sampled_from(["r0", "r1", "r2"]))
    def the_list_changes(self, revision: str) -> None:
        self.now = revision
        self.watch = self.watch.changed()
        self.silent = False
        assert self.watch.against("r0")
        assert self.watch.due

    @rule()
    def arguments_are_not_known(self) -> None:
        self.watch = self.watch.changed("invalid-arguments")
        self.silent = False
        assert self.watch.against("r0")

    @rule()
    def age_wants_a_list(self) -> None:
        self.watch = self.watch.wanted()
        assert self.watch.due or self.watch.asking

    @precondition(lambda self: not self.watch.asking)
    @rule()
    def a_list_begins(self) -> None:
        self.watch = self.watch.begun()
        self.read = self.now

    @precondition(lambda self: self.watch.asking)
    @rule()
    def a_list_ends(self) -> None:
        assert self.read is not None
        missed = self.watch.due
        self.watch = self.watch.ended(self.read)
        assert self.watch.seen == self.read
        if not missed:
            assert self.watch.against(self.read) == ""

    @precondition(lambda self: self.watch.asking)
    @rule()
    def a_list_fails(self) -> None:
        before = self.watch.mark
        self.watch = self.watch.failed()
        assert self.watch.due
        assert self.watch.mark == before

    @precondition(lambda self: self.watch.asking)
    @rule()
    def never_two_lists(self) -> None:
        with pytest.raises(ValueError):
            self.watch.begun()

    @invariant()
    def settled_and_fresh_means_the_list_of_now(self) -> None:
        """Nothing that the server said is lost: what is taken for current is what it lists."""
        if self.watch.is_settled and self.watch.seen is not None and not self.watch.against(self.watch.seen):
            assert self.watch.seen == self.now

    @invariant()
    def a_mark_has_a_list_to_come(self) -> None:
        if self.watch.mark:
            assert self.watch.due or self.watch.asking

    @invariant()
    def what_never_said_anything_is_not_stale(self) -> None:
        if self.silent and self.watch.seen is None:
            assert self.watch.against("r0") == ""


ServerAndWatch.TestCase.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
TestWatch = ServerAndWatch.TestCase


def entries(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


class Lister:
    """What a server lists, and how often it was asked."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked = 0
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self.fails = False

    async def __call__(self, server: str) -> list[dict[str, Any]]:
        self.asked += 1
        listed = entries(*self.names)
        self.begun.set()
        await self.go_on.wait()
        if self.fails:
            raise ConnectionError("gone")
        return listed


def checked(session: Any, name: str = "get") -> str:
    found = session.inspect("gh", name)
    assert isinstance(found, Inspection)
    return str(session.check(found, {}).outcome)


def test_stale_from_the_notification_on(tmp_path: Path) -> None:
    """G08: no call from a stale snapshot, with nothing that could refresh it; marked in search and inspection."""
    session = plan_of(tmp_path, tool("gh", "get")).session()
    assert checked(session) == "allowed"
    session.plan.list_changed("gh")
    assert checked(session) == "refused:stale-revision"
    (match,) = session.find_tools("get").matches
    assert not match.fresh
    found = session.inspect("gh", "get")
    assert isinstance(found, Inspection)
    assert '"fresh":false' in found.text
    outcome = run(session.call(found, {}, through=Server()))
    assert outcome.outcome == "refused:stale-revision"
    assert found.revision in outcome.text
    assert "nspect" in outcome.text


def test_the_same_list_clears(tmp_path: Path) -> None:
    """G08: a refresh with the same revision, and the call goes on; one event."""
    lister, sink, server = Lister("get"), Memory(), Server()
    plan = plan_of(tmp_path, tool("gh", "get"), refresh=lister, sink=sink)
    session = plan.session()
    found = session.inspect("gh", "get")
    for _ in range(200):
        plan.list_changed("gh")
    assert run(session.call(found, {}, through=server)).outcome == "ok"
    assert lister.asked == 1
    assert plan.freshness("gh").state == "fresh"
    assert sink.told("refresh") == ["unchanged"]


def test_a_new_bundle_is_a_new_list(tmp_path: Path) -> None:
    """G08: where the host cannot ask, a plan that is loaded later, of a catalog that was captured later, goes on."""
    now = [NOW]
    runtime = Runtime(ledger=Ledger(tmp_path / "runs.sqlite"))

    def load(captured_at: str) -> HostPlan:
        more: Any = {"captured_at": {"gh": captured_at}, "clock": lambda: now[0]}
        return plan_of(tmp_path, tool("gh", "get"), runtime=runtime, **more)

    ahead = load("2026-11-30T12:04:00Z")
    ahead.list_changed("gh")
    assert ahead.freshness("gh").state == "stale"  # by a clock that is ahead, and known before
    now[0] += datetime.timedelta(minutes=10)
    assert load("2026-11-30T11:59:59Z").freshness("gh").reason == "list-changed"
    assert load("2026-11-30T12:09:00Z").freshness("gh").state == "fresh"
    assert ahead.freshness("gh").state == "stale"


def test_another_list_refuses(tmp_path: Path) -> None:
    """G08: until somebody compiles, that server's tools are refused, and others go on."""
    lister, sink, server = Lister("get", "new"), Memory(), Server()
    plan = plan_of(tmp_path, tool("gh", "get"), tool("zz", "look"), refresh=lister, sink=sink)
    session = plan.session()
    plan.list_changed("gh")
    outcome = run(session.call(session.inspect("gh", "get"), {}, through=server))
    assert outcome.outcome == "refused:stale-revision"
    assert plan.freshness("gh").reason == "other-revision"
    assert run(session.call(session.inspect("zz", "look"), {}, through=server)).outcome == "ok"
    assert sink.told("refresh") == ["changed"]
    lister.names = ("get",)
    plan.list_changed("gh")
    assert run(session.call(session.inspect("gh", "get"), {}, through=server)).outcome == "ok"


def test_a_change_during_the_list_asks_once_more(tmp_path: Path) -> None:
    """At most two lists for a burst, and the last change is not lost."""
    lister = Lister("get")
    lister.go_on.clear()
    plan = plan_of(tmp_path, tool("gh", "get"), refresh=lister)

    async def main() -> None:
        plan.list_changed("gh")
        first = asyncio.create_task(plan.refresh("gh"))
        await lister.begun.wait()
        lister.names = ("get", "new")
        for _ in range(100):
            plan.list_changed("gh")
        joined = asyncio.create_task(plan.refresh("gh"))
        assert not is_quiet(plan.runtime)
        lister.go_on.set()
        assert await first
        assert await joined

    run(main())
    assert lister.asked == 2
    assert plan.runtime.listed["gh"] == ("get", "new")
    assert plan.freshness("gh").reason == "other-revision"
    assert is_quiet(plan.runtime)


def test_a_list_that_fails_leaves_it_stale(tmp_path: Path) -> None:
    lister, sink = Lister("get"), Memory()
    lister.fails = True
    plan = plan_of(tmp_path, tool("gh", "get"), refresh=lister, sink=sink)
    plan.list_changed("gh")
    assert not run(plan.refresh("gh"))
    assert plan.freshness("gh").reason == "list-changed"
    assert sink.told("refresh") == ["failed"]
    assert not run(plan.refresh("nobody"))


@pytest.mark.parametrize(
    ("captured_at", "max_age_s", "state"),
    [
        ("2026-11-30T11:00:00Z", 7200.0, "fresh"),
        ("2026-11-30T11:00:00Z", 60.0, "expired"),
        (None, 60.0, "expired"),
        ("2026-11-30T13:00:00Z", None, "stale"),
        ("2026-11-30 at noon", None, "stale"),
    ],
)
def test_age_is_refreshed_first_or_refused(
    tmp_path: Path, captured_at: str | None, max_age_s: float | None, state: str
) -> None:
    """G14: from what is not fresh nothing is executed; a list of the same revision is as good as a new capture."""
    more: Any = {"captured_at": {"gh": captured_at}, "max_age_s": max_age_s, "clock": lambda: NOW}
    session = plan_of(tmp_path, tool("gh", "get"), **more).session()
    assert session.plan.freshness("gh").state == state
    expected = "ok" if state == "fresh" else "refused:stale-revision"
    assert run(session.call(session.inspect("gh", "get"), {}, through=Server())).outcome == expected
    lister = Lister("get")
    session = plan_of(tmp_path, tool("gh", "get"), refresh=lister, **more).session()
    assert run(session.call(session.inspect("gh", "get"), {}, through=Server())).outcome == "ok"
    assert lister.asked == (0 if state == "fresh" else 1)
    assert session.plan.freshness("gh").state == "fresh"


def again(*tools: Any, **more: Any) -> Compiled:
    """What a recompile gives: the revision of the server is that of the listed names."""
    return compiled(*tools, **more)


def test_a_recompile_takes_over_under_running_sessions(tmp_path: Path) -> None:
    """G08, G13, F08: the new plan as a whole, the old inspection void, the list of tools a stable prefix."""
    given: list[Mapping[str, Catalog]] = []

    def recompile(catalogs: Mapping[str, Catalog]) -> Compiled:
        given.append(catalogs)
        return again(
            tool("gh", "get", "Read", exposure=Exposure.DIRECT),
            tool("gh", "new", "Brand new", exposure=Exposure.DIRECT),
            tool("zz", "look", "Look around"),
        )

    lister = Lister("get", "new")
    plan = plan_of(
        tmp_path,
        tool("gh", "get", "Read", exposure=Exposure.DIRECT),
        tool("gh", "old", "Old one"),
        tool("zz", "look", "Look around"),
        refresh=lister,
        recompile=recompile,
    )
    session = plan.session()
    assert session.find_tools("look around").added == ("zz__look",)
    before = [each["name"] for each in session.declared()]
    stale = session.inspect("gh", "get")
    plan.list_changed("gh")
    outcome = run(session.call(stale, {}, through=Server()))
    assert outcome.outcome == "refused:stale-revision"
    assert [str(tool["name"]) for tool in given[0]["gh"].tools] == ["get", "new"]
    assert given[0]["gh"].revision == revision_of("gh", entries("get", "new"))
    assert session.plan is plan.newest is not plan
    assert session.plan.freshness("gh").state == "fresh"
    after = [each["name"] for each in session.declared()]
    assert after[: len(before)] == before
    assert after[len(before) :] == ["gh__new"]
    assert session.inspect("gh", "old").outcome == "refused:unknown-tool"  # type: ignore[union-attr]
    assert run(session.call(session.inspect("gh", "get"), {}, through=Server())).outcome == "ok"
    resumed = plan.newest.session(state=session.state())
    assert [each["name"] for each in resumed.declared()][:1] == before[:1]


def test_a_profile_that_is_gone_keeps_the_old_plan(tmp_path: Path) -> None:
    lister = Lister("get", "new")
    plan = plan_of(
        tmp_path,
        tool("gh", "get"),
        profiles=[profile("p", ["gh/get"])],
        refresh=lister,
        recompile=lambda catalogs: again(tool("gh", "get"), tool("gh", "new")),
    )
    session = plan.session("p")
    plan.list_changed("gh")
    run(plan.refresh("gh"))
    assert session.plan is plan
    assert checked(session) == "refused:stale-revision"
    with pytest.raises(SelectionRefused):
        plan.newest.session("p")


def test_a_recompile_that_fails_changes_nothing(tmp_path: Path) -> None:
    def broken(catalogs: Any) -> Any:
        raise RuntimeError("secret text")

    plan = plan_of(tmp_path, tool("gh", "get"), refresh=Lister("get", "new"), recompile=broken)
    plan.list_changed("gh")
    run(plan.refresh("gh"))
    assert plan.newest is plan
    assert plan.freshness("gh").state == "stale"


def test_plans_are_exchanged_under_searching_threads(tmp_path: Path) -> None:
    """Each search and each list of tools is of one plan, whole, while plans are exchanged."""
    import threading

    def made(number: int) -> Compiled:
        return again(*(tool("gh", f"t{number}_{n}", "common words") for n in range(5)))

    first = made(0)
    plan = plan_of(tmp_path, change=lambda done: replace(first, plan=first.plan))
    session = plan.session()
    wrong: list[Any] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            try:
                found = {match.tool.name[:2] for match in session.find_tools("common words", activate=False).matches}
                if len(found) != 1:
                    wrong.append(found)
                session.declared()
                session.prompt_section()
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=search) for _ in range(4)]
    for each in threads:
        each.start()
    for number in range(1, 10):
        plan.newest.succeed(made(number))
    stop.wait(0.3)
    stop.set()
    for each in threads:
        each.join()
    assert wrong == []
    assert isinstance(session.plan, HostPlan)
    assert session.plan is plan.newest
