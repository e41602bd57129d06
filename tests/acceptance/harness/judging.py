"""The parts of a step's `expect` that every kind has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.acceptance.harness.findings import Seen
    from tests.acceptance.harness.scene import Scene

Step = dict[str, Any]


def judge(
    scene: Scene,
    step: Step,
    label: str,
    *,
    codes: list[int],
    found: list[Seen],
    seconds: float | None = None,
) -> None:
    """Hold exit codes, reported kinds, time and files against the `expect` of a step, unless it is not to be judged."""
    expect = step.get("expect", {})
    if not expect:
        return
    if scene.clouded(step["do"]):
        scene.checks.leave_out(f"{label}: its expectations", "they rest on a step that is left out")
        return
    slugs = sorted({seen.slug for seen in found})
    for code in codes:
        if "exit" in expect:
            scene.checks.that(
                (code == 0) == (expect["exit"] == "zero"), f"{label}: exit {expect['exit']}", f"exit {code}, {slugs}"
            )
    if "diagnostics" in expect:
        scene.checks.that(set(expect["diagnostics"]) <= set(slugs), f"{label}: reports {expect['diagnostics']}", slugs)
    if "diagnostics_in" in expect:
        scene.checks.that(
            bool(set(expect["diagnostics_in"]) & set(slugs)),
            f"{label}: reports one of {expect['diagnostics_in']}",
            slugs,
        )
    if "max_seconds" in expect and seconds is not None:
        scene.checks.in_time(seconds, expect["max_seconds"], label)
    if "no_file" in expect:
        names = [expect["no_file"]] if isinstance(expect["no_file"], str) else expect["no_file"]
        there = [name for name in names if (scene.work / name).exists()]
        scene.checks.that(not there, f"{label}: no file {names}", there)
