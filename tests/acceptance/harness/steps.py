"""The steps of a case, one driver a kind; `run_steps` takes them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.acceptance import not_yet
from tests.acceptance.harness import builds, bundle_faults, calls, findings, kills, servers, sessions, stored
from tests.acceptance.harness.assertions import hold
from tests.acceptance.harness.judging import judge, overlooked
from tests.acceptance.harness.searches import search

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.harness.scene import Scene

Step = dict[str, Any]
NEEDS_SESSION = {"search", "find", "inspect", "call", "call-python", "call-by-exposed-name", "approve", "assert"}


def run_steps(scene: Scene, steps: list[Step]) -> None:
    """Run the steps in order; those that need what is not built are left out, with what rests on them."""
    has_load = any(step["do"] in ("load", "reload") for step in steps)
    has_plan = any(step["do"] == "plan" and "out" in step for step in steps)
    runnable = [step for step in steps if not_yet.step_needs(step) is None]
    if not has_load and not has_plan and any(needs_session(step) for step in runnable):
        sessions.load(scene, {"do": "load"}, "before the steps: the plan of the case")
    for number, step in enumerate(steps, 1):
        label = f"step {number}: {step['do']}"
        if part := not_yet.step_needs(step):
            scene.leave_out(label, part)
            continue
        if not has_load and not scene.session_open and needs_session(step) and step["do"] not in ("search", "find"):
            sessions.load(scene, {"do": "load"}, f"{label}: the plan of the case")
        try:
            run_step(scene, step, label)
        except stored.CannotRun as reason:
            scene.checks.leave_out(f"{label} and what follows", str(reason))
            scene.left_out_parts.add("machine")
            return
        except FileNotFoundError as missing:
            scene.checks.that(False, f"{label}: the files that it works on", str(missing))
        except bundle_faults.NothingToChange as nothing:
            scene.checks.that(False, f"{label}: something to change", str(nothing))


def needs_session(step: Step) -> bool:
    if step["do"] == "assert":
        return bool({"stale", "fresh", "enum_order", "same_answer"} & step.keys())
    return step["do"] in NEEDS_SESSION


def run_step(scene: Scene, step: Step, label: str) -> None:
    """Run one step by its kind."""
    driver = DRIVERS.get(step["do"])
    if driver is None:
        scene.checks.that(False, f"{label}: a step that the harness knows", step)
        return
    for key in sorted(overlooked(step)):
        scene.checks.that(False, f"{label}: an expectation that is looked at", key)
    driver(scene, step, label)


def lint(scene: Scene, step: Step, label: str) -> None:
    for _ in range(step.get("times", 1)):
        ran = scene.lint(step.get("config", "config.toml"), label)
        judge(scene, step, label, codes=[ran.code], found=findings.of_run(ran), seconds=ran.seconds)


def plan(scene: Scene, step: Step, label: str) -> None:
    for _ in range(step.get("times", 1)):
        ran = scene.plan(step.get("config", "config.toml"), label, out=step.get("out"), against=step.get("against"))
        judge(scene, step, label, codes=[ran.code], found=findings.of_run(ran), seconds=ran.seconds)
        if step.get("out"):
            if (scene.work / step["out"] / "manifest.json").is_file():
                scene.last_plan = step["out"]
            scene.remember_plan(step["out"], ran)


def lock(scene: Scene, step: Step, label: str) -> None:
    ran = scene.run(["lock", "--config", step.get("config", "config.toml")], label=label, now=False)
    judge(scene, step, label, codes=[ran.code], found=findings.of_run(ran))


def clock(scene: Scene, step: Step, label: str) -> None:
    del label
    scene.around.now = step["now"]
    scene.ask("clock", now=step["now"])


def env(scene: Scene, step: Step, label: str) -> None:
    del label
    unset = step.get("unset", [])
    for name in [unset] if isinstance(unset, str) else unset:
        scene.around.variables.pop(name, None)
    for name, value in step.items():
        if name not in ("do", "unset", "expect", "note"):
            scene.around.variables[name] = str(value)


DRIVERS: dict[str, Callable[[Scene, Step, str], None]] = {
    "lint": lint,
    "plan": plan,
    "lock": lock,
    "load": sessions.load,
    "reload": sessions.reload,
    "search": search,
    "find": search,
    "inspect": sessions.inspect,
    "serve": servers.serve,
    "capture": servers.capture,
    "recapture": servers.recapture,
    "clock": clock,
    "env": env,
    "assert": hold,
    **stored.DRIVERS,
    **builds.DRIVERS,
    "plan-killed": kills.killed,
    **calls.DRIVERS,
}
