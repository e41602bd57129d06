"""The parts of a step's `expect` that every kind has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.acceptance.harness.findings import Seen
    from tests.acceptance.harness.scene import Scene

Step = dict[str, Any]

COMMON = frozenset({"exit", "diagnostics", "diagnostics_in", "max_seconds", "no_file", "note"})
"""What `judge` holds; steps that do not call it have their own fields, and say of a foreign one that it is."""
OWN = {
    "load": {"stale", "fresh", "declares", "excludes", "plan"},
    "reload": {"stale", "fresh", "declares", "excludes", "plan"},
    "capture": {"tools", "requests", "max_requests"},
    "inspect": {"outcome", "schema_has", "schema_equals_captured"},
    "plan-repeat": {"byte_equal"},
    "parallel": {"each_load", "all_searches"},
}
"""What the steps of a kind hold beside that."""
UNJUDGED = frozenset(
    {
        *("serve", "recapture", "clock", "env", "approve", "resolve", "restart-host", "notify", "settle", "assert"),
        *("audit", "audit-sink", "json-set", "fs-chmod", "fs-snapshot", "disk-full"),
    }
)
"""Kinds that prepare something: what follows them is judged, and an `expect` of theirs would hold nothing."""


def check_fields(scene: Scene, step: Step, label: str) -> None:
    """A field of `expect` that nobody looks at would hide a fault."""
    known = set() if step["do"] in UNJUDGED else COMMON | OWN.get(step["do"], set())
    for key in step.get("expect", {}).keys() - known:
        scene.checks.that(False, f"{label}: a field of `expect` that is looked at", key)


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
        scene.checks.that(
            seconds <= expect["max_seconds"], f"{label}: within {expect['max_seconds']} s", f"{seconds:.2f} s"
        )
    if "no_file" in expect:
        names = [expect["no_file"]] if isinstance(expect["no_file"], str) else expect["no_file"]
        there = [name for name in names if (scene.work / name).exists()]
        scene.checks.that(not there, f"{label}: no file {names}", there)
