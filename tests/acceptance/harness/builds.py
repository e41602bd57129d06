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
from tests.acceptance.harness.scene import DEFAULT_OUT, Scene, file_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.harness.product import Ran

Step = dict[str, Any]


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
        ran.append(build(scene, config, step.get("out", DEFAULT_OUT), label))
        turn += 1
    return ran


def build(scene: Scene, config: str, out: str, label: str, env: dict[str, str] | None = None) -> Ran:
    words = ["plan", "--config", config, "--out", out, "--format", "json"]
    return scene.run(words, label=label, env=env, record=False)


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
                for _ in range(lane.step.get("times") or times):
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


def _references(scene: Scene, lanes: list[Lane], label: str) -> dict[str, set[str]]:
    """Query of a reader: what a host sees of each plan that may stand there, built alone or standing there now."""
    queries = {_query(lane.step) for lane in lanes if _reads(lane.step)}
    if not queries:
        return {}
    configs = {name for lane in lanes for name in lane.step.get("configs", [lane.step.get("config", "config.toml")])}
    plans = [built_aside(scene, config, label) for config in sorted(configs)]
    if (scene.work / DEFAULT_OUT).is_dir():
        plans.append(scene.work / DEFAULT_OUT)
    return {query: {fingerprint(_read_once(scene, query, plan)) for plan in plans} for query in queries}


def _read_once(scene: Scene, query: str, path: Path) -> dict[str, Any]:
    host = scene.new_host()
    try:
        host.ask("clock", now=scene.around.now)
        return host.ask("load_and_find", path=str(path), query=query)
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


def _judge_lane(scene: Scene, lane: Lane, expect: Step, references: dict[str, set[str]], label: str) -> None:
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
        wholes = references[_query(lane.step)]
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
        answer = _read_once(scene, _query(step), scene.work / str(step.get("path") or scene.bundle() or DEFAULT_OUT))
        scene.checks.that("error" not in answer, f"{label}: the plan loads", answer.get("error"))


def built_aside(scene: Scene, config: str, label: str) -> Path:
    """The plan of CONFIG, built alone, outside the working folder."""
    out = scene.aside / f"alone-{config}"
    if not out.is_dir():
        ran = build(scene, config, str(out), label)
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
}


def _texts(env: Step) -> dict[str, str]:
    return {name: str(value) for name, value in env.items()}
