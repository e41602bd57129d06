"""A bundle written whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from mcpexpose.bundle import exchange
from mcpexpose.bundle.lock import held
from mcpexpose.bundle.read import open_bundle
from mcpexpose.bundle.verify import verify
from mcpexpose.bundle.write import Step, write
from mcpexpose.model.errors import BundleNotWritten, InputMissing, PlanRefused
from mcpexpose.model.finding import Finding, Severity
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from mcpexpose.model.plan import Compiled

ROOT = Path(__file__).parents[2]
BUILD = """
import os, signal, sys
from tests.builders import compiled, tool
from mcpexpose.bundle.write import write
from mcpexpose.model.errors import BundleNotWritten
out, names, stop = sys.argv[1], sys.argv[2].split(","), sys.argv[3] if len(sys.argv) > 3 else None
done = compiled(*(tool("a", name, "Text " + name) for name in names))
def step(name):
    if name == stop:
        os.kill(os.getpid(), signal.SIGKILL)
print("ready", flush=True)
try:
    write(done, out, progress=step)
except BundleNotWritten as error:
    sys.exit("+".join(finding.slug for finding in error.findings))
"""


def _bytes(bundle: Path) -> dict[str, bytes]:
    return {path.relative_to(bundle).as_posix(): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}


def _start(*args: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BUILD, *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(*args: str, **environ: str) -> tuple[int, str]:
    with _start(*args, **environ) as process:
        _, err = process.communicate(timeout=120)
    return process.returncode, err


def _names(bundle: Path) -> tuple[str, ...]:
    assert verify(bundle) == ()
    return tuple(one.name for one in open_bundle(bundle).plan.tools)


def _alone(folder: Path) -> bool:
    """Nothing but the bundle stands there: no lock, no work folder."""
    return [path.name for path in folder.iterdir()] == ["plan"]


def test_same_plan_same_bytes(tmp_path: Path, one: Compiled, other: Compiled) -> None:
    """Two builds of one plan are equal byte for byte, over an old bundle or not (C02)."""
    write(one, tmp_path / "plan")
    first = _bytes(tmp_path / "plan")
    write(other, tmp_path / "plan")
    assert _bytes(tmp_path / "plan") != first
    write(one, tmp_path / "plan")
    assert _bytes(tmp_path / "plan") == first
    assert _alone(tmp_path)


@pytest.mark.slow
def test_same_bytes_whatever_the_environment(tmp_path: Path) -> None:
    """Hash seed, locale, time zone and folder change no byte (C02)."""
    seen = set()
    for number, environ in enumerate(
        ({"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "12345"}, {"LC_ALL": "tr_TR.UTF-8"}, {"TZ": "Pacific/Auckland"})
    ):
        out = tmp_path / str(number) / "plan"
        assert _run(str(out), "z,m,list_i,İx", **environ) == (0, "")
        seen.add(tuple(sorted(_bytes(out).items())))
    assert len(seen) == 1


def test_captured_at_changes_the_manifest_and_not_the_plan_digest(tmp_path: Path) -> None:
    """The plan's digest is of what it means; when it was captured is told and not part of it (C02)."""
    made = [
        write(compiled(tool("a", "x"), captured_at={"a": stamp}), tmp_path / "plan")
        for stamp in ("2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", None)
    ]
    assert len({manifest.plan_digest for manifest in made}) == 1
    assert len({manifest.digest for manifest in made}) == 3
    assert write(compiled(tool("a", "y")), tmp_path / "plan").plan_digest != made[0].plan_digest


def test_no_time_or_path_of_the_build_is_in_it(tmp_path: Path, one: Compiled) -> None:
    """Neither the folder nor the user of a build can be read in the bundle (C02)."""
    write(one, tmp_path / "plan")
    for data in _bytes(tmp_path / "plan").values():
        assert str(tmp_path).encode() not in data


@pytest.mark.slow
@pytest.mark.parametrize("stop", [None, *get_args(Step)])
def test_killed_after_a_step_the_old_or_the_new_is_whole(tmp_path: Path, stop: str | None) -> None:
    """A build killed at any step leaves one whole plan, and no lock that stops the next build (C02)."""
    plan = tmp_path / "plan"
    assert _run(str(plan), "old")[0] == 0
    code, _ = _run(str(plan), "new", *([stop] if stop else []))
    assert code == (-9 if stop else 0)
    assert _names(plan) == (("old",) if stop in get_args(Step)[:5] else ("new",))
    assert _run(str(plan), "third") == (0, "")
    assert _names(plan) == ("third",)
    assert _alone(tmp_path)


