"""What an `assert` step holds against the state that the steps before it left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import calls
from tests.acceptance.harness.case import catalog_path
from tests.acceptance.harness.scene import Scene, file_bytes
from tests.acceptance.harness.sessions import at_pointer, captured_tool, check_freshness, inspected
from tests.fakes import control

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Step = dict[str, Any]


def hold(scene: Scene, step: Step, label: str) -> None:
    """What must hold now; keys that rest on what was left out are left out too."""
    for key, value in step.items():
        if key in ("do", "note", "expect"):
            continue
        test = ASSERTIONS.get(key)
        if test is None:
            scene.checks.that(False, f"{label}: an assertion that the harness knows", key)
        elif scene.clouded("assert") and key not in UNCLOUDED:
            scene.checks.leave_out(f"{label}: {key}", "it rests on a step that is left out")
        else:
            test(scene, value, label)


def _same_answer(scene: Scene, names: list[str], label: str) -> None:
    answers = []
    for name in names:
        saved = dict(scene.saved.get(name, {"missing": name}))
        text = json.dumps(
            {key: value for key, value in saved.items() if key not in ("asked", "seconds")}, sort_keys=True
        )
        for part in sorted(set(saved.get("asked", ())), key=len, reverse=True):
            if len(part) > 1:
                text = text.replace(part, "*")
            else:  # a name of one letter stands quoted or beside the slash only
                text = text.replace(f'"{part}"', '"*"').replace(f"/{part}", "/*").replace(f'\\"{part}\\"', '\\"*\\"')
        answers.append(text)
    scene.checks.that(len(set(answers)) == 1, f"{label}: one and the same answer for {names}", answers)


def _list_requests(scene: Scene, value: dict[str, Any], label: str) -> None:
    asked = control.cursors(scene.scripts, value["server"])
    scene.checks.that(len(asked) <= value["max"], f"{label}: at most {value['max']} list requests", asked)


def _final_seen(scene: Scene, names: list[str], label: str) -> None:
    listed = scene.ask("listed")
    scene.checks.equal(sorted(listed.get("names", [])), sorted(names), f"{label}: the names in the last list")


def _catalog_unchanged(scene: Scene, value: str, label: str) -> None:
    for name in [value] if isinstance(value, str) else value:
        path = catalog_path(
            scene.work, name.removesuffix(".gz").removesuffix(".catalog.json"), zipped=name.endswith(".gz")
        )
        before = scene.given.get(path.relative_to(scene.work).as_posix())
        scene.checks.that(path.is_file() and path.read_bytes() == before, f"{label}: {path.name} is unchanged")


def _plan_unchanged(scene: Scene, value: str, label: str) -> None:
    before = scene.snapshots.get(value)
    if before is None:
        scene.checks.that(False, f"{label}: a plan at {value} to compare with", sorted(scene.snapshots))
        return
    same, differing = _compare(file_bytes(before), file_bytes(scene.work / value))
    scene.checks.that(same, f"{label}: {value} is unchanged", differing)


def _byte_equal(scene: Scene, value: Any, label: str) -> None:
    names = [value] if isinstance(value, str) else list(value)
    if len(names) == 1:
        _plan_unchanged(scene, names[0], label)
        return
    contents = [_content(scene.work / name) for name in names]
    for name, content in zip(names[1:], contents[1:], strict=True):
        same, differing = _compare(contents[0], content)
        scene.checks.that(same, f"{label}: {name} equals {names[0]} byte for byte", differing)


def _content(path: Path) -> dict[str, bytes]:
    return file_bytes(path) if path.is_dir() else {"": path.read_bytes()}


def _compare(one: dict[str, bytes], other: dict[str, bytes]) -> tuple[bool, list[str]]:
    return one == other, sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _enum_order(scene: Scene, value: Any, label: str) -> None:
    """`server/tool#/pointer`, or such pointers with the order each: the enum as it was captured."""
    wanted = value if isinstance(value, dict) else dict.fromkeys([value] if isinstance(value, str) else value)
    for subject, order in wanted.items():
        owner, _, pointer = subject.partition("#")
        server, _, tool = owner.partition("/")
        schema = inspected(scene, server, tool).get("definition", {}).get("inputSchema", {})
        captured = at_pointer(captured_tool(scene, server, tool).get("inputSchema", {}), pointer)
        scene.checks.equal(at_pointer(schema, pointer), order or captured, f"{label}: the order of {subject}")


def _excludes(scene: Scene, value: Any, label: str) -> None:
    for text in [value] if isinstance(value, str) else value:
        hits = [each for each in scene.model_texts if text in each]
        scene.checks.that(not hits, f"{label}: nothing for the model holds {text!r}", hits[:1])


ASSERTIONS: dict[str, Callable[[Scene, Any, str], None]] = {
    "same_answer": _same_answer,
    "list_requests": _list_requests,
    "stale": lambda scene, value, label: check_freshness(scene, value, fresh=False, label=label),
    "fresh": lambda scene, value, label: check_freshness(scene, value, fresh=True, label=label),
    "final_seen": _final_seen,
    "catalog_file_unchanged": _catalog_unchanged,
    "plan_unchanged": _plan_unchanged,
    "byte_equal": _byte_equal,
    "enum_order": _enum_order,
    "gateway_notifications": calls.gateway_notifications,
    "model_text_excludes": _excludes,
}
UNCLOUDED = {"byte_equal", "model_text_excludes"}
"""Assertions that hold whatever was left out before them."""
