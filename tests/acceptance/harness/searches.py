"""Queries of a case: in the session that is loaded, or by the command, on a bundle or on the config at hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.acceptance.harness import expectations, findings
from tests.acceptance.harness.expectations import Found
from tests.acceptance.harness.judging import judge

if TYPE_CHECKING:
    from tests.acceptance.harness.product import Ran
    from tests.acceptance.harness.scene import Scene

Step = dict[str, Any]


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
    if not scene.clouded(step["do"]):
        wanted = {**expect, "query": query}
        expectations.check_search(scene.checks, wanted, found, label, unexposed_names(scene), may_fail=may_fail)


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
    if "env" not in options:
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