@pytest.mark.slow
def test_killed_at_any_moment_the_old_or_the_new_is_whole(tmp_path: Path) -> None:
    """20 moments spread over a build: each time one whole plan stands there (C02)."""
    plan = tmp_path / "plan"
    names = ",".join(f"tool{n}" for n in range(300))
    assert _run(str(plan), "old")[0] == 0
    with _start(str(tmp_path / "timed"), names) as process:
        assert process.stdout
        process.stdout.readline()
        begun = time.monotonic()
        process.wait(timeout=120)
        lasts = time.monotonic() - begun
    for moment in range(20):
        with _start(str(plan), names) as process:
            assert process.stdout
            process.stdout.readline()
            try:
                process.wait(timeout=lasts * moment / 16)
            except subprocess.TimeoutExpired:
                process.kill()
        assert len(_names(plan)) in (1, 300)
    assert _run(str(plan), "old")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan", "timed"]


@pytest.mark.slow
def test_eight_builds_at_once(tmp_path: Path) -> None:
    """Each ends with success or with plan-busy; one whole plan and no lock file are left (C02)."""
    plan = tmp_path / "plan"
    running = [_start(str(plan), f"t{n}") for n in range(8)]
    ends = []
    for process in running:
        _, err = process.communicate(timeout=120)
        ends.append((process.returncode, err.strip()))
    assert set(ends) <= {(0, ""), (1, "plan-busy")}
    assert (0, "") in ends
    assert len(_names(plan)) == 1
    assert _alone(tmp_path)


def test_a_held_lock_is_plan_busy_and_the_old_bundle_stays(bundle: Path, other: Compiled) -> None:
    """plan-busy, exit 2; nothing is touched (C02)."""
    before = _bytes(bundle)
    with held(bundle.with_name(".plan.lock")), pytest.raises(BundleNotWritten) as caught:
        write(other, bundle)
    assert [finding.slug for finding in caught.value.findings] == ["plan-busy"]
    assert caught.value.exit_code == 2
    assert _bytes(bundle) == before
    write(other, bundle)


def test_a_reader_sees_whole_plans_while_they_are_swapped(tmp_path: Path, one: Compiled, other: Compiled) -> None:
    """200 exchanges beneath a reader: no failed load, no list of one plan with definitions of the other (C03)."""
    plan = tmp_path / "plan"
    write(one, plan)
    write(other, tmp_path / "other")
    shutil.copytree(plan, tmp_path / "one")
    done = threading.Event()

    def swap() -> None:
        work = tmp_path / "work"
        for turn in range(200):
            shutil.copytree(tmp_path / ("other" if turn % 2 == 0 else "one"), work)
            exchange.put(work, plan)
            shutil.rmtree(work)
        done.set()

    writer = threading.Thread(target=swap)
    writer.start()
    loads = 0
    seen = set()
    try:
        while not done.is_set():
            opened = open_bundle(plan)
            names = tuple(opened.definition(row)["name"] for row in range(len(opened.plan.tools)))
            for file in opened.files.list():
                opened.files.read(file)
            seen.add(names)
            loads += 1
    finally:
        writer.join()
    assert seen <= {("get_y", "list_x"), ("list_x", "get_z")}
    assert loads > 10


