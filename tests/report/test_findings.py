"""Findings as text, one a line, and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.report.findings import FORMATS, FindingsReport, in_order, message, render
from mcpexpose.report.screen import Screen
from tests.work import growth

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = {
    "config.toml": [
        "[mcp_servers.github]",
        'exposre = "hidden"',
        'deny = ["delete_repo"]',
        'env = { TOKEN = "ghp_abcdefghij", x = 1 }',
        '\tkey = "票務" # x',
        "k = '''a",
        "b'''",
    ]
}


def line(file: str, number: int) -> str | None:
    lines = SOURCE.get(file, [])
    return lines[number - 1] if 0 < number <= len(lines) else None


def finding(slug: str = "config-unknown-key", *at: int, **changes: object) -> Finding:
    fields: dict[str, object] = {
        "slug": slug,
        "severity": Severity.ERROR,
        "message": 'github has no key "exposre"',
        "subjects": ("github:exposre",),
        "advice": 'Rename it to "exposure".',
        "place": Place("config.toml", ("mcp_servers", "github", "exposre")),
        "location": Location("config.toml", *at) if at else None,
    }
    return Finding(**{**fields, **changes})  # type: ignore[arg-type]


UNKNOWN_KEY = finding("config-unknown-key", 2, 1, 2, 8)


def text(*findings: Finding, screen: Screen | None = None, **more: object) -> str:
    report = FindingsReport(findings, {"configs": 1, "catalogs": 9}, line, **more)  # type: ignore[arg-type]
    return render("text", report, screen or Screen())


def test_a_finding_shows_its_line_a_caret_and_what_to_do() -> None:
    """What the operator reads is enough to mend it (C04)."""
    assert text(UNKNOWN_KEY, explained=frozenset({"config-unknown-key"})) == (
        'config.toml:2:1: error config-unknown-key  github has no key "exposre"\n'
        '    2 | exposre = "hidden"\n'
        "      | ^^^^^^^\n"
        '   fix: Rename it to "exposure".\n'
        "\n"
        "1 error in 1 config, 9 catalogs · mcpexpose rule config-unknown-key explains\n"
    )


def test_the_caret_stands_under_the_spot_behind_tabs_and_wide_characters() -> None:
    """Columns count code points; the terminal counts cells."""
    lines = text(finding("x", 5, 11, 5, 12)).split("\n")
    assert lines[1] == '    5 |     key = "票務" # x'
    assert lines[2].index("^") == len('    5 |     key = "') + 2 * 2


def test_a_span_of_several_lines_is_marked_to_the_end_of_the_first() -> None:
    """Multi-line strings have a caret too."""
    assert text(finding("x", 6, 5, 7, 5)).split("\n")[2] == "      |     ^^^^"


def test_no_credential_is_printed_by_whichever_finding_shows_its_line() -> None:
    """The value of secret-in-config never stands in a report."""
    secret = finding("secret-in-config", 4, 17, 4, 33, message="a literal credential", subjects=("github:env",))
    other = finding("config-unknown-key", 4, 35, 4, 36)
    for findings in ((secret,), (secret, other), (other, secret)):
        shown = text(*findings)
        assert "ghp_" not in shown
        assert 'TOKEN = "**************", x = 1' in shown


def test_a_line_of_a_megabyte_is_cut_around_the_spot() -> None:
    """A catalog may be one line."""
    long = ["x" * 500_000 + "HERE" + "y" * 500_000]
    report = FindingsReport(
        (finding("x", 1, 500_001, 1, 500_005),), {}, lambda file, number: long[0] if number == 1 else None
    )
    lines = render("text", report, Screen(80)).split("\n")
    assert "HERE" in lines[1]
    assert len(lines[1]) <= 80
    start = lines[2].index("^")
    assert lines[1][start : start + 4] == "HERE"


def test_hidden_characters_of_a_source_line_are_printed_by_name() -> None:
    """A line that is shown cannot act on the terminal."""
    report = FindingsReport((finding("x", 1, 1, 1, 2),), {}, lambda file, number: "a\x1b]0;x\u200bb")
    assert "\x1b" not in render("text", report, Screen())
    assert "\\u{200B}" in render("text", report, Screen())


def test_every_subject_is_named_in_text() -> None:
    """A subject that the sentence leaves out stands behind it."""
    assert message(finding(subjects=("github",))).count("github") == 1
    pair = finding(message="two tools are alike", subjects=("a/x", "b/y"))
    assert message(pair) == "two tools are alike [a/x, b/y]"


def test_a_key_is_named_by_its_parts() -> None:
    """`git:deny[0]` stands in a sentence as people write it; a part of another word is no name."""
    assert "[" not in message(finding(subjects=("git:deny",), message='the deny of git has "x"'))
    assert "[git:" not in message(finding(subjects=("git:deny[0]",), message='[mcp_servers.git] deny[0] is "x"'))
    assert "[git:deny[0]]" in message(finding(subjects=("git:deny[0]",), message='the deny of git has "x"'))
    assert "[" not in message(finding(subjects=("policy.auto_approve",), message="policy: auto_approve has it"))
    assert message(finding(subjects=("git:deny[0]",), message="denying git-x")).endswith("[git:deny[0]]")
    assert message(finding(subjects=("a/t#/x",), message="a/t is odd")).endswith("[a/t#/x]")


def many(number: int, severity: Severity, server: str = "git") -> list[Finding]:
    return [
        finding(
            "side-effect-unknown",
            severity=severity,
            message=f"{server}/t{n} has no class",
            subjects=(f"{server}/t{n}",),
            advice="Say so.",
            place=None,
            location=Location(f"catalogs/{server}.json", n + 1, 1, n + 1, 2),
        )
        for n in range(number)
    ]


def test_many_equal_warnings_of_one_server_do_not_drown_the_rest() -> None:
    """Three are shown whole, the others in one block that names every subject; another server has its own (C04)."""
    out = text(*many(40, Severity.WARNING), *many(2, Severity.WARNING, "jira"))
    assert out.count("warning side-effect-unknown  git/t") == 3
    assert "catalogs/git.json: warning side-effect-unknown  37 more on git\n     t3, t4, t5," in out
    block = out.split("37 more on git")[1].split("\n\n")[0]
    assert {f"t{n}" for n in range(3, 40)} == set(block.replace(",", " ").split())
    assert out.count("warning side-effect-unknown  jira/t") == 2
    assert out.endswith("42 warnings in 1 config, 9 catalogs\n")


def test_a_fourth_warning_is_shown_and_not_counted() -> None:
    """A block for one is no shorter."""
    assert "more on" not in text(*many(4, Severity.WARNING))


def test_errors_are_shown_whole_for_longer() -> None:
    """Each of them has to be mended."""
    out = text(*many(11, Severity.ERROR))
    assert out.count("error side-effect-unknown  git/t") == 11
    assert "190 more on git" in text(*many(200, Severity.ERROR))


def test_information_takes_one_block_a_rule_and_server() -> None:
    """A hundred hints do not bury three warnings; each subject is named, what to do is said once (C04)."""
    out = text(*many(30, Severity.INFO), *many(1, Severity.INFO, "jira"))
    assert out.startswith("catalogs/git.json: info side-effect-unknown  30 findings on git\n     t0, t1,")
    assert out.count("fix: ") == 1
    assert "catalogs/jira.json:1:1: info side-effect-unknown  jira/t0 has no class\n" in out


def test_many_subjects_of_one_finding_stand_below_its_sentence() -> None:
    """Seventy names in brackets are no sentence."""
    one = finding("x", message="70 tools of git", subjects=tuple(f"git/t{n}" for n in range(70)))
    out = text(one)
    assert out.startswith("config.toml: error x  70 tools of git\n     t0, t1, t2,")
    assert max(map(len, out.split("\n"))) <= 100


def test_a_report_of_many_findings_is_made_in_one_pass() -> None:
    """Ten times as many are ten times the work: none is held against all others (C04)."""

    def rendered(form: str, number: int) -> Callable[[], str]:
        report = FindingsReport(
            tuple(finding("x", subjects=(f"s{n}/t",), severity=Severity.WARNING, place=None) for n in range(number))
        )
        return lambda: render(form, report, Screen())

    for form in FORMATS:
        assert growth(lambda number, form=form: rendered(form, number), 50) < 11, form  # type: ignore[misc]


def test_findings_are_sorted_by_file_line_column_and_slug() -> None:
    """The same run prints the same order; what has no place comes first."""
    a, b, c = finding("b", 2, 1, 2, 2), finding("a", 2, 1, 2, 2), finding("c", 1, 9, 1, 10)
    nowhere = finding("z", place=None)
    assert in_order([a, b, c, nowhere]) == (nowhere, c, b, a)


def test_concise_is_one_line_each_and_nothing_else() -> None:
    """For grep and editors."""
    out = render("concise", FindingsReport((UNKNOWN_KEY, finding("x", place=None))), Screen())
    assert out.count("\n") == 2
    assert out.startswith("config.toml:2:1: error config-unknown-key ")
    assert render("concise", FindingsReport(()), Screen()) == ""


def test_json_has_the_promised_shape() -> None:
    """Other programs read it; empty means an empty list."""
    report = FindingsReport((UNKNOWN_KEY,), {"configs": 1}, line)
    value = json.loads(render("json", report, Screen()))
    assert value["version"] == 1
    assert value["summary"] == {
        "errors": 1,
        "warnings": 0,
        "infos": 0,
        "waived": 0,
        "baselined": 0,
        "fixed": 0,
        "checked": {"configs": 1},
    }
    (entry,) = value["findings"]
    assert entry["slug"] == "config-unknown-key"
    assert entry["severity"] == "error"
    assert entry["subject"] == "github:exposre"
    assert entry["subjects"] == ["github:exposre"]
    assert (entry["file"], entry["line"], entry["column"]) == ("config.toml", 2, 1)
    assert (entry["end_line"], entry["end_column"]) == (2, 8)
    assert entry["fingerprint"] == UNKNOWN_KEY.fingerprint
    assert json.loads(render("json", FindingsReport(()), Screen()))["findings"] == []


def test_json_holds_nothing_that_a_terminal_acts_on() -> None:
    """Invisible characters stand as escapes and read back the same."""
    odd = finding(subjects=("a\u200b\U000e0041\x9b",), details={"x": "\u202e"})
    out = render("json", FindingsReport((odd,)), Screen())
    assert not {"\u200b", "\U000e0041", "\x9b", "\u202e"} & set(out)
    assert json.loads(out)["findings"][0]["subject"] == "a\u200b\U000e0041\x9b"


@pytest.mark.parametrize(
    ("severities", "said"),
    [
        ((), "no findings in 1 config, 9 catalogs"),
        ((Severity.ERROR, Severity.ERROR, Severity.WARNING), "2 errors, 1 warning in 1 config, 9 catalogs"),
        ((Severity.INFO,), "1 info in 1 config, 9 catalogs"),
    ],
)
def test_the_last_line_counts(severities: tuple[Severity, ...], said: str) -> None:
    """The reader need not."""
    assert text(*(finding(severity=severity) for severity in severities)).strip().split("\n")[-1] == said


def test_colour_is_for_severity_alone() -> None:
    """Red for what makes a build fail."""
    out = text(UNKNOWN_KEY, screen=Screen(colour=True))
    assert out.count("\x1b[31merror\x1b[0m") == 1
    assert "\x1b" not in text(UNKNOWN_KEY)
