"""The harness itself: that it fails where it should, for one that cannot fail proves nothing."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from mcpexpose.model import canonical
from tests.acceptance import not_yet
from tests.acceptance.harness import bundle_faults, calls, expectations, findings, kills
from tests.acceptance.harness.case import Case, prepare, read_cases, server_ids
from tests.acceptance.harness.checks import Checks
from tests.acceptance.harness.expectations import Found
from tests.acceptance.harness.findings import Seen
from tests.acceptance.harness.product import REPOSITORY, Product, Ran, run_process
from tests.acceptance.harness.runner import run_case
from tests.acceptance.harness.scene import trouble_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.harness.scene import Scene

Answer = dict[str, Any]


def seen(slug: str = "hidden-text", *subjects: str, severity: str = "error", **fields: Any) -> Seen:
    return Seen(slug, severity, subjects or ("a/t",), fields.pop("message", "m"), **fields)


@pytest.mark.parametrize(
    ("wanted", "subject", "holds"),
    [
        ("stub", "stub", True),
        ("stub", "stub/x", True),
        ("stub", "stub:deny", True),
        ("stub", "stubborn", False),
        ("stub", "other/stub", False),
        ("a:deny", "a:deny[1]", True),
        ("a:deny", "a:deny_all", False),
        ("a:env", "a:env.TOKEN", True),
        ("tav:url", "tav:url?key", True),
        ("a/t", "a/t#/properties/x", True),
        ("a/t", "a/t2", False),
        ("photos/photos", "photos/photos.albums.add", False),
        ("a/t#/properties/x", "a/t#/properties/x/type", True),
        ("a/t#/properties/x", "a/t#/properties/xy", False),
        ("o/a#output", "o/a#output/$ref", True),
        ("o/a#output", "o/a#/output", False),
        ("mcp_servers.a", "mcp_servers.a.env", True),
        ("mcp_servers.a", "mcp_servers.ab", False),
        ("policy.auto_approve[0]", "policy.auto_approve[0]", True),
        ("policy.auto_approve[0]", "policy.auto_approve[1]", False),
        ("mcp_servers", "mcp_servers.foo", True),
        ("my", "my.server", False),
        ("plan", "plan/index/x.seg", True),
    ],
)
def test_a_subject_holds_itself_and_what_lies_within(wanted: str, subject: str, holds: bool) -> None:
    assert findings.within(wanted, subject, {"stub", "a", "my", "my.server", "photos"}) is holds


def test_a_finding_about_several_matches_by_any_of_them_and_by_their_shared_name() -> None:
    pair = seen("name-collision", "x/query", "y/query")
    assert findings.subject_matches("y/query", pair, set())
    assert findings.subject_matches("query", pair, set())
    assert not findings.subject_matches("query", seen("name-collision", "x/query", "y/other"), set())
    assert not findings.subject_matches("query", seen("name-collision", "x/query"), set())


def test_kind_severity_and_subject_must_all_fit() -> None:
    expected = {"kind": "hidden-text", "subject": "a/t", "severity": "error"}
    assert findings.matches(expected, seen(), set())
    assert not findings.matches(expected, seen(severity="warning"), set())
    assert not findings.matches(expected, seen("control-characters"), set())
    assert not findings.matches(expected, seen("hidden-text", "a/u"), set())
    assert findings.matches({**expected, "or_kind": ["control-characters"]}, seen("control-characters"), set())
    assert findings.matches({"kind": "hidden-text"}, seen(severity="info"), set())


@pytest.mark.parametrize(
    ("field", "right", "wrong"),
    [
        ({"line": 3}, {"line": 3}, {"line": 4}),
        ({"suggests": ["get_x"]}, {"raw": 'nearest: "get_x"'}, {"raw": "nearest: get_xy"}),
        ({"servers": ["a", "b"]}, {"raw": "on a and b"}, {"raw": "on a and bc"}),
        (
            {"fields": ["description"]},
            {"details": {"fields": ["description"]}},
            {"details": {"fields": ["description", "title"]}},
        ),
        ({"classes": {"tag": 15}}, {"details": {"classes": {"tag": 15}}}, {"details": {"classes": {"tag": 14}}}),
        ({"codepoints": ["U+03BF"]}, {"raw": "holds U+03BF"}, {"raw": "holds U+03C0"}),
        ({"hint": "literal string"}, {"message": "Use a literal string."}, {"message": "Use quotes."}),
    ],
)
def test_further_fields_of_a_diagnostic(field: Answer, right: Answer, wrong: Answer) -> None:
    assert findings.lacks(field, [seen(**right)]) == []
    assert findings.lacks(field, [seen(**wrong)]) != []


def test_a_field_of_a_diagnostic_that_nobody_looks_at_is_told() -> None:
    assert findings.unknown_fields({"kind": "x", "subject": "a", "lines": 3, "suggest": ["b"]}) == ["lines", "suggest"]
    assert findings.unknown_fields({"kind": "x", "or_kind": [], "severity": "error", "line": 1, "count": 2}) == []


@pytest.mark.parametrize("sent", [{"n": True}, {"n": 1.0}, {"n": "1"}, {"n": 1, "m": None}, {}, None])
def test_what_was_sent_is_compared_as_json(sent: Any) -> None:
    """A host that makes a number of a truth value is caught."""
    for arguments, failures in ((sent, 1), ({"n": 1}, 0)):
        checks = Checks()
        message = {"params": {"arguments": arguments}}
        scene = cast("Scene", SimpleNamespace(checks=checks))
        calls.judge_call(scene, {"sent": {"n": 1}}, {}, [], [message], "step", {"server": "s", "tool": "t"})
        assert len(checks.failures) == failures


def test_one_finding_has_all_the_further_fields() -> None:
    two = [seen(line=3, message="one"), seen(line=4, message="other")]
    assert findings.lacks({"line": 3, "hint": "one"}, two) == []
    assert findings.lacks({"line": 3, "hint": "other"}, two) != []
    assert findings.lacks({"line": 3, "count": 2}, [seen(line=3, label="1"), seen(line=4, label="1")]) == []


def test_a_count_is_that_of_each_run() -> None:
    twice = [seen(label="1"), seen(label="1"), seen(label="2"), seen(label="2")]
    assert findings.lacks({"count": 2}, twice) == []
    assert findings.lacks({"count": 4}, twice) != []
    assert findings.lacks({"count": 2}, twice[:3]) != []


@pytest.mark.parametrize(
    ("subject", "text", "named"),
    [
        ("a/t", "error x  a/t is odd", True),
        ("a/t", 'error x  [mcp_servers.a] tool "t"', True),
        ("a/t", "error x  a/tt is odd", False),
        ("github:deny[0]", '[mcp_servers.github] deny "x" meets nothing', True),
        ("github:deny[0]", 'allow "x" of github meets nothing', False),
        ("stub/ok\nno", "stub/ok\\nno is odd", True),
        ("stub/ok\nno", "stub/ok\nno is odd", False),
        ("a/t\U000e0041", "a/t\\u{E0041} is odd", True),
        ("a/t#/properties/x", "a/t: #/properties/x is odd", True),
        ("a/t#/properties/x", "a/t is odd", False),
        ("o/a#output", "the output schema of o/a", True),
        ("o/a#output", "the schema of o/a", False),
        ("config2.toml", "config2.toml:1:1: error", True),
        ("config2.toml", "config.toml:1:1: error", False),
        ("policy.auto_approve[0]", "[policy] auto_approve: a star", True),
        ("mcp_servers.a.env", "[mcp_servers.a] has env twice", True),
        ("mcp_servers.a.env", "[mcp_servers.a] is there twice", False),
    ],
)
def test_a_text_names_a_subject(subject: str, text: str, named: bool) -> None:
    assert findings.named_in(subject, text) is named


def test_text_is_cut_into_the_passages_of_its_findings() -> None:
    text = "config.toml:1:1: error toml-syntax  bad\n  1 | x\n\ncatalogs/a.json: warning hidden-text  a/t\n   fix: so\n"
    assert [(severity, slug) for severity, slug, _ in findings.passages(text)] == [
        ("error", "toml-syntax"),
        ("warning", "hidden-text"),
    ]
    assert "fix: so" in findings.passages(text)[1][2]


HITS = (
    {"server": "a", "tool": "x", "fresh": True},
    {"server": "a", "tool": "y", "fresh": False, "side_effect": "write"},
)


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ({"first": "a/x"}, True),
        ({"first": "a/y"}, False),
        ({"contains": ["a/y"]}, True),
        ({"contains": ["a/z"]}, False),
        ({"excludes": ["a/z"]}, True),
        ({"excludes": ["a/y"]}, False),
        ({"set": ["a/y", "a/x"]}, True),
        ({"set": ["a/y"]}, False),
        ({"set_contains": ["a/y"]}, True),
        ({"set_contains": ["b/y"]}, False),
        ({"exactly": ["a/y", "a/x"]}, True),
        ({"exactly": ["a/x"]}, False),
        ({"exactly": []}, False),
        ({"exactly_ordered": ["a/x", "a/y"]}, True),
        ({"exactly_ordered": ["a/y", "a/x"]}, False),
        ({"count": 2}, True),
        ({"count": 1}, False),
        ({"fields": {"side_effect": None}}, True),
        ({"fields": {"a/y": {"side_effect": "write"}}}, True),
        ({"fields": {"a/y": {"side_effect": "read_only"}}}, False),
        ({"fields": ["server_id"]}, True),
        ({"fields": ["side_effect"]}, False),
        ({"no_suggestion": True}, False),
        ({"stale_marked": ["a/y"]}, True),
        ({"stale_marked": ["a/x"]}, False),
        ({"max_seconds": 2}, True),
        ({"max_seconds": 0.5}, False),
        ({"error": "search-limit-invalid"}, False),
        ({"error_or_empty": True}, False),
        ({}, True),
        ({"no_such_field": 1}, False),
    ],
)
def test_each_field_of_a_search(wanted: Answer, holds: bool) -> None:
    checks = Checks()
    found = Found(HITS, seconds=1.0, beside_hits="did you mean secret_tool?")
    expectations.check_search(checks, {"query": "q", **wanted}, found, "search", ["secret_tool"])
    assert (not checks.failures) is holds, checks.report()


@pytest.mark.parametrize(
    ("wanted", "code", "words", "holds"),
    [
        ({"error": "search-limit-invalid"}, 2, "search-limit-invalid: no", True),
        ({"error": "search-limit-invalid"}, 0, "search-limit-invalid: no", False),
        ({"error": "search-limit-invalid"}, 2, "bad limit", False),
        ({"exactly": []}, 2, "search-query-empty: no word", True),
        ({"exactly": []}, 0, "nothing-matched", True),
        ({"exactly": []}, 2, "no such option", False),
        ({"exactly": []}, 70, "internal error", False),
        ({"error_or_empty": True}, 2, "search-query-too-long", True),
        ({"error_or_empty": True}, 2, "crash", False),
        ({}, 2, "search-query-empty", False),
    ],
)
def test_refused_queries(wanted: Answer, code: int, words: str, holds: bool) -> None:
    checks = Checks()
    expectations.check_search(checks, {"query": "", **wanted}, Found(code=code, words=words), "search")
    assert (not checks.failures) is holds, checks.report()


PLAN = {
    "tools": [
        {
            "server": "a",
            "name": "x",
            "alias": "a__x",
            "exposure": "direct",
            "policy_state": "allowed",
            "side_effect": "write",
        },
        {
            "server": "b",
            "name": "x",
            "alias": "A__X",
            "exposure": "deferred",
            "policy_state": "allowed",
            "side_effect": "unknown",
        },
        {"server": "b", "name": "h", "alias": "b__h", "exposure": "hidden", "policy_state": "allowed"},
        {"server": "b", "name": "d", "alias": "b__d", "exposure": "direct", "policy_state": "denied"},
    ]
}


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ({"tools": ["b/x", "a/x"]}, True),
        ({"tools": ["a/x"]}, False),
        ({"absent": ["b/h", "b/d"]}, True),
        ({"absent": ["a/x"]}, False),
        ({"count": 2}, True),
        ({"count": 4}, False),
        ({"exposed_names": "distinct"}, False),
        ({"exposed_name_max": 4}, True),
        ({"exposed_name_max": 3}, False),
        ({"exposed_name_pattern": "^[A-Za-z_]+$"}, True),
        ({"exposed_name_pattern": "^[a-z_]+$"}, False),
        ({"exposed_names_not_in": ["find_tools"]}, True),
        ({"exposed_names_not_in": ["a__x"]}, False),
        ({"side_effects": {"b/x": "unknown"}}, True),
        ({"side_effects": {"b/x": "read_only"}}, False),
        ({"no_such_field": 1}, False),
    ],
)
def test_each_field_of_a_plan(wanted: Answer, holds: bool) -> None:
    checks = Checks()
    expectations.check_plan(checks, wanted, expectations.exposed(PLAN))
    assert (not checks.failures) is holds, checks.report()


SECTION = "# MCP servers\n- a: One line\n- b"


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ({"servers": ["a", "b"]}, True),
        ({"servers": ["c"]}, False),
        ({"not_servers": ["c"]}, True),
        ({"not_servers": ["b"]}, False),
        ({"headings": 1}, True),
        ({"headings": 2}, False),
        ({"chars_max": 31}, True),
        ({"chars_max": 30}, False),
        ({"line_chars_max": 13}, True),
        ({"line_chars_max": 12}, False),
        ({"contains": ["One line"]}, True),
        ({"contains": "Two lines"}, False),
        ({"no_such_field": 1}, False),
    ],
)
def test_each_field_of_the_servers_section(wanted: Answer, holds: bool) -> None:
    checks = Checks()
    expectations.check_prompt(checks, wanted, SECTION)
    assert (not checks.failures) is holds, checks.report()


def test_imported_servers_are_compared_by_the_listed_fields() -> None:
    written = {"mcp_servers": {"a": {"command": "c", "enabled_tools": [], "env": {"X": "${TOKEN}"}}}}
    wanted = {"id": "a", "enabled": True, "exposure": "deferred", "command": "c", "allow": [], "env_refs": ["TOKEN"]}
    for change, holds in (
        ({}, True),
        ({"command": "d"}, False),
        ({"env_refs": ["OTHER"]}, False),
        ({"enabled": False}, False),
    ):
        checks = Checks()
        expectations.check_imported(checks, [{**wanted, **change}], written)
        assert (not checks.failures) is holds
    checks = Checks()
    expectations.check_imported(checks, [], written)
    assert checks.failures


# Whole cases against a product that is made up.


class MadeUp(Product):
    """Answers each command by a function in place of the product."""

    def __init__(self, answer: Callable[[list[str]], Answer]) -> None:
        super().__init__(forked=False)
        self.answer = answer

    def run(
        self, around: Any, argv: list[str], *, label: str = "", echoes: tuple[str, ...] = (), **options: Any
    ) -> Ran:
        made = {"code": 0, "out": "", "err": "", "seconds": 0.01, **self.answer(argv)}
        return Ran(command=argv[0], argv=argv, label=label, echoes=echoes, **made)


FINDING = {"slug": "hidden-text", "severity": "error", "message": "a/t hides text", "subjects": ["a/t"], "line": 1}


def lint_answer(argv: list[str], *found: Answer, code: int = 1, text: str | None = None, **more: Any) -> Answer:
    if "json" in argv:
        data = {"findings": list(found), **(more if argv[0] == "plan" else {})}
        return {"code": code, "out": json.dumps(data)}
    lines = [f"config.toml:1:1: {each['severity']} {each['slug']}  {each['message']}" for each in found]
    return {"code": code, "out": "\n".join(lines) if text is None else text}


def run_made_up(tmp_path: Path, expect: Answer, answer: Callable[[list[str]], Answer], **fields: Any) -> Checks:
    """Run a case of one config and one catalog against ANSWER."""
    folder = tmp_path / "cases"
    steps = fields.pop("steps", None)
    (folder / "made-up-1").mkdir(parents=True)
    (folder / "made-up-1" / "config.toml").write_text('[mcp_servers.a]\ncommand = "fake-server"\n', encoding="utf-8")
    tools = [{"name": "t", "description": "T", "inputSchema": {"type": "object"}}]
    catalog = {"server": "a", "captured_at": "2026-11-01T00:00:00Z", "protocol": "2025-11-25", "tools": tools}
    (folder / "made-up-1" / "a.catalog.json").write_text(json.dumps(catalog), encoding="utf-8")
    files = ["config.toml", "a.catalog.json"]
    if steps is not None:
        (folder / "made-up-1" / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
        files.append("steps.json")
    case = {
        "id": "made-up-1",
        "kind": "made-up",
        "title": "t",
        "when": ["lint"],
        "files": files,
        "expect": expect,
        **fields,
    }
    (folder / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    place = tmp_path / "runs"
    place.mkdir()
    return run_case(read_cases(folder)[0], MadeUp(answer), folder=place)


EXPECTED = {"diagnostics": [{"kind": "hidden-text", "subject": "a/t", "severity": "error"}], "exit": "nonzero"}


def test_a_case_passes_where_all_holds(tmp_path: Path) -> None:
    checks = run_made_up(tmp_path, EXPECTED, lambda argv: lint_answer(argv, FINDING))
    assert not checks.failures
    assert checks.count >= 4


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda argv: lint_answer(argv, code=0), "diagnostic error hidden-text a/t"),
        (
            lambda argv: lint_answer(argv, {**FINDING, "severity": "warning"}, code=0),
            "diagnostic error hidden-text a/t",
        ),
        (lambda argv: lint_answer(argv, {**FINDING, "subjects": ["a/u"]}), "diagnostic error hidden-text a/t"),
        (lambda argv: lint_answer(argv, FINDING, code=0), "exit nonzero"),
        (lambda argv: lint_answer(argv, FINDING, text="error hidden-text  something"), "named in text"),
        (lambda argv: lint_answer(argv, FINDING, text=""), "named in text"),
        (lambda argv: lint_answer(argv, FINDING, code=1 if "json" in argv else 0), "the same exit code in text"),
        (lambda argv: lint_answer(argv, FINDING) | {"err": "Traceback (most recent call last):\n x"}, "no traceback"),
        (lambda argv: lint_answer(argv, FINDING) | {"err": "tool \U000e0041"}, "no raw control or hidden character"),
        (lambda argv: lint_answer(argv, FINDING, text="error hidden-text  a/t\x1b[2J"), "no raw control"),
        (lambda argv: lint_answer(argv, FINDING, code=70), "no internal error"),
        (lambda argv: lint_answer(argv, FINDING, code=-11), "no internal error"),
        (lambda argv: lint_answer(argv, FINDING) | {"timed_out": True}, "ends by itself"),
        (lambda argv: {"code": 2, "err": "Error: No such option: --now"}, "understood by the product"),
    ],
)
def test_a_case_fails_where_something_does_not_hold(
    tmp_path: Path, answer: Callable[[list[str]], Answer], said: str
) -> None:
    checks = run_made_up(tmp_path, EXPECTED, answer)
    assert any(said in failure for failure in checks.failures), checks.report()


def test_an_error_breaks_exit_zero_even_where_the_code_is_zero(tmp_path: Path) -> None:
    checks = run_made_up(tmp_path, {"exit": "zero"}, lambda argv: lint_answer(argv, FINDING, code=0))
    assert any("no diagnostic is an error" in failure for failure in checks.failures)


@pytest.mark.parametrize(
    ("rule", "holds"), [("hidden-text", False), ("hidden-text:a/t", False), ("hidden-text:a/u", True)]
)
def test_a_diagnostic_that_must_not_be(tmp_path: Path, rule: str, holds: bool) -> None:
    checks = run_made_up(tmp_path, {"no_diagnostics": [rule]}, lambda argv: lint_answer(argv, FINDING))
    assert (not checks.failures) is holds


@pytest.mark.parametrize(
    ("word", "holds"),
    [("hides", False), ("U+0061", False), ("U+E0041", True), ("absent-word", True), ("a sentence for readers", True)],
)
def test_words_that_must_not_be_printed(tmp_path: Path, word: str, holds: bool) -> None:
    checks = run_made_up(tmp_path, {"must_not": [word]}, lambda argv: lint_answer(argv, FINDING))
    assert (not checks.failures) is holds, checks.report()


def test_a_word_that_must_not_be_is_found_behind_json_escapes(tmp_path: Path) -> None:
    odd = {**FINDING, "message": 'say "x"\\y'}
    checks = run_made_up(tmp_path, {"must_not": ['"x"\\y']}, lambda argv: lint_answer(argv, odd, text=""))
    assert checks.failures


def test_a_plan_that_shows_what_it_should_not_fails(tmp_path: Path) -> None:
    tool = {"server": "a", "name": "t", "alias": "a__t", "exposure": "deferred", "policy_state": "allowed"}
    expect = {**EXPECTED, "plan": {"absent": ["a/t"]}}
    checks = run_made_up(tmp_path, expect, lambda argv: lint_answer(argv, FINDING, tools=[tool]))
    assert any("absent" in failure for failure in checks.failures)


def test_refusing_to_plan_is_right_where_the_exit_is_nonzero_and_nothing_else_is_blamed(tmp_path: Path) -> None:
    expect = {**EXPECTED, "plan": {"tools": ["a/u"]}}
    assert not run_made_up(tmp_path / "1", expect, lambda argv: lint_answer(argv, FINDING)).failures
    other = {**FINDING, "slug": "toml-syntax", "subjects": ["b/x"]}
    assert run_made_up(tmp_path / "2", expect, lambda argv: lint_answer(argv, FINDING, other)).failures
    zero = {**expect, "exit": "zero"}
    assert run_made_up(tmp_path / "3", zero, lambda argv: lint_answer(argv, FINDING)).failures


def test_the_command_under_test_is_the_last_such_step(tmp_path: Path) -> None:
    codes = iter([1, 1, 0, 0])
    found = iter([[FINDING], [FINDING], [], []])
    steps = [{"do": "lint"}, {"do": "lint"}]
    answer = lambda argv: lint_answer(argv, *next(found), code=next(codes))  # noqa: E731 - short
    checks = run_made_up(tmp_path, {"exit": "nonzero"}, answer, steps=steps)
    assert any("exit nonzero" in failure for failure in checks.failures)


def test_a_step_is_held_to_its_own_expectations(tmp_path: Path) -> None:
    steps = [{"do": "lint", "expect": {"exit": "nonzero", "diagnostics": ["catalog-drift"], "no_file": "config.toml"}}]
    checks = run_made_up(tmp_path, {}, lambda argv: lint_answer(argv, FINDING), steps=steps)
    assert len(checks.failures) == 2, checks.report()


def test_what_the_harness_does_not_know_fails(tmp_path: Path) -> None:
    answer = lambda argv: lint_answer(argv, FINDING)  # noqa: E731 - short
    assert run_made_up(tmp_path / "1", {"no_such_field": 1}, answer).failures
    assert run_made_up(tmp_path / "2", {}, answer, steps=[{"do": "no-such-step"}]).failures
    assert run_made_up(tmp_path / "3", {}, answer, steps=[{"do": "assert", "no_such": 1}]).failures
    assert run_made_up(tmp_path / "4", {}, answer, make=[{"op": "no-such", "file": "x"}]).failures
    unseen = [{"do": "lint", "expect": {"exit": "nonzero", "outcome": "ok"}}]
    checks = run_made_up(tmp_path / "5", {}, answer, steps=unseen)
    assert [failure for failure in checks.failures if "looked at" in failure], checks.report()
    assert run_made_up(tmp_path / "6", {}, answer, steps=[{"do": "lint", "expect": {"no_such": 1}}]).failures
    assert run_made_up(tmp_path / "7", {}, answer, steps=[{"do": "clock", "now": "x", "expect": {"exit": 0}}]).failures
    diagnostic = {"kind": FINDING["slug"], "colum": 3}
    assert run_made_up(tmp_path / "8", {"diagnostics": [diagnostic]}, answer).failures


def test_an_answer_that_may_be_refused_is_held_to_its_other_fields() -> None:
    wanted = {"exit": "nonzero", "excludes": ["a/secret"]}
    checks = Checks()
    expectations.check_search(checks, wanted, Found(code=1), "w", may_fail=True)
    assert checks.held == 1
    assert not checks.failures
    hits = ({"server": "a", "tool": "secret"},)
    expectations.check_search(checks, wanted, Found(hits, code=1), "w", may_fail=True)
    assert len(checks.failures) == 1


def test_a_glob_that_meets_nothing_fails(tmp_path: Path) -> None:
    steps = [{"do": "fs-truncate", "glob": "plan/**/*.seg", "to": 0.5}]
    checks = run_made_up(tmp_path, {}, lambda argv: lint_answer(argv, FINDING), steps=steps)
    assert any("something to change" in failure for failure in checks.failures)


def test_what_rests_on_a_step_that_is_left_out_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.acceptance.not_yet.PARTS", {"lock": "no lock"})
    monkeypatch.setitem(not_yet.STEPS, "lock", "lock")
    monkeypatch.setitem(not_yet.CLOUDS, "lock", {"lint", "plan"})
    steps = [{"do": "lock"}, {"do": "lint", "expect": {"diagnostics": ["catalog-drift"]}}]
    expect = {"diagnostics": [{"kind": "catalog-drift", "subject": "a/t"}], "exit": "nonzero"}
    checks = run_made_up(tmp_path, expect, lambda argv: lint_answer(argv, code=0), steps=steps)
    assert not checks.failures
    assert {reason for _, reason in checks.left_out} >= {"no lock"}


def test_a_case_is_prepared_with_catalogs_for_the_ids_of_its_configs(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "c-1"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[mcp_servers.a]\n[mcp_servers."with space"]\nbroken = \n', encoding="utf-8")
    for name in ("a.catalog.json", "a.new.catalog.json", "with space.catalog.json", "b.catalog.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    files = sorted(path.name for path in folder.iterdir())
    case = {
        "id": "c-1",
        "files": files,
        "make": [{"op": "repeat", "file": "b.catalog.json", "token": "}", "unit": "x", "times": 3}],
    }
    (tmp_path / "cases" / "cases.jsonl").write_text(json.dumps(case), encoding="utf-8")
    work = tmp_path / "work"
    prepare(Case(tmp_path / "cases", case), work)
    assert sorted(path.name for path in (work / "catalogs").iterdir()) == ["a.json", "with space.json"]
    assert (work / "b.catalog.json").read_text(encoding="utf-8") == "{xxx"
    assert server_ids(work) == {"a", "with space"}


def test_any_folder_of_cases_runs_and_the_summary_counts(tmp_path: Path) -> None:
    """`--cases DIR` runs a folder of the format, one without prepare.py too, and says what was checked and left out."""
    folder = tmp_path / "cases"
    for number in (1, 2, 3):
        (folder / f"other-{number}").mkdir(parents=True)
        (folder / f"other-{number}" / "config.toml").write_text("not = = toml\n", encoding="utf-8")
    lines = [
        {"id": "other-1", "when": ["lint"], "files": ["config.toml"], "expect": {"exit": "nonzero"}},
        {"id": "other-2", "when": ["lint"], "files": ["config.toml"], "expect": {"exit": "zero"}},
        {"id": "other-3", "when": ["gateway"], "files": ["config.toml"], "expect": {}},
    ]
    (folder / "cases.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    words = ["-m", "pytest", "tests/acceptance/test_cases.py", "--cases", str(folder), "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run([sys.executable, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "1 failed, 1 passed, 1 skipped" in ran.stdout
    assert "2 of 3 cases ran" in ran.stdout
    assert "FAILED tests/acceptance/test_cases.py::test_case[other-2]" in ran.stdout


# Faults of stored plans.


def small_bundle(folder: Path) -> Path:
    """A manifest over one index file."""
    (folder / "index").mkdir(parents=True)
    data = b"segment" * 10
    (folder / "index" / "x.seg").write_bytes(data)
    files = [{"path": "index/x.seg", "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}]
    content: Answer = {"format_version": 1, "files": files}
    content["digest"] = canonical.digest(content)
    (folder / "manifest.json").write_bytes(canonical.canonical(content))
    return folder / "manifest.json"


def test_a_manifest_is_changed_in_one_place_and_its_own_digest_mended(tmp_path: Path) -> None:
    manifest = small_bundle(tmp_path / "plan")
    before = json.loads(manifest.read_bytes())
    bundle_faults.set_json(manifest, "/files/0/path", "../outside.txt", is_manifest=True)
    after = json.loads(manifest.read_bytes())
    assert after["files"][0]["path"] == "../outside.txt"
    assert after["files"][0]["sha256"] == before["files"][0]["sha256"]
    assert after["digest"] == canonical.digest({key: value for key, value in after.items() if key != "digest"})
    assert manifest.read_bytes() == canonical.canonical(after)


def test_pickles_fit_the_mended_manifest_and_write_their_mark_when_loaded(tmp_path: Path) -> None:
    import pickle

    manifest = small_bundle(tmp_path / "plan")
    step = {"do": "fs-pickle-bomb", "glob": "plan/**/*.seg", "effect": "write MARK", "fix_digests": True}
    bundle_faults.pickle_bomb(tmp_path, step, manifest)
    data = (tmp_path / "plan" / "index" / "x.seg").read_bytes()
    entry = json.loads(manifest.read_bytes())["files"][0]
    assert (entry["sha256"], entry["size"]) == (hashlib.sha256(data).hexdigest(), len(data))
    assert not (tmp_path / "MARK").exists()
    pickle.loads(data)
    assert (tmp_path / "MARK").exists()


def test_changes_of_files(tmp_path: Path) -> None:
    small_bundle(tmp_path / "plan")
    path = tmp_path / "plan" / "index" / "x.seg"
    whole = path.read_bytes()
    bundle_faults.flip_byte(path, {"to": 0.5})
    assert len(path.read_bytes()) == len(whole)
    assert path.read_bytes() != whole
    bundle_faults.truncate(path, {"to": 0.5})
    assert path.stat().st_size == len(whole) // 2
    step = {"do": "fs-symlink", "to": "../../outside.txt", "work": str(tmp_path)}
    bundle_faults.link(tmp_path / "plan" / "index" / "new.seg", step)
    assert (tmp_path / "outside.txt").read_text(encoding="utf-8").startswith(bundle_faults.LINK_TEXT)
    bundle_faults.fifo(path, {})
    assert path.is_fifo()
    bundle_faults.remove(path, {})
    assert not path.exists()
    with pytest.raises(bundle_faults.NothingToChange):
        bundle_faults.targets(tmp_path, {"do": "fs-remove", "path": "plan/index/x.seg"})


# Kills and full disks.


WRITER = """
import os, pathlib
root = pathlib.Path("out"); root.mkdir()
for name in ("a", "index-b", "c"):
    (root / name).write_text("x" * 100)
