"""Loading, reloading, freshness, and what the host's path costs."""

from __future__ import annotations

import datetime
import inspect
import json
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

import mcpexpose
from mcpexpose import BundleRefused, InputMissing, UsageRefused
from mcpexpose.bundle.write import write
from mcpexpose.host.clock import RunningClock
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose import HostPlan, McpexposeError
    from mcpexpose.model.plan import Compiled

ROOT = Path(__file__).parents[2]
NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


def test_public_names() -> None:
    """dir(mcpexpose) equals __all__, and each name is there."""
    assert dir(mcpexpose) == sorted(mcpexpose.__all__)
    assert all(getattr(mcpexpose, name) is not None for name in mcpexpose.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = mcpexpose.nope


def test_what_is_public_says_what_it_is() -> None:
    """Every public class, function, method and property has a docstring of its own or of its kind."""
    silent = []
    for name in (name for name in mcpexpose.__all__ if not name.startswith("_")):
        thing = getattr(mcpexpose, name)
        members = vars(thing).items() if inspect.isclass(thing) else ()
        named = [(name, thing)] + [(f"{name}.{key}", value) for key, value in members if not key.startswith("_")]
        for label, each in named:
            said = each.fget if isinstance(each, property) else each
            if (inspect.isfunction(said) or inspect.isclass(said)) and not inspect.getdoc(said):
                silent.append(label)
    assert silent == []


def test_a_loaded_plan_says_what_it_is(plan: HostPlan, done: Compiled) -> None:
    """Plan, manifest, profiles and servers with revision and owner are at hand, with no server up (C03, G01)."""
    assert plan.plan == done.plan
    assert plan.manifest is not None
    assert plan.manifest.plan_digest
    assert plan.profiles == ("ci", "none", "read")
    assert plan.servers["gh"].owner == "somebody"
    assert plan.servers["gh"].revision


def test_no_plan_and_a_bad_plan_are_refused(tmp_path: Path, plan: HostPlan) -> None:
    """Nothing is served of a bad plan (C03)."""
    with pytest.raises(InputMissing):
        mcpexpose.load_plan(tmp_path / "nope")
    (tmp_path / "plan" / "plan.json").write_text("{}")
    with pytest.raises(BundleRefused):
        mcpexpose.load_plan(tmp_path / "plan")


def test_reload_gives_the_newer_plan_and_keeps_the_last_good_one(tmp_path: Path, plan: HostPlan) -> None:
    """The same object where nothing changed, the newer plan whole, the last good one where it is bad or gone (C03)."""
    session = plan.session()
    before = session.declared()
    assert plan.reload() is plan
    write(compiled(tool("new", "thing", "A new thing")), tmp_path / "plan")
    newer = plan.reload()
    assert [str(one.id) for one in newer.plan.tools] == ["new/thing"]
    assert session.declared() == before
    assert session.find_tools("create issue").matches
    assert newer.session().find_tools("new thing").matches
    (tmp_path / "plan" / "plan.json").write_text("{}")
    refused: list[McpexposeError] = []
    assert newer.reload(refused.append) is newer
    assert isinstance(refused[0], BundleRefused)
    (tmp_path / "plan").rename(tmp_path / "away")
    assert newer.reload() is newer
    assert newer.session().find_tools("new thing").matches


def test_a_pinned_digest_holds_on_reload(tmp_path: Path, done: Compiled) -> None:
    """A host that pinned a digest does not take another plan (C03)."""
    digest = write(done, tmp_path / "plan").digest
    plan = mcpexpose.load_plan(tmp_path / "plan", expected_digest=digest)
    write(compiled(tool("new", "thing")), tmp_path / "plan")
    assert plan.reload() is plan
    with pytest.raises(BundleRefused):
        mcpexpose.load_plan(tmp_path / "plan", expected_digest=digest)


def test_searches_come_from_the_plan_that_was_loaded(tmp_path: Path, plan: HostPlan) -> None:
    """Index, definitions and policy of one load are of one revision, also when the first search comes late (C03)."""
    write(compiled(tool("gh", "create_issue", "Something else entirely")), tmp_path / "plan")
    answer = plan.session().find_tools("create issue")
    assert answer.matches[0].definition["description"] == "Open a new issue"


@pytest.mark.parametrize("engine", ["table", "whoosh"])
def test_what_was_spoilt_stops_the_search(tmp_path: Path, plan: HostPlan, engine: Literal["table", "whoosh"]) -> None:
    """Nothing is served of a table or an index that changed since it was written, not even half (C02)."""
    plan = mcpexpose.load_plan(tmp_path / "plan", engine=engine)
    files = {"table": [tmp_path / "plan" / "tools.bin"], "whoosh": (tmp_path / "plan" / "index").iterdir()}
    for file in files[engine]:
        file.write_bytes(b"\x00" * file.stat().st_size)
    with pytest.raises(BundleRefused, match="damaged"):
        plan.session().find_tools("issue")


def test_both_engines_answer_alike(tmp_path: Path, plan: HostPlan) -> None:
    """The index is the reference of the table, for a whole plan and for a profile of it (F02)."""
    other = mcpexpose.load_plan(tmp_path / "plan", engine="whoosh", clock=lambda: NOW)
    for profile in (None, "read", "none"):
        for query in ("issue", "read the logs", "get_job_logs", "isue", "nothing at all", ""):
            one, two = (each.session(profile).find_tools(query) for each in (plan, other))
            assert (one.text, one.reason, one.added) == (two.text, two.reason, two.added)


def test_a_session_reads_what_it_needs_of_the_plan(tmp_path: Path, plan: HostPlan) -> None:
    """The plan as a whole is read by who asks for it, and by no session (C03)."""
    session = plan.session("read")
    session.declared(), session.prompt_section(), session.find_tools("issue"), session.inspect("gh", "get_issue")
    assert session.check(("gh", "get_issue"), {}).outcome == "allowed"
    assert session.unattended is False
    assert "plan" not in vars(plan._source.bundle)  # type: ignore[attr-defined]
    assert len(plan.plan.tools) == 6


def test_one_plan_for_many_threads(plan: HostPlan) -> None:
    """Sessions of one plan search side by side, the engine being opened once (C03)."""
    texts = set()

    def search() -> None:
        texts.add(plan.session().find_tools("create issue").text)

    threads = [threading.Thread(target=search) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 1


def _fresh(load: Callable[..., HostPlan], stamp: str | None, max_age: datetime.timedelta | None) -> str:
    age = max_age.total_seconds() if max_age else None
    return load(compiled(tool("f", "x", "Text"), captured_at={"f": stamp}, max_age_s=age)).freshness("f").state


@pytest.mark.parametrize(
    ("stamp", "max_age", "state"),
    [
        ("2026-11-30T11:00:00Z", None, "fresh"),
        ("2026-11-30T11:00:00Z", DAY, "fresh"),
        ("2026-11-28T11:00:00Z", DAY, "expired"),
        (None, None, "fresh"),
        (None, DAY, "expired"),
        ("2026-11-30T12:04:00Z", DAY, "fresh"),
        ("2026-11-30T12:06:00Z", None, "stale"),
        ("2099-01-01T00:00:00Z", None, "stale"),
        ("yesterday", None, "stale"),
        ("2026-11-30T11:00:00", None, "stale"),
    ],
)
def test_freshness_of_a_server(
    load: Callable[..., HostPlan], stamp: str | None, max_age: datetime.timedelta | None, state: str
) -> None:
    """By stamp, limit and clock (G14)."""
    assert _fresh(load, stamp, max_age) == state


def test_what_is_not_fresh_is_marked_in_search_and_inspection(load: Callable[..., HostPlan]) -> None:
    """Found and inspected all the same, and marked in each; the reason where nothing matched (G14, F09)."""
    plan = load(compiled(tool("f", "thing", "A thing"), captured_at={"f": "2099-01-01T00:00:00Z"}))
    session = plan.session()
    answer = session.find_tools("thing")
    assert not answer.matches[0].fresh
    assert "out of date" in answer.text
    seen = session.inspect("f", "thing")
    assert isinstance(seen, mcpexpose.Inspection)
    assert seen.freshness.state == "stale"
    assert json.loads(seen.text)["fresh"] is False
    assert session.find_tools("qwertzuiop").reason == "not-fresh"


def test_setting_the_clock_back_makes_nothing_fresh_again() -> None:
    """Time goes on whatever the wall clock does; a clock that is set forward counts (G14)."""
    moments = [NOW, NOW - 30 * DAY, NOW + DAY]
    clock = RunningClock(lambda: moments.pop(0))
    assert clock.now() >= NOW
    assert clock.now() == NOW + DAY
    with pytest.raises(ValueError, match="zone"):
        RunningClock(lambda: datetime.datetime(2026, 11, 30))


PATH = """
import sys
import mcpexpose
assert not [name for name in sys.modules if name.startswith("mcpexpose.")], "importing the package loads it"
plan = mcpexpose.load_plan(sys.argv[1])
session = plan.session(tools=["gh/create_issue"])
session.declared(), session.prompt_section(), session.inspect("gh", "create_issue"), session.state()
heavy = {"pydantic", "jsonschema", "mcp", "mcp_types", "whoosh", "cryptography", "click", "tomlkit"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
session.find_tools("create issue")
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
print(sorted(name for name in sys.modules if name.startswith(("mcpexpose.config", "mcpexpose.compiler"))))
"""


def test_the_hosts_path_is_light(tmp_path: Path, plan: HostPlan) -> None:
    """Load, session, declarations, inspection and search import none of the heavy libraries (C03)."""
    done = subprocess.run(
        [sys.executable, "-c", PATH, str(tmp_path / "plan")],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stderr == ""
    before, after, rooms = done.stdout.splitlines()
    assert before == "[]"
    assert after == "[]"
    assert rooms == "[]"


def test_a_plan_that_was_never_written_serves_alike(done: Compiled, plan: HostPlan) -> None:
    """A preview over a compile at hand answers as a host over its bundle (C04)."""
    from mcpexpose.host.plan import CompiledSource
    from mcpexpose.host.plan import HostPlan as Held

    memory = Held(CompiledSource(done.plan, done.definitions), clock=lambda: NOW)
    assert memory.manifest is None
    assert memory.reload() is memory
    assert memory.session().declared() == plan.session().declared()
    assert memory.session().find_tools("issue").text == plan.session().find_tools("issue").text


def test_equal_plans_give_equal_surfaces(load: Callable[..., HostPlan], done: Compiled) -> None:
    """Declared tools and section do not hang on the order in which tools were given (G13)."""
    plan = load()
    pairs = list(zip(done.plan.tools, done.definitions, strict=True))
    again = compiled(*reversed(pairs), profiles=done.plan.profiles)
    assert again.plan == replace(done.plan)
    assert load(again).session().declared() == plan.session().declared()


def test_an_engine_that_is_none_is_refused(tmp_path: Path) -> None:
    """Not taken for the default one."""
    with pytest.raises(UsageRefused, match=r"no engine 'wosh'; there are: table, whoosh"):
        mcpexpose.load_plan(tmp_path, engine="wosh")  # type: ignore[arg-type]
