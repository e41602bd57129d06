"""Steps that change the stored plan, and what `verify` and a load must say of the result."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import builds, bundle_faults, findings
from tests.acceptance.harness.judging import judge
from tests.acceptance.harness.scene import DEFAULT_OUT, Scene, copy_tree, file_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

Step = dict[str, Any]


class CannotRun(Exception):
    """This machine or user cannot run the rest of the case."""


def fault(scene: Scene, step: Step, label: str) -> None:
    """One change of stored files, or with `each` one file after the other from a fresh plan."""
    change = bundle_faults.FAULTS[step["do"]]
    full = {**step, "work": str(scene.work)}
    new = step["do"] in bundle_faults.MAY_BE_NEW
    paths = bundle_faults.targets(scene.work, step, may_be_new=new)
    if "symlink" in step["do"]:
        scene.secrets.append(bundle_faults.LINK_TEXT)
    if not step.get("each"):
        before = [_shape(path) for path in paths]
        for path in paths:
            change(path, full)
        _ours(scene, paths)
        check_damaged(scene, step, label, bytes_alone=before == [_shape(path) for path in paths])
        return
    bundle = str(scene.bundle())
    fresh = scene.aside / "fresh"
    copy_tree(scene.work / bundle, fresh)
    for path in paths:
        before = [_shape(path)]
        change(path, full)
        _ours(scene, [path])
        where = f"{label} of {path.relative_to(scene.work)}"
        check_damaged(scene, step, where, bytes_alone=before == [_shape(path)])
        copy_tree(fresh, scene.work / bundle)


def _ours(scene: Scene, paths: list[Path]) -> None:
    """Note what the test itself wrote: files that it changed, and targets of links that it made."""
    for name, data in file_bytes(scene.work).items():
        if scene.work / name in paths or data.strip() == bundle_faults.LINK_TEXT.encode():
            scene.given[name] = data


def _shape(path: Path) -> tuple[int, int] | None:
    """Kind and size: what loading checks of every file."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return stat.S_IFMT(status.st_mode), status.st_size


def check_damaged(scene: Scene, step: Step, label: str, *, bytes_alone: bool = False) -> None:
    """The `expect` of a change: of `verify` on the result, and of a load too, but where it changed bytes alone."""
    if "expect" not in step:
        return
    bundle = str(scene.bundle())
    ran = scene.run(["verify", "--format", "json", "--", bundle], label=label, now=False)
    judge(scene, step, f"{label}, verify", codes=[ran.code], found=findings.of_run(ran), seconds=ran.seconds)
    answer = scene.ask("load", path=bundle)
    scene.session_open = "error" not in answer
    found = [findings.from_json(each, "load", label) for each in (answer.get("error") or {}).get("findings", [])]
    if scene.session_open and bytes_alone:
        return
    judge(scene, step, f"{label}, load", codes=[0 if scene.session_open else 1], found=found, seconds=answer["seconds"])


def json_set(scene: Scene, step: Step, label: str) -> None:
    is_manifest = step["file"] == "plan manifest"
    path = scene.work / (f"{scene.bundle()}/manifest.json" if is_manifest else step["file"])
    if str(step["value"]).startswith(("..", "/")):
        _make_outside(scene, step["value"])
    bundle_faults.set_json(path, step["pointer"], step["value"], is_manifest=is_manifest)
    check_damaged(scene, step, label)


def _make_outside(scene: Scene, value: str) -> None:
    """A file outside the plan that a path in the manifest leads to, so that reading it would show."""
    place = Path(os.path.normpath(scene.work / str(scene.bundle()) / value))
    if place.is_relative_to(scene.work.parent) and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(bundle_faults.LINK_TEXT, encoding="utf-8")
        _ours(scene, [])
        scene.secrets.append(bundle_faults.LINK_TEXT)


def pickle_bomb(scene: Scene, step: Step, label: str) -> None:
    bundle_faults.pickle_bomb(scene.work, step, scene.work / str(scene.bundle()) / "manifest.json")
    check_damaged(scene, step, label, bytes_alone=bool(step.get("fix_digests")))


def swap_index(scene: Scene, step: Step, label: str) -> None:
    other = builds.built_aside(scene, step["config"], label)
    index = scene.work / (step.get("path") or f"{scene.bundle()}/index")
    copy_tree(other / "index", index)
    check_damaged(scene, step, label)


def chmod(scene: Scene, step: Step, label: str) -> None:
    if _is_above_rights(scene.aside):
        raise CannotRun(f"{label} takes away rights that bind no one who runs as root")
    mode = str(step.get("mode", "read-only"))
    root = scene.work / step["path"]
    for path in [root, *(root.rglob("*") if "recursive" in mode else ())]:
        if mode.startswith(("0", "5", "4", "7")):
            path.chmod(int(mode.split(",")[0], 8))
        else:
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def _is_above_rights(folder: Path) -> bool:
    """Whether this process writes where nobody may: root, unless without that capability."""
    probe = folder / "probe"
    probe.mkdir(mode=0o555, exist_ok=True)
    try:
        (probe / "file").write_bytes(b"")
    except PermissionError:
        return False
    return True


def disk_full(scene: Scene, step: Step, label: str) -> None:
    del label
    scene.room = step.get("after_bytes")


def snapshot(scene: Scene, step: Step, label: str) -> None:
    del label
    scene.snapshot(str(step.get("of") or step.get("path") or DEFAULT_OUT))


DRIVERS: dict[str, Callable[[Scene, Step, str], None]] = {
    "json-set": json_set,
    "fs-pickle-bomb": pickle_bomb,
    "fs-swap-index-with": swap_index,
    "fs-chmod": chmod,
    "disk-full": disk_full,
    "fs-snapshot": snapshot,
    **dict.fromkeys(bundle_faults.FAULTS, fault),
}
