"""Steps of a host's session: load, reload, inspect, and what they show."""

from __future__ import annotations

import json
from typing import Any

from tests.acceptance.harness import builds, findings, kills
from tests.acceptance.harness.case import catalog_path
from tests.acceptance.harness.judging import judge
from tests.acceptance.harness.scene import DEFAULT_OUT, Scene

Step = dict[str, Any]


def load(scene: Scene, step: Step, label: str) -> None:
    if "path" not in step and scene.last_plan is None:
        scene.build(f"{label} (builds the plan)")
    path = str(step.get("path") or scene.last_plan or DEFAULT_OUT)
    expect = step.get("expect", {})
    fields: dict[str, Any] = {key: step[key] for key in ("profile", "tools", "run_id") if key in step}
    scene.session_open = False
    answer = scene.ask("load", path=path, **fields)
    scene.session_open = "error" not in answer
    if scene.session_open:
        scene.loaded, scene.opened = answer, {"path": path, **fields}
        scene.loaded_manifest = _manifest(scene, path)
    _judge_loading(scene, step, label, answer, path)
    if not expect and not scene.session_open:
        scene.checks.that(False, f"{label}: the plan loads", answer["error"])


def reload(scene: Scene, step: Step, label: str) -> None:
    """The host's own act; one that keeps the last good plan, as another one was refused, ends nonzero."""
    answer = scene.ask("reload")
    path = str(step.get("path") or scene.last_plan or DEFAULT_OUT)
    if "error" not in answer:
        scene.loaded = answer
        if "refused" not in answer:
            scene.loaded_manifest = _manifest(scene, path)
    _judge_loading(scene, step, label, answer, path)


def _manifest(scene: Scene, path: str) -> bytes:
    file = scene.work / path / "manifest.json"
    return file.read_bytes() if file.is_file() else b""


def _judge_loading(scene: Scene, step: Step, label: str, answer: dict[str, Any], path: str) -> None:
    expect = step.get("expect", {})
    error = answer.get("error") or answer.get("refused")
    found = [findings.from_json(each, step["do"], label) for each in error["findings"]] if error else []
    judge(scene, step, label, codes=[1 if error else 0], found=found, seconds=answer["seconds"])
    if scene.clouded(step["do"]):
        return
    checks = scene.checks
    for key in ("stale", "fresh"):
        if key in expect:
            check_freshness(scene, expect[key], fresh=key == "fresh", label=label, answer=answer)
    declared = {name for each in answer.get("declared", []) for name in (each["alias"], each["tool"])}
    if "declares" in expect:
        checks.that(set(expect["declares"]) <= declared, f"{label}: declares {expect['declares']}", sorted(declared))
    if "excludes" in expect:
        checks.that(
            not set(expect["excludes"]) & declared, f"{label}: does not declare {expect['excludes']}", sorted(declared)
        )
    if "plan" in expect:
        checks.equal(expect["plan"], "old-or-new-whole", f"{label}: a value of plan that the harness knows")
        right = builds.fingerprint(answer) in kills.wholes(scene, path)
        checks.that(right, f"{label}: the whole old plan or the whole new one", answer.get("tools", error))


def check_freshness(
    scene: Scene, named: list[str], *, fresh: bool, label: str, answer: dict[str, Any] | None = None
) -> None:
    """Whether the session holds servers, or the servers of tools, for fresh or for not fresh."""
    states = (answer or {}).get("freshness")
    if states is None:
        states = scene.ask("freshness")
    for name in named:
        state = states.get(name.partition("/")[0])
        right = state is not None and (str(state) == "fresh") == fresh
        scene.checks.that(right, f"{label}: {name} is {'fresh' if fresh else 'not fresh'}", states)


def inspect(scene: Scene, step: Step, label: str) -> None:
    expect = step.get("expect", {})
    answer = inspected(scene, step["server"], step["tool"])
    if answer["outcome"] == "ok":
        scene.inspected.add((step["server"], step["tool"]))
        scene.voided.discard((step["server"], step["tool"]))
    if "save" in step:
        scene.saved[step["save"]] = {**answer, "asked": (step["server"], step["tool"])}
    judge(scene, step, label, codes=[0 if answer["outcome"] == "ok" else 1], found=[], seconds=answer["seconds"])
    if scene.clouded(step["do"]):
        return
    checks, schema = scene.checks, answer.get("definition", {}).get("inputSchema", {})
    if "outcome" in expect:
        checks.equal(answer["outcome"], expect["outcome"], f"{label}: outcome")
    for pointer in expect.get("schema_has", []):
        checks.that(at_pointer(schema, pointer) is not None, f"{label}: the schema has {pointer}", schema)
    if expect.get("schema_equals_captured") or "schema_has" in expect:
        captured = captured_tool(scene, step["server"], step["tool"]).get("inputSchema")
        same = json.dumps(schema, sort_keys=True) == json.dumps(
            captured, sort_keys=True
        )  # to Python, 1 is 1.0 and true
        checks.that(same, f"{label}: the schema as captured", schema)
    known = {"outcome", "schema_has", "schema_equals_captured", "exit", "max_seconds", "note"}
    for key in expect.keys() - known:
        checks.that(False, f"{label}: an expectation that the harness knows", key)
    if not expect and "save" not in step:
        checks.that(answer["outcome"] == "ok", f"{label}: the definition is handed out", answer)
    if not scene.bundle() or _manifest(scene, str(scene.bundle())) != scene.loaded_manifest:
        return  # another plan than the session's stands there, or none
    target = f"{step['server']}/{step['tool']}"
    profile = scene.opened.get("profile")
    words = ["inspect", "--plan", str(scene.bundle()), *(["--profile", profile] if profile else [])]
    ran = scene.run([*words, "--format", "json", "--", target], label=label, echoes=(target,))
    checks.that(
        (ran.code == 0) == (answer["outcome"] == "ok"),
        f"{label}: the command agrees with the session",
        f"{ran}: exit {ran.code}",
    )


def inspected(scene: Scene, server: str, tool: str) -> dict[str, Any]:
    """An inspection in the session: `outcome`, and the definition where it is ok."""
    answer = scene.ask("inspect", server=server, tool=tool)
    if error := answer.get("error"):
        reason = error.get("reason") or next((each["slug"] for each in error["findings"]), "") or error["message"]
        return {"outcome": f"refused:{reason}", "text": error["message"], "seconds": answer["seconds"]}
    return answer


def captured_tool(scene: Scene, server: str, tool: str) -> dict[str, Any]:
    path = catalog_path(scene.work, server)
    data = json.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {"tools": []}
    return next((each for each in data["tools"] if each.get("name") == tool), {})


def at_pointer(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    return value
