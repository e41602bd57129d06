"""Steps of the fake servers and of capture, which alone talks to them."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import findings
from tests.acceptance.harness.case import catalog_path
from tests.acceptance.harness.judging import judge
from tests.acceptance.harness.scene import Scene, copy_tree
from tests.fakes import control

if TYPE_CHECKING:
    from pathlib import Path


Step = dict[str, Any]


def serve(scene: Scene, step: Step, label: str) -> None:
    del label
    script = {key: value for key, value in step.items() if key not in ("do", "server", "expect", "note")}
    if script.get("notify_on_list") is True:
        script["notify_on_list"] = "notifications/tools/list_changed"
    path = catalog_path(scene.work, step["server"])
    if path.is_file() and "tools" not in script:
        script["catalog"] = str(_frozen_catalog(scene, step["server"], path))
    control.serve(scene.scripts, step["server"], **script)


def serve_catalogs(scene: Scene) -> None:
    """Every fake server lists its catalog, until a step says otherwise."""
    for server in sorted(scene.servers):
        path = catalog_path(scene.work, server)
        with contextlib.suppress(OSError, ValueError):  # ids that are paths have no script
            if path.is_file():
                control.serve(scene.scripts, server, catalog=str(_frozen_catalog(scene, server, path)))


def _frozen_catalog(scene: Scene, server: str, path: Path) -> Path:
    """A copy, so that a capture that writes the file does not change what the server lists."""
    copy = scene.aside / "listed" / f"{server}.json"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    return copy


def capture(scene: Scene, step: Step, label: str) -> None:
    everyone = step["server"] == "*"
    servers = sorted(scene.servers) if everyone else [step["server"]]
    words = ["capture", "--config", step.get("config", "config.toml"), "--yes", *step.get("options", [])]
    words += [] if everyone else ["--", step["server"]]
    _capture_in_text(scene, words, label)
    before = {server: len(control.cursors(scene.scripts, server)) for server in servers}
    stood = {server: _bytes(catalog_path(scene.work, server)) for server in servers}
    ran = scene.run([words[0], "--format", "json", *words[1:]], label=label, own_process=True)
    judge(scene, step, label, codes=[ran.code], found=findings.of_run(ran), seconds=ran.seconds)
    expect, checks = step.get("expect", {}), scene.checks
    for server in servers:
        asked = control.cursors(scene.scripts, server)[before[server] :]
        if "requests" in expect:
            checks.equal(asked, expect["requests"], f"{label}: cursors asked of {server}")
        if "max_requests" in expect:
            checks.that(
                len(asked) <= expect["max_requests"], f"{label}: at most {expect['max_requests']} requests", asked
            )
        if "tools" in expect:
            path = catalog_path(scene.work, server)
            data = json.loads(path.read_bytes()) if path.is_file() else {"tools": []}
            names = sorted(tool.get("name") for tool in data["tools"])
            checks.equal(names, sorted(expect["tools"]), f"{label}: captured tools of {server}")
    for server, content in stood.items():
        broken = [str(seen) for seen in findings.of_run(ran) if seen.severity == "error" and server in seen.subjects]
        if broken:
            same = _bytes(catalog_path(scene.work, server)) == content
            checks.that(same, f"{label}: the catalog of {server} is left as it was", broken)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _capture_in_text(scene: Scene, words: list[str], label: str) -> None:
    """The same capture in a copy of everything, as text: what people see must name the subjects too."""
    copy = scene.aside / "capture-in-text"
    copy_tree(scene.work, copy / "case")
    copy_tree(scene.scripts, copy / "servers")
    control.install(copy / "bin", copy / "servers")
    real = scene.around
    scene.around = dataclasses.replace(real, work=copy / "case", programs=copy / "bin")
    try:
        scene.run(words, label=f"{label} (as text, in a copy)", own_process=True)
    finally:
        scene.around = real
        shutil.rmtree(copy, ignore_errors=True)  # a step may have taken the right to write there


def recapture(scene: Scene, step: Step, label: str) -> None:
    del label
    path = catalog_path(scene.work, step["server"])
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(scene.work / step["file"], path)
    name = path.relative_to(scene.work).as_posix()
    scene.given[name] = path.read_bytes()
    control.serve(scene.scripts, step["server"], catalog=str(_frozen_catalog(scene, step["server"], path)))