def test_where_folders_cannot_be_exchanged(
    tmp_path: Path, one: Compiled, other: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two renames: readers wait out the gap, and a build killed in it has lost nothing (C02)."""
    monkeypatch.setattr(exchange, "_exchange", lambda new, place: False)
    plan = tmp_path / "plan"
    write(one, plan)
    done = threading.Event()

    def swap() -> None:
        for turn in range(50):
            write(other if turn % 2 == 0 else one, plan)
        done.set()

    writer = threading.Thread(target=swap)
    writer.start()
    try:
        while not done.is_set():
            assert len(open_bundle(plan).plan.tools) == 2
    finally:
        writer.join()
    assert _alone(tmp_path)

    plan.rename(tmp_path / ".plan.old")
    monkeypatch.setattr("mcpexpose.bundle.read.PATIENCE_S", 0.05)
    assert len(open_bundle(plan).plan.tools) == 2
    with held(tmp_path / ".plan.lock"), pytest.raises(BundleNotWritten):
        write(one, plan)
    write(one, plan)
    assert _names(plan) == ("get_y", "list_x")
    assert _alone(tmp_path)


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path, one: Compiled) -> None:
    """Nothing but a plan, or what is left of one, is replaced (C02)."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    (mine / "manifest.json").write_text('{"name": "a web app"}')
    with pytest.raises(BundleNotWritten, match="other files"):
        write(one, mine)
    assert (mine / "thesis.txt").read_text() == "years of work"
    (tmp_path / "file").write_text("x")
    with pytest.raises(BundleNotWritten, match="is a file"):
        write(one, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    write(one, tmp_path / "empty")
    assert _names(tmp_path / "empty") == ("get_y", "list_x")


def test_a_damaged_bundle_is_replaced(bundle: Path, one: Compiled) -> None:
    """Building again heals whatever was done to the folder (C02)."""
    for file in ("manifest.json", "plan.json"):
        (bundle / file).write_bytes(b"\x80\x04broken")
        write(one, bundle)
        assert verify(bundle) == ()
    (bundle / "stranger").write_text("x")
    write(one, bundle)
    assert verify(bundle) == ()


def test_a_link_as_the_place_is_followed(tmp_path: Path, one: Compiled, other: Compiled) -> None:
    """The operator's own link to a folder stays a link; what it names is replaced (C02)."""
    write(one, tmp_path / "real" / "plan")
    (tmp_path / "link").symlink_to("real/plan")
    write(other, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert _names(tmp_path / "real" / "plan") == ("list_x", "get_z")
    assert len(open_bundle(tmp_path / "link").plan.tools) == 2


def test_no_room_leaves_the_old_bundle(bundle: Path, other: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is plan-not-writable; the old bundle and nothing else is there (C02)."""
    before = _bytes(bundle)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BundleNotWritten, match="No space left on device") as caught:
        write(other, bundle)
    assert [finding.slug for finding in caught.value.findings] == ["plan-not-writable"]
    assert _bytes(bundle) == before
    assert _alone(bundle.parent)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_no_rights_leave_the_old_bundle(bundle: Path, other: Compiled) -> None:
    """A folder without rights is plan-not-writable, and can still be loaded (C02)."""
    for folder in (bundle.parent, bundle, bundle / "index"):
        folder.chmod(0o555)
        try:
            with pytest.raises(BundleNotWritten, match="plan-not-writable"):
                write(other, bundle)
            assert _names(bundle) == ("get_y", "list_x")
        finally:
            folder.chmod(0o755)


def test_a_plan_with_errors_is_not_written(tmp_path: Path, one: Compiled) -> None:
    """What the operator wrote must be right: with an error in it nothing is written (C02)."""
    fault = Finding("policy-conflict", Severity.ERROR, "two patterns disagree", ("a",))
    with pytest.raises(PlanRefused) as caught:
        write(replace(one, writable=False, findings=(fault,)), tmp_path / "plan")
    assert caught.value.findings == (fault,)
    with pytest.raises(InputMissing):
        open_bundle(tmp_path / "plan")


def test_steps_are_reported_in_order(tmp_path: Path, one: Compiled) -> None:
    """A long build can be followed (C02)."""
    steps: list[Step] = []
    write(one, tmp_path / "deep" / "er" / "plan", progress=steps.append)
    assert tuple(steps) == get_args(Step)


@pytest.mark.parametrize("name", ["index", "plan.json", "manifest.json"])
def test_a_folder_of_somebody_elses_is_left_alone(tmp_path: Path, one: Compiled, name: str) -> None:
    """A site has an `index`, an application a `manifest.json`: no file there is taken for a bundle's (C02)."""
    place = tmp_path / "build"
    place.mkdir()
    if name == "index":
        (place / name).mkdir()
        (place / name / "page.html").write_text("mine")
    else:
        (place / name).write_text("{}")
    with pytest.raises(BundleNotWritten, match="other files"):
        write(one, place)
    assert [path.name for path in place.iterdir()] == [name]


def test_a_bundle_without_its_manifest_is_built_again(tmp_path: Path, one: Compiled) -> None:
    """What is left of a bundle is one: the next build mends it (C02)."""
    place = tmp_path / "build"
    write(one, place)
    (place / "manifest.json").unlink()
    write(one, place)
    assert verify(place) == ()
