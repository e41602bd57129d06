"""Steps of the call gate, the refresh at run time, the events and the gateway: drivers over `host_process.Library`.

What the product cannot do yet is left out by `not_yet`; these drivers hold the expectations ready.
"""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema

from tests.acceptance.harness import expectations, names
from tests.fakes import control

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.harness.scene import Scene

Step = dict[str, Any]
EVENT_SCHEMA = Path(__file__).resolve().parents[3] / "schemas" / "event.schema.json"
BEHIND_APPROVAL = ("ok", "tool-error", "timed-out", "unknown-completion", "quarantined")


def call(scene: Scene, step: Step, label: str) -> None:
    """A call of (server, tool) with the inspection that the session has."""
    expect = step.get("expect", {})
    pair = (step["server"], step["tool"])
    if pair in scene.voided and not step.get("no_reinspect"):
        scene.ask("inspect", server=pair[0], tool=pair[1])
        scene.voided.discard(pair)
    if _lies_behind_approval(expect) and not _is_approved_by_a_step(scene, pair):
        scene.ask("approve", server=pair[0], tool=pair[1], **_arguments(step))
    _script_answer(scene, step)
    if str(step.get("script", "")).startswith("sleep:"):
        scene.ask("connect", server=pair[0])  # the start of its process is not what is measured
    before = len(_calls(scene, step["server"]))
    everywhere = {server: len(_calls(scene, server)) for server in scene.servers}
    answer = scene.ask("call", server=pair[0], tool=pair[1], **_arguments(step), **_revision(scene, step))
    if error := answer.get("error"):
        answer = {"outcome": f"raised:{error['type']}", "text": error["message"], "seconds": answer["seconds"]}
    if answer.get("outcome") == "refused:invalid-arguments" and pair in scene.inspected:
        scene.voided.add(pair)
    if "save" in step:
        scene.saved[step["save"]] = {**answer, "asked": pair}
    reached = [server for server, count in everywhere.items() if len(_calls(scene, server)) > count]
    judge_call(scene, expect, answer, reached, _calls(scene, step["server"])[before:], label, step)


def judge_call(
    scene: Scene, expect: Step, answer: Step, reached: list[str], sent: list[Step], label: str, step: Step
) -> None:
    """Every expectation of a call against its answer and against what the fake servers received."""
    checks, text = scene.checks, str(answer.get("text", ""))
    params = sent[-1].get("params", {}) if sent else {}
    raw = str(sent[-1].get("raw", "")) if sent else ""
    for key, value in expect.items():
        what = f"{label}: {key}"
        if key == "outcome":
            checks.equal(answer.get("outcome"), value, what)
        elif key == "outcome_in":
            checks.that(answer.get("outcome") in value, f"{what} {value}", answer.get("outcome"))
        elif key == "reason":
            checks.that(str(value) in json.dumps(answer, ensure_ascii=False), f"{what} {value!r} in the answer", answer)
        elif key == "reached":
            checks.equal(reached, [] if value is None else [value], what)
        elif key == "sent":
            same = _exactly(params.get("arguments")) == _exactly(value)  # to Python, 1 is 1.0 and true
            checks.that(same, f"{what}: {value}", params.get("arguments"))
        elif key == "sent_json":
            checks.that(_same_digits(value, raw), f"{what}: the same digits as {value}", raw)
        elif key == "wire_name":
            checks.equal(params.get("name"), value, what)
        elif key == "server_executions":
            checks.equal(
                len([each for each in _calls(scene, step["server"]) if _name(each) == step["tool"]]), value, what
            )
        elif key == "pointer":
            checks.that(
                answer.get("pointer") == value and value in text, f"{what} {value}, named in the answer", answer
            )
        elif key == "model_bytes_max":
            checks.that(len(text.encode("utf-8", "surrogatepass")) <= value, f"{what} {value}", len(text))
        elif key == "result_has":
            checks.that(str(value) in text, f"{what} {value!r}", text)
        elif key == "max_seconds":
            checks.in_time(answer["seconds"], value, label)
        elif key == "no_file":
            checks.that(not (scene.work / value).exists(), f"{what} {value}")
        elif key != "note":
            checks.that(False, f"{what}: an expectation that the harness knows")


