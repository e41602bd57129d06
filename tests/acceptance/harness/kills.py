"""Builds that are killed at chosen acts on the disk: whatever the moment, a reader sees one whole plan."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import findings
from tests.acceptance.harness.builds import build, fingerprint
from tests.acceptance.harness.judging import judge
from tests.acceptance.harness.scene import DEFAULT_OUT, Scene, copy_tree

if TYPE_CHECKING:
    from pathlib import Path

Step = dict[str, Any]
SPREAD = 20
"""Kills of one `plan-killed` where its points are not to be found."""


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
    for name, moment in points(step.get("points"), moments):
        if old.is_dir():
            copy_tree(old, target)
        env = {**scene.shim(), "ACCEPTANCE_ROOT": str(scene.work), "ACCEPTANCE_KILL_AT": str(moment)}
        ran = build(scene, config, out, label, env)
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
    ran = build(scene, config, out, label)
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
        build(scene, config, out, "rehearsal", env)
    finally:
        scene.around.work = place
    scene.snapshots[f"new of {out}"] = scene.aside / "killed-new"
    copy_tree(copy / out, scene.aside / "killed-new")
    shutil.rmtree(copy)
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def points(named: list[str] | None, moments: list[str]) -> list[tuple[str, int]]:
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
    found = [(name, known[name]) for name in named or [] if name in known]
    if named and len(found) == len(named):
        return found
    spread = sorted({1 + number * (len(moments) - 1) // max(SPREAD - 1, 1) for number in range(SPREAD)})
    return [*found, *((f"spread {n}", moment) for n, moment in enumerate(spread, 1) if moment <= len(moments))]


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