os.rename("out", "done")
"""


def run_writer(tmp_path: Path, **env: str) -> int:
    from tests.acceptance.harness.product import SHIM

    full = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SHIM), "ACCEPTANCE_ROOT": str(tmp_path), **env}
    return subprocess.run(
        [sys.executable, "-c", WRITER], cwd=tmp_path, env=full, capture_output=True, check=False
    ).returncode


def test_a_process_dies_just_before_the_chosen_act(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    log = tmp_path / "log"
    assert run_writer(tmp_path / "1", ACCEPTANCE_LOG=str(log)) == 0
    acts = log.read_text(encoding="utf-8").splitlines()
    assert [act.split()[0] for act in acts] == ["os.mkdir", "write", "write", "write", "os.rename"]
    points = dict(kills.points(["after-first-file", "after-index", "before-commit", "during-rename"], acts))
    assert points == {"after-first-file": 3, "after-index": 4, "before-commit": 5, "during-rename": 5}
    (tmp_path / "2").mkdir()
    assert run_writer(tmp_path / "2", ACCEPTANCE_KILL_AT="4") == -9
    assert sorted(path.name for path in (tmp_path / "2" / "out").iterdir()) == ["a", "index-b"]


def test_a_full_disk_takes_no_more(tmp_path: Path) -> None:
    assert run_writer(tmp_path, ACCEPTANCE_ROOM="150") != 0
    assert (tmp_path / "out" / "a").stat().st_size == 100
    assert (tmp_path / "out" / "index-b").stat().st_size == 0


def test_unknown_points_are_spread_over_the_build() -> None:
    acts = [f"write {number}" for number in range(100)]
    points = kills.points(None, acts)
    assert len(points) == kills.SPREAD
    assert [points[0][1], points[-1][1]] == [1, 100]


# Calls, held ready.


def test_made_results_and_arguments() -> None:
    recipe = {"prefix": '{"any":', "unit": "[", "times": 3, "core": "1", "unit2": "]", "suffix": "}"}
    assert expectations.made_text(recipe) == '{"any":[[[1]]]}'
    result = calls.made_result({"text_unit": "s", "times": 5, "text_times": 2, "parts": 2, "structured_unit": "t"})
    assert [part["text"] for part in result["content"]] == ["ss", "ss"]
    assert result["structuredContent"] == {"s": "ttttt"}


def test_digits_are_compared_as_they_are_spelled() -> None:
    raw = '{"params":{"name":"f","arguments":{"limit":9007199254740993}}}'
    assert calls._same_digits('{"limit": 9007199254740993}', raw)
    assert not calls._same_digits('{"limit": 9007199254740992}', raw)
    assert not calls._same_digits('{"limit": 9007199254740993.0}', raw)


def test_what_was_late_and_nothing_else_is_run_again() -> None:
    """A limit of time is the case's, and a busy machine is no fault of the product."""
    checks = Checks()
    checks.in_time(1.0, 2, "search")
    assert not checks.only_late
    checks.in_time(3.0, 2, "search")
    assert checks.only_late
    checks.that(False, "a hit")
    assert not checks.only_late
    assert checks.failures == ["expected: search: within 2 s\n  seen: 3.00 s", "expected: a hit"]


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.acceptance.harness.product.command_line",
        lambda argv: [sys.executable, "-c", "import time; time.sleep(60)"],
    )
    found = run_process([], tmp_path, {}, 0.3)
    assert found["timed_out"]
    assert trouble_of(Ran("lint", [], **found)) is not None