def call_by_exposed_name(scene: Scene, step: Step, label: str) -> None:
    server, _, tool = step["of"].partition("/")
    alias = next(
        (each["alias"] for each in scene.loaded["tools"] if (each["server"], each["name"]) == (server, tool)), ""
    )
    found = scene.ask("lookup", alias=alias)
    scene.checks.equal(found.get("tool"), step["of"], f"{label}: what is behind {alias}")
    scene.ask("inspect", server=server, tool=tool)
    scene.inspected.add((server, tool))
    call(scene, {**step, "server": server, "tool": tool, "args": step.get("args", {})}, label)


def approve(scene: Scene, step: Step, label: str) -> None:
    answer = scene.ask("approve", server=step["server"], tool=step["tool"], **_arguments(step))
    scene.checks.that("error" not in answer, f"{label}: the approval is taken", answer.get("error"))


def resolve(scene: Scene, step: Step, label: str) -> None:
    answer = scene.ask("resolve", server=step["server"], tool=step["tool"], settled=step["as"], **_arguments(step))
    scene.checks.that("error" not in answer, f"{label}: the completion is settled", answer.get("error"))


def restart_host(scene: Scene, step: Step, label: str) -> None:
    del step, label
    scene.kill_host()
    scene.loaded = scene.ask("load", **{"path": scene.last_plan, **scene.opened})
    scene.session_open = "error" not in scene.loaded
    scene.voided |= scene.inspected


def notify(scene: Scene, step: Step, label: str) -> None:
    del label
    before = scene.ask("connect", server=step["server"]).get("heard", 0)
    after = step.get("after", 0)
    control.notify(scene.scripts, step["server"], step["method"], step.get("times", 1), after)
    scene.ask("hear", server=step["server"], more_than=before, seconds=after + 10)


def settle(scene: Scene, step: Step, label: str) -> None:
    answer = scene.ask("settle", seconds=step.get("seconds", 30))
    scene.checks.that("error" not in answer, f"{label}: no request stays open", answer.get("error"))


def audit(scene: Scene, step: Step, label: str) -> None:
    """All events so far: one object a line as the schema has it, the named fields in some event, the file for its owner
    alone.
    """
    path = Path(scene.ask("audit").get("path", ""))
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n") if path.is_file() else []
    events = []
    schema = jsonschema.Draft202012Validator(json.loads(EVENT_SCHEMA.read_text(encoding="utf-8")))
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if scene.checks.that(isinstance(event, dict), f"{label}: one JSON object a line", line):
            wrong = [error.message for error in schema.iter_errors(event)]
            scene.checks.that(not wrong, f"{label}: an event of the published schema", wrong)
            events.append(event)
    scene.checks.that(bool(events), f"{label}: there are events", str(path))
    for name in step.get("fields", []):
        ours = names.EVENT_FIELDS.get(name, name)
        scene.checks.that(
            any(event.get(ours) is not None for event in events), f"{label}: field {name} in some event", events[:3]
        )
    if "file_mode" in step and path.is_file():
        scene.checks.equal(f"{stat.S_IMODE(path.stat().st_mode):04o}", step["file_mode"], f"{label}: mode of the file")


def audit_sink(scene: Scene, step: Step, label: str) -> None:
    answer = scene.ask("audit_sink", fails=step["fails"])
    scene.checks.that("error" not in answer, f"{label}: the sink is set", answer.get("error"))


def gateway_notifications(scene: Scene, value: Any, label: str) -> None:
    scene.checks.that(False, f"{label}: gateway notifications {value}", "no gateway driver")


def made_result(recipe: Step) -> Step:
    """The result that `result_make` describes."""
    times = int(recipe.get("times", 1))
    content: list[Step] = []
    if "text_unit" in recipe:
        text = recipe["text_unit"] * int(recipe.get("text_times", times))
        content += [{"type": "text", "text": text} for _ in range(recipe.get("parts", 1))]
    if "image_base64_bytes" in recipe:
        data = base64.b64encode(b"\0" * recipe["image_base64_bytes"]).decode()[: recipe["image_base64_bytes"]]
        content.append({"type": "image", "data": data, "mimeType": "image/png"})
    if "resource_blob_bytes" in recipe:
        blob = base64.b64encode(b"\0" * recipe["resource_blob_bytes"]).decode()
        content.append({"type": "resource", "resource": {"uri": "file:///blob", "blob": blob}})
    result: Step = {"content": content}
    if "structured_unit" in recipe:
        result["structuredContent"] = {"s": recipe["structured_unit"] * times}
    if "meta_unit" in recipe:
        result["_meta"] = {"filler": recipe["meta_unit"] * times}
    if "isError" in recipe:
        result["isError"] = recipe["isError"]
    return result


