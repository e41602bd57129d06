"""Steps that build plans again and again: under other environments, side by side, killed, while others read."""

from __future__ import annotations

import json
import shutil
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import findings
from tests.acceptance.harness.host import HostSilent
from tests.acceptance.harness.judging import judge
from tests.acceptance.harness.scene import DEFAULT_OUT, Scene, copy_tree, file_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.harness.product import Ran

Step = dict[str, Any]
SPREAD = 20
"""Kills of one `plan-killed` where its points are not to be found."""


def fingerprint(loaded: dict[str, Any]) -> str:
    """What a host sees of a loaded plan, as a text that is equal for equal plans."""
    return json.dumps([loaded.get(key) for key in ("tools", "declared", "section", "found")], sort_keys=True)


# plan-repeat


def repeat(scene: Scene, step: Step, label: str) -> None:
    """Builds under each environment, in processes of their own, to be equal byte for byte."""
    built, lists, codes = [], [], []
    for number, env in enumerate(step["envs"]):
        out = scene.aside / f"repeat-{number}"
        config = step.get("config", "config.toml")
        words = ["--config", config]
        ran = scene.run(
            ["plan", *words, "--out", str(out), "--format", "json"], label=label, env=_texts(env), own_process=True
        )
        scene.checks.that(
            (out / "manifest.json").is_file(), f"{label}: a plan under {env}", f"exit {ran.code}: {ran.err[-300:]}"
        )
        codes.append(ran.code)
        built.append(file_bytes(out) if out.is_dir() else {})
        shown = scene.run(["show", *words, "--format", "json"], label=label, env=_texts(env), own_process=True)
        lists.append(shown.out)
        shutil.rmtree(out, ignore_errors=True)
    wanted = step.get("expect", {}).get("byte_equal", [])
    judge(scene, step, label, codes=codes, found=[])
    for env, files, shown_text in zip(step["envs"][1:], built[1:], lists[1:], strict=True):
        differing = sorted(name for name in built[0].keys() | files.keys() if built[0].get(name) != files.get(name))
        scene.checks.that(not differing, f"{label}: under {env} the same plan, byte for byte", differing)
        if any("list" in name or "model" in name for name in wanted):
            same = shown_text == lists[0] and bool(shown_text.strip())
            scene.checks.that(same, f"{label}: under {env} the same request 1", (lists[0][:400], shown_text[:400]))


def alternate(scene: Scene, step: Step, label: str) -> None:
    """Builds of the configs in turn, a while or some times."""
    until = time.monotonic() + step.get("seconds", 0)
    ran = _alternate(scene, step, label, until=until, times=step.get("times", 2))
    for each in ran:
        scene.keep(each)
    scene.last_plan = step.get("out", DEFAULT_OUT)
    judge(scene, step, label, codes=[each.code for each in ran], found=[])


def _alternate(scene: Scene, step: Step, label: str, *, until: float, times: int) -> list[Ran]:
    ran, turn = [], 0
    while turn < times or time.monotonic() < until:
        config = step["configs"][turn % len(step["configs"])]
        ran.append(_build(scene, config, step.get("out", DEFAULT_OUT), label))
        turn += 1
    return ran


def _build(scene: Scene, config: str, out: str, label: str, env: dict[str, str] | None = None) -> Ran:
    words = ["plan", "--config", config, "--out", out, "--format", "json"]
    return scene.run(words, label=label, own_process=True, env=env, record=False)


# parallel


@dataclass
class Lane:
    """One of several steps that run at the same time."""

    step: Step
    builds: list[Ran] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    trouble: str = ""


def parallel(scene: Scene, step: Step, label: str) -> None:
    """Several steps at once; builders work their times or seconds, readers go on until the builders are done."""
    lanes = [Lane(each) for each in step["steps"]]
    expect = step.get("expect", {})
    references = _references(scene, lanes, label)
    done = threading.Event()
    until = time.monotonic() + step.get("seconds", 0)
    times = step.get("times", 1)

    def work(lane: Lane) -> None:
        try:
            if _reads(lane.step):
                _read_on(scene, lane, done)
            elif lane.step["do"] == "plan-alternate":
                lane.builds = _alternate(scene, lane.step, label, until=until, times=max(times, 2))
            else:
                for _ in range(int(lane.step.get("times", times))):
                    lane.builds.append(_command(scene, lane.step, label))
        except (OSError, HostSilent, ValueError) as error:
            lane.trouble = f"{type(error).__name__}: {error}"

    threads = [threading.Thread(target=work, args=(lane,)) for lane in lanes]
    builders = [thread for thread, lane in zip(threads, lanes, strict=True) if not _reads(lane.step)]
    for thread in threads:
        thread.start()
    for thread in builders:
        thread.join()
    done.set()
    for thread in threads:
        thread.join()
    for lane in lanes:
        scene.checks.that(not lane.trouble, f"{label}: {lane.step['do']} runs to its end", lane.trouble)
        _judge_lane(scene, lane, expect, references, label)
    _judge_result(scene, [lane for lane in lanes if lane.builds], label)


