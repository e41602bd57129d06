"""The steps of a case, one driver a kind; `run_step` is the table."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.acceptance import not_yet
from tests.acceptance.harness import bundle_faults, builds, calls, expectations, findings
from tests.acceptance.harness.case import catalog_path
from tests.acceptance.harness.expectations import Found
from tests.acceptance.harness.product import Ran
from tests.acceptance.harness.scene import Scene, copy_tree, file_bytes
from tests.fakes import control

Step = dict[str, Any]
NEEDS_SESSION = {"search", "find", "inspect", "call", "call-python", "call-by-exposed-name", "approve", "assert"}


class CannotRun(Exception):
    """This machine or user cannot run the rest of the case."""


def run_steps(scene: Scene, steps: list[Step]) -> None:
    """Run the steps in order; those that need what is not built are left out, with what rests on them."""
    has_load = any(step["do"] in ("load", "reload") for step in steps)
    has_plan = any(step["do"] == "plan" and "out" in step for step in steps)
    runnable = [step for step in steps if not_yet.step_needs(step) is None]
    if not has_load and not has_plan and any(needs_session(step) for step in runnable):
        load(scene, {"do": "load"}, "before the steps: the plan of the case")
    for number, step in enumerate(steps, 1):
        label = f"step {number}: {step['do']}"
        if part := not_yet.step_needs(step):
            scene.leave_out(label, part)
            continue
        if not has_load and not scene.session_open and needs_session(step) and step["do"] not in ("search", "find"):
            load(scene, {"do": "load"}, f"{label}: the plan of the case")
        try:
            run_step(scene, step, label)
        except CannotRun as reason:
            scene.checks.leave_out(f"{label} and what follows", str(reason))
            scene.left_out_parts.add("machine")
            return
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
    driver(scene, step, label)


def judge(
    scene: Scene,
    step: Step,
    label: str,
    *,
    codes: list[int],
    found: list[findings.Seen],
    seconds: float | None = None,
) -> None:
    """The parts of a step's `expect` that every kind has."""
    expect = step.get("expect", {})
    if not expect:
        return
    if scene.clouded(step["do"]):
        scene.checks.leave_out(f"{label}: its expectations", "they rest on a step that is left out")
        return
    slugs = sorted({seen.slug for seen in found})
    for code in codes:
        if "exit" in expect:
            scene.checks.that((code == 0) == (expect["exit"] == "zero"), f"{label}: exit {expect['exit']}", f"exit {code}, {slugs}")
    if "diagnostics" in expect:
        scene.checks.that(set(expect["diagnostics"]) <= set(slugs), f"{label}: reports {expect['diagnostics']}", slugs)
    if "diagnostics_in" in expect:
        scene.checks.that(bool(set(expect["diagnostics_in"]) & set(slugs)), f"{label}: reports one of {expect['diagnostics_in']}", slugs)
    if "max_seconds" in expect and seconds is not None:
        scene.checks.that(seconds <= expect["max_seconds"], f"{label}: within {expect['max_seconds']} s", f"{seconds:.2f} s")
    if "no_file" in expect:
        names = [expect["no_file"]] if isinstance(expect["no_file"], str) else expect["no_file"]
        there = [name for name in names if (scene.work / name).exists()]
        scene.checks.that(not there, f"{label}: no file {names}", there)


# commands


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


def search(scene: Scene, step: Step, label: str) -> None:
    expect = step.get("expect", {})
    query = expectations.query_of(step)
    if scene.session_open:
        found = session_search(scene, query, step.get("limit"))
        reported: list[findings.Seen] = []
    else:
        bundle = scene.bundle()
        source = ["--plan", bundle] if bundle else ["--config", "config.toml"]
        found, ran = command_search(scene, source, query, step, label)
        reported = findings.of_run(ran) + findings.of_text(ran.err, "search", label)
    judge(scene, step, label, codes=[found.code], found=reported, seconds=found.seconds)
    may_fail = expect.get("exit") == "nonzero" or bool({"diagnostics", "diagnostics_in", "no_file"} & expect.keys())
    if not scene.clouded(step["do"]) and not may_fail:
        expectations.check_search(scene.checks, {**expect, "query": query}, found, label, unexposed_names(scene))


def session_search(scene: Scene, query: str, limit: Any) -> Found:
    """The answer of `find_tools` in the session that is loaded."""
    answer = scene.ask("find", query=query, limit=limit)
    error = answer.get("error")
    if error:
        reasons = " ".join([error["message"], error.get("reason", ""), *(each["slug"] for each in error["findings"])])
        return Found(code=1, words=reasons, beside_hits=error["message"], seconds=answer["seconds"])
    refused = answer["reason"] in expectations.UNFIT_QUERY
    words = answer["text"] + " " + answer["reason"]
    beside = "" if answer["hits"] else answer["text"].replace(query, "")
    return Found(tuple(answer["hits"]), int(refused), answer["reason"], words, beside, answer["seconds"])