def _script_answer(scene: Scene, step: Step) -> None:
    """Have the fake server answer this call as the step says."""
    answer: Step = {"result": {"content": []}}
    if "result" in step:
        answer = {"result": step["result"]}
    elif "result_json" in step or "result_json_make" in step:
        answer = {"result_raw": step.get("result_json") or expectations.made_text(step["result_json_make"])}
    elif "result_make" in step:
        answer = {"result": made_result(step["result_make"])}
    elif error := step.get("error") or step.get("protocol_error"):
        made = error.pop("message_make", None) if isinstance(error, dict) else None
        answer = {"error": {**error, **({"message": made["unit"] * made["times"]} if made else {})}}
    script = step.get("script", "normal")
    if script == "execute-then-drop":
        answer["drop"] = True
    elif script.startswith("sleep:"):
        answer["delay"] = float(script.partition(":")[2])
    else:
        scene.checks.equal(script, "normal", "a script that the harness knows")
    if step["server"] not in scene.servers:  # a name that somebody guessed has no script, and may be none of a file
        return
    path = scene.scripts / f"{step['server']}.json"
    current = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    control.serve(scene.scripts, step["server"], **{**current, "calls": {"*": [answer]}})


def _arguments(step: Step) -> Step:
    """The arguments as the host gets them: a value, raw text, or the Python expression of `call-python`."""
    if "expr" in step:
        return {"expr": step["expr"]}
    if "args_json" in step:
        return {"args_json": step["args_json"]}
    if "args_json_make" in step:
        return {"args_json": expectations.made_text(step["args_json_make"])}
    return {"args": step.get("args", {})}


def _revision(scene: Scene, step: Step) -> Step:
    given = step.get("revision")
    if isinstance(given, str) and given.startswith("$"):
        given = scene.saved.get(given[1:], {}).get("revision")
    return {} if given is None else {"revision": given}


def _lies_behind_approval(expect: Step) -> bool:
    outcomes = [expect["outcome"]] if "outcome" in expect else expect.get("outcome_in", [])
    if outcomes:
        return any(str(outcome).startswith(BEHIND_APPROVAL) for outcome in outcomes)
    return expect.get("reached") is not None


def _is_approved_by_a_step(scene: Scene, pair: tuple[str, str]) -> bool:
    return any(step["do"] == "approve" and (step["server"], step["tool"]) == pair for step in scene.case.steps)


def _calls(scene: Scene, server: str) -> list[Step]:
    if server not in scene.servers:
        return []
    return control.received(scene.scripts, server, "tools/call")


def _name(message: Step) -> Any:
    return (message.get("params") or {}).get("name")


def _exactly(value: Any) -> str:
    """A JSON value as text: 1, 1.0 and true are three things."""
    return json.dumps(value, sort_keys=True)


def _same_digits(wanted: str, raw: str) -> bool:
    """Whether the arguments in a raw message are WANTED, numbers compared as they are spelled."""

    def spelled(text: str) -> Any:
        return json.loads(
            text, parse_int=lambda digits: ("number", digits), parse_float=lambda digits: ("number", digits)
        )

    try:
        return bool(spelled(raw)["params"]["arguments"] == spelled(wanted))
    except (ValueError, KeyError, TypeError):
        return False


DRIVERS: dict[str, Callable[[Scene, Step, str], None]] = {
    "call": call,
    "call-python": call,
    "call-by-exposed-name": call_by_exposed_name,
    "approve": approve,
    "resolve": resolve,
    "restart-host": restart_host,
    "notify": notify,
    "settle": settle,
    "audit": audit,
    "audit-sink": audit_sink,
}