def _reads(step: Step) -> bool:
    return str(step["do"]).startswith("load")


def _command(scene: Scene, step: Step, label: str) -> Ran:
    words = [step["do"], "--config", step.get("config", "config.toml")]
    if step["do"] in ("search", "find"):
        words = ["search", "--plan", str(step.get("path", scene.bundle()))]
    words += ["--out", step["out"]] if "out" in step else []
    words += ["--format", "json", *(["--", step["query"]] if "query" in step else [])]
    return scene.run(words, label=label, own_process=True, record=False)


def _references(scene: Scene, lanes: list[Lane], label: str) -> dict[str, str]:
    """Config: what a host sees of its plan, built alone; "old": of the plan that stands there now."""
    readers = [lane.step for lane in lanes if _reads(lane.step)]
    if not readers:
        return {}
    configs = sorted(
        {name for lane in lanes for name in lane.step.get("configs", [lane.step.get("config", "config.toml")])}
    )
    found = {config: _read_once(scene, readers[0], built_aside(scene, config, label)) for config in configs}
    if (scene.work / DEFAULT_OUT).is_dir():
        found["old"] = _read_once(scene, readers[0], scene.work / DEFAULT_OUT)
    return {name: fingerprint(answer) for name, answer in found.items()}


def _read_once(scene: Scene, step: Step, path: Path) -> dict[str, Any]:
    host = scene.new_host()
    try:
        host.ask("clock", now=scene.around.now)
        return host.ask("load_and_find", path=str(path), query=_query(step))
    finally:
        host.close()


def _read_on(scene: Scene, lane: Lane, done: threading.Event) -> None:
    """Load and ask, again and again, until the builders are DONE; once at least."""
    host = scene.new_host()
    try:
        host.ask("clock", now=scene.around.now)
        while not (done.is_set() and lane.answers):
            path = str(lane.step.get("path") or scene.bundle() or DEFAULT_OUT)
            lane.answers.append(host.ask("load_and_find", path=path, query=_query(lane.step)))
    finally:
        host.close()


def _query(step: Step) -> str:
    return str(step.get("query", "")) or "get list a b x y"


def _judge_lane(scene: Scene, lane: Lane, expect: Step, references: dict[str, str], label: str) -> None:
    for ran in lane.builds:
        scene.keep(ran)
        busy = ran.code == 2 and "plan-busy" in ran.text
        right = ran.code in (0, 1) or busy
        scene.checks.that(
            right, f"{label}: {lane.step['do']} ends with success or plan-busy", f"exit {ran.code}: {ran.err[-300:]}"
        )
        if "expect" in lane.step and lane.step["expect"].get("exit") == "zero":
            scene.checks.equal(ran.code, 0, f"{label}: exit of {lane.step['do']}")
    if _reads(lane.step):
        scene.checks.that(bool(lane.answers), f"{label}: at least one load")
        failed = [answer["error"] for answer in lane.answers if "error" in answer]
        scene.checks.that(not failed, f"{label}: each of {len(lane.answers)} loads succeeds", failed[:2])
        wholes = set(references.values())
        torn = [answer for answer in lane.answers if "error" not in answer and fingerprint(answer) not in wholes]
        what = expect.get("each_load") or expect.get("all_searches") or "one whole plan"
        scene.checks.that(not torn, f"{label}: each load sees {what} ({len(lane.answers)} loads)", torn[:1])


def _judge_result(scene: Scene, builders: list[Lane], label: str) -> None:
    """After builds side by side one whole plan stands there, and one of them at least succeeded."""
    for out in sorted({lane.step["out"] for lane in builders if "out" in lane.step}):
        codes = [ran.code for lane in builders if lane.step.get("out") == out for ran in lane.builds]
        scene.checks.that(any(code in (0, 1) for code in codes), f"{label}: one build of {out} succeeds", codes)
        scene.last_plan = out
        ran = scene.run(["verify", "--format", "json", "--", out], label=label, now=False)
        scene.checks.that(ran.code == 0, f"{label}: {out} is one whole plan", ran.text[-400:])
        scene.snapshot(out)


def load_and(scene: Scene, step: Step, label: str) -> None:
    """The same reader as a step of its own."""
    for _ in range(step.get("times", 1)):
        answer = _read_once(scene, step, scene.work / str(step.get("path") or scene.bundle() or DEFAULT_OUT))
        scene.checks.that("error" not in answer, f"{label}: the plan loads", answer.get("error"))


# plan-killed