def command_search(
    scene: Scene, source: list[str], query: str, entry: Step, label: str, **options: Any
) -> tuple[Found, Ran]:
    """`search --format json` with the options of an `expect.search` entry, and once as text for what people see."""
    words = ["search", *source]
    for option in ("limit", "profile"):
        if option in entry:
            value = entry[option]
            words += [f"--{option}", "null" if value is None else str(value)]
    ran = scene.run([*words, "--format", "json", "--", query], label=label, echoes=(query,), **options)
    scene.run([*words, "--", query], label=label, echoes=(query,), **options)
    return found_of(ran, query), ran


def found_of(ran: Ran, query: str) -> Found:
    """A search command's answer."""
    data = ran.json if isinstance(ran.json, dict) else {}
    rest = {key: value for key, value in data.items() if key not in ("hits", "query", "terms")}
    beside = (json.dumps(rest, ensure_ascii=False) + " " + ran.err).replace(query or "\0", "")
    return Found(tuple(data.get("hits") or ()), ran.code, str(data.get("reason") or ""), ran.text, beside, ran.seconds)


def unexposed_names(scene: Scene) -> list[str]:
    """Bare names of captured tools that the last plan seen does not expose."""
    shown = next((ran.json for ran in reversed(scene.runs) if ran.command == "plan" and isinstance(ran.json, dict)), {})
    seen = expectations.exposed(shown)
    inside = {tool.partition("/")[2] for tool in seen.tools}
    return sorted({name for tool in seen.others if (name := tool.partition("/")[2]) not in inside})


# sessions


def load(scene: Scene, step: Step, label: str) -> None:
    if "path" not in step and scene.last_plan is None:
        scene.build(f"{label} (builds the plan)")
    path = str(step.get("path") or scene.last_plan or builds.DEFAULT_OUT)
    expect = step.get("expect", {})
    fields = {key: step[key] for key in ("profile", "tools", "run_id") if key in step}
    scene.session_open = False
    answer = scene.ask("load", path=path, **fields)
    scene.session_open = "error" not in answer
    if scene.session_open:
        scene.loaded = answer
    _judge_loading(scene, step, label, answer, path)
    if not expect and not scene.session_open:
        scene.checks.that(False, f"{label}: the plan loads", answer["error"])


def reload(scene: Scene, step: Step, label: str) -> None:
    answer = scene.ask("reload")
    if "error" not in answer:
        scene.loaded = answer
    _judge_loading(scene, step, label, answer, step.get("path") or scene.last_plan or builds.DEFAULT_OUT)


def _judge_loading(scene: Scene, step: Step, label: str, answer: dict[str, Any], path: str) -> None:
    expect = step.get("expect", {})
    error = answer.get("error")
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
        checks.that(not set(expect["excludes"]) & declared, f"{label}: does not declare {expect['excludes']}", sorted(declared))
    if expect.get("plan") == "old-or-new-whole":
        right = builds.fingerprint(answer) in builds.wholes(scene, path)
        checks.that(right, f"{label}: the whole old plan or the whole new one", answer.get("tools", error))
    known = {"exit", "diagnostics", "diagnostics_in", "max_seconds", "no_file", "stale", "fresh", "declares", "excludes"}
    for key in expect.keys() - known - {"plan", "note"}:
        checks.that(False, f"{label}: an expectation that the harness knows", key)


def check_freshness(scene: Scene, named: list[str], *, fresh: bool, label: str, answer: dict[str, Any] | None = None) -> None:
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
        checks.equal(schema, captured, f"{label}: the schema as captured")
    if not expect and "save" not in step:
        checks.that(answer["outcome"] == "ok", f"{label}: the definition is handed out", answer)
    if not (scene.bundle() and (scene.work / str(scene.bundle())).is_dir()):
        return
    target = f"{step['server']}/{step['tool']}"
    ran = scene.run(["inspect", "--plan", str(scene.bundle()), "--format", "json", "--", target], label=label, echoes=(target,))
    checks.that((ran.code == 0) == (answer["outcome"] == "ok"), f"{label}: the command agrees with the session", f"{ran}: exit {ran.code}")


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


# servers and surroundings


