"""The parts of a step's `expect` that every kind has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.acceptance.harness.findings import Seen
    from tests.acceptance.harness.scene import Scene

Step = dict[str, Any]

_JUDGED = frozenset({"exit", "diagnostics", "diagnostics_in", "no_file", "note"})
_TIMED = _JUDGED | {"max_seconds"}
_CHANGES = ("fs-truncate", "fs-flip-byte", "fs-remove", "fs-add", "fs-write", "fs-symlink", "fs-fifo", "fs-pickle-bomb")
LOOKED_AT: dict[str, frozenset[str]] = {
    **dict.fromkeys(("lint", "plan", *_CHANGES, "fs-swap-index-with", "delete", "symlink", "json-set"), _TIMED),
    **dict.fromkeys(("lock", "plan-alternate", "plan-killed"), _JUDGED),
    "capture": _TIMED | {"tools", "requests", "max_requests"},
    "inspect": _TIMED | {"outcome", "schema_has", "schema_equals_captured"},
    "plan-repeat": _JUDGED | {"byte_equal"},
    "parallel": frozenset({"each_load", "all_searches", "note"}),
}
"""By step kind, what of its `expect` is looked at; call, load and search hold the rest against themselves."""
_HOLD_THEMSELVES = (
    *("call", "call-python", "call-by-exposed-name", "load", "reload", "search", "find"),
    *("gateway-list", "gateway-call", "gateway-session"),
)


def overlooked(step: Step) -> set[str]:
    """Fields of the `expect` of a step that nothing looks at, so that they would prove nothing."""
    if step["do"] in _HOLD_THEMSELVES:
        return set()
    return set(step.get("expect", {})) - LOOKED_AT.get(step["do"], frozenset({"note"}))


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