def killed(scene: Scene, step: Step, label: str) -> None:
    """Builds that die at chosen acts on the disk; after each a host sees the old plan or the new one, whole."""
    out, config = step.get("out", str(scene.bundle() or DEFAULT_OUT)), step.get("config", "config.toml")
    target = scene.work / out
    old = scene.aside / "killed-old"
    if target.is_dir():
        copy_tree(target, old)
    moments = _moments(scene, config, out)
    scene.checks.that(len(moments) > 2, f"{label}: acts on the disk that a build can die at", moments)
    whole = wholes(scene, out)
    for name, moment in _points(step.get("points"), moments):
        if old.is_dir():
            copy_tree(old, target)
        env = {**scene.shim(), "ACCEPTANCE_ROOT": str(scene.work), "ACCEPTANCE_KILL_AT": str(moment)}
        ran = _build(scene, config, out, label, env)
        where = f"{label}, {name} (act {moment} of {len(moments)})"
        if ran.code >= 0:  # a build with fewer acts than the rehearsal had: it ended before
            scene.keep(ran)
        if not target.is_dir():
            scene.checks.that(not old.is_dir(), f"{where}: a plan stands there", "none")
            continue
        answer = scene.ask("load", path=out)
        right = "error" not in answer and fingerprint(answer) in whole
        scene.checks.that(
            right, f"{where}: the whole old plan or the whole new one", answer.get("error", answer.get("tools"))
        )
        check = scene.run(["verify", "--format", "json", "--", out], label=label, now=False)
        scene.checks.that(check.code == 0, f"{where}: verify finds it whole", check.text[-300:])
    ran = _build(scene, config, out, label)
    scene.keep(ran)
    scene.checks.that(
        ran.code in (0, 1) and target.is_dir(),
        f"{label}: the next build goes through",
        f"exit {ran.code}: {ran.err[-300:]}",
    )
    judge(scene, step, label, codes=[ran.code], found=findings.of_run(ran))
    left = sorted(
        path.name for path in target.parent.iterdir() if path.is_dir() and path != target and out in path.name
    )
    scene.checks.that(not left, f"{label}: the next build cleans what dead ones left", left)


def _moments(scene: Scene, config: str, out: str) -> list[str]:
    """The acts of one build, rehearsed in a copy of the folder."""
    copy, log = scene.aside / "rehearsal", scene.aside / "moments"
    copy_tree(scene.work, copy)
    log.unlink(missing_ok=True)
    place, scene.around.work = scene.around.work, copy
    try:
        env = {**scene.shim(), "ACCEPTANCE_ROOT": str(copy), "ACCEPTANCE_LOG": str(log)}
        _build(scene, config, out, "rehearsal", env)
    finally:
        scene.around.work = place
    scene.snapshots[f"new of {out}"] = scene.aside / "killed-new"
    copy_tree(copy / out, scene.aside / "killed-new")
    shutil.rmtree(copy)
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def _points(named: list[str] | None, moments: list[str]) -> list[tuple[str, int]]:
    """Name and act (from 1) of each kill: the named points as far as they are to be found, else a spread."""
    writes = [number for number, act in enumerate(moments, 1) if act.startswith("write")]
    index = [number for number, act in enumerate(moments, 1) if act.startswith("write") and "index" in act]
    moves = [number for number, act in enumerate(moments, 1) if act.startswith(("symbol", "os.rename"))]
    known: dict[str, int] = {}
    if len(writes) > 1:
        known["after-first-file"] = writes[1]
    if index and index[-1] < len(moments):
        known["after-index"] = index[-1] + 1
    if moves:
        known["before-commit"] = moves[0]
        known["during-rename"] = min(moves[-1] + 1, len(moments))
    points = [(name, known[name]) for name in named or [] if name in known]
    if named and len(points) == len(named):
        return points
    spread = sorted({1 + number * (len(moments) - 1) // max(SPREAD - 1, 1) for number in range(SPREAD)})
    return [*points, *((f"spread {n}", moment) for n, moment in enumerate(spread, 1) if moment <= len(moments))]


def wholes(scene: Scene, out: str) -> set[str]:
    """Fingerprints of the old plan (the snapshot) and of the new one, as each loads alone."""
    prints = set()
    for name in (out, f"new of {out}"):
        path = scene.snapshots.get(name)
        if path is not None and path.is_dir():
            prints.add(fingerprint(_state(scene, path)))
    return prints


def _state(scene: Scene, path: Path) -> dict[str, Any]:
    host = scene.new_host()
    try:
        host.ask("clock", now=scene.around.now)
        return host.ask("load", path=str(path))
    finally:
        host.close()


def built_aside(scene: Scene, config: str, label: str) -> Path:
    """The plan of CONFIG, built alone, outside the working folder."""
    out = scene.aside / f"alone-{config}"
    if not out.is_dir():
        ran = _build(scene, config, str(out), label)
        scene.checks.that(
            (out / "manifest.json").is_file(), f"{label}: {config} can be built", f"exit {ran.code}: {ran.err[-300:]}"
        )
        scene.seen += findings.of_run(ran)
    return out


DRIVERS: dict[str, Callable[[Scene, Step, str], None]] = {
    "plan-repeat": repeat,
    "plan-alternate": alternate,
    "parallel": parallel,
    "load-and-list": load_and,
    "load-and-search": load_and,
    "plan-killed": killed,
}


def _texts(env: Step) -> dict[str, str]:
    return {name: str(value) for name, value in env.items()}