def serve(scene: Scene, step: Step, label: str) -> None:
    del label
    script = {key: value for key, value in step.items() if key not in ("do", "server", "expect", "note")}
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
    ran = scene.run([words[0], "--format", "json", *words[1:]], label=label, own_process=True)
    judge(scene, step, label, codes=[ran.code], found=findings.of_run(ran), seconds=ran.seconds)
    expect, checks = step.get("expect", {}), scene.checks
    for server in servers:
        asked = control.cursors(scene.scripts, server)[before[server] :]
        if "requests" in expect:
            checks.equal(asked, expect["requests"], f"{label}: cursors asked of {server}")
        if "max_requests" in expect:
            checks.that(len(asked) <= expect["max_requests"], f"{label}: at most {expect['max_requests']} requests", asked)
        if "tools" in expect:
            path = catalog_path(scene.work, server)
            data = json.loads(path.read_bytes()) if path.is_file() else {"tools": []}
            names = sorted(tool.get("name") for tool in data["tools"])
            checks.equal(names, sorted(expect["tools"]), f"{label}: captured tools of {server}")
    _check_partial(scene, label, ran)


def _check_partial(scene: Scene, label: str, ran: Ran) -> None:
    """A capture that reports an error for a server leaves its file as it was, and writes none where none stood."""
    for server in scene.servers:
        broken = [seen for seen in findings.of_run(ran) if seen.severity == "error" and server in seen.subjects]
        path = catalog_path(scene.work, server)
        if broken and not (scene.work / f"{server}.catalog.json").exists():
            scene.checks.that(not path.exists(), f"{label}: no catalog of {server} is written", path.name)


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
        shutil.rmtree(copy)


def recapture(scene: Scene, step: Step, label: str) -> None:
    del label
    path = catalog_path(scene.work, step["server"])
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(scene.work / step["file"], path)
    name = path.relative_to(scene.work).as_posix()
    scene.given[name] = path.read_bytes()
    control.serve(scene.scripts, step["server"], catalog=str(_frozen_catalog(scene, step["server"], path)))


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


# the stored plan


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
        check_damaged(scene, step, label, bytes_alone=before == [_shape(path) for path in paths])
        return
    bundle = str(scene.bundle())
    fresh = scene.aside / "fresh"
    copy_tree(scene.work / bundle, fresh)
    for path in paths:
        before = [_shape(path)]
        change(path, full)
        where = f"{label} of {path.relative_to(scene.work)}"
        check_damaged(scene, step, where, bytes_alone=before == [_shape(path)])
        copy_tree(fresh, scene.work / bundle)


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
    del label
    is_manifest = step["file"] == "plan manifest"
    path = scene.work / (f"{scene.bundle()}/manifest.json" if is_manifest else step["file"])
    if str(step["value"]).startswith(("..", "/")):
        _make_outside(scene, step["value"])
    bundle_faults.set_json(path, step["pointer"], step["value"], is_manifest=is_manifest)


def _make_outside(scene: Scene, value: str) -> None:
    """A file outside the plan that a path in the manifest leads to, so that reading it would show."""
    place = Path(os.path.normpath(scene.work / str(scene.bundle()) / value))
    if place.is_relative_to(scene.work.parent) and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(bundle_faults.LINK_TEXT, encoding="utf-8")
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
    if os.geteuid() == 0:
        raise CannotRun(f"{label} takes away rights that bind no one who runs as root")
    mode = str(step.get("mode", "read-only"))
    root = scene.work / step["path"]
    for path in [root, *(root.rglob("*") if "recursive" in mode else ())]:
        if mode.startswith(("0", "5", "4", "7")):
            path.chmod(int(mode.split(",")[0], 8))
        else:
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def disk_full(scene: Scene, step: Step, label: str) -> None:
    del label
    scene.room = step.get("after_bytes")


def snapshot(scene: Scene, step: Step, label: str) -> None:
    del label
    scene.snapshot(step.get("of", step.get("path", builds.DEFAULT_OUT)))


# assertions


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
        text = json.dumps({key: value for key, value in saved.items() if key not in ("asked", "seconds")}, sort_keys=True)
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
        path = catalog_path(scene.work, name.removesuffix(".gz").removesuffix(".catalog.json"), zipped=name.endswith(".gz"))
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

DRIVERS: dict[str, Callable[[Scene, Step, str], None]] = {
    "lint": lint,
    "plan": plan,
    "lock": lock,
    "load": load,
    "reload": reload,
    "search": search,
    "find": search,
    "inspect": inspect,
    "serve": serve,
    "capture": capture,
    "recapture": recapture,
    "clock": clock,
    "env": env,
    "json-set": json_set,
    "fs-pickle-bomb": pickle_bomb,
    "fs-swap-index-with": swap_index,
    "fs-chmod": chmod,
    "disk-full": disk_full,
    "fs-snapshot": snapshot,
    "assert": hold,
    **dict.fromkeys(bundle_faults.FAULTS, fault),
    **builds.DRIVERS,
    **calls.DRIVERS,
}
