"""What is chosen, waived and reported of rules that fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.lint.choice import Choice, choose
from mcpexpose.lint.registry import all_rules, families
from mcpexpose.lint.suppress import waiver_for
from mcpexpose.model.config import LintTable
from mcpexpose.model.finding import Finding, Severity
from tests.work import growth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from mcpexpose.lint.runner import Linted

SERVER = '[mcp_servers.crm]\nurl = "http://crm.example/mcp"\ndescription = "Customers"\n'


def linted(folder: Path, config: str, choice: Choice | None = None) -> Linted:
    from tests.lint.linting import lint_files

    return lint_files(folder, {"config.toml": config}, choice or Choice())


def slugs(findings: Iterable[Finding]) -> set[str]:
    return {finding.slug for finding in findings}


def test_a_waiver_accepts_what_it_names_and_no_more(tmp_path: Path) -> None:
    """A waived finding is kept apart; another subject stays (C04)."""
    waiver = '[[waivers]]\nrule = "plain-http"\nsubject = "crm:*"\nreason = "in the cluster"\nuntil = 2026-11-30\n'
    other = SERVER.replace("crm", "erp")
    result = linted(tmp_path, SERVER + other + waiver)
    assert [finding.subjects for finding in result.findings if finding.slug == "plain-http"] == [("erp:url",)]
    assert [finding.subjects for finding in result.waived] == [("crm:url",)]
    assert "unused-waiver" not in slugs(result.findings)


@pytest.mark.parametrize("subject", ["crm:url", "crm:*", "*"])
def test_subjects_of_waivers_are_patterns(tmp_path: Path, subject: str) -> None:
    result = linted(tmp_path, SERVER + f'[[waivers]]\nrule = "plain-http"\nsubject = "{subject}"\nreason = "x"\n')
    assert "plain-http" in slugs(result.waived)


def test_a_waiver_of_a_tool_reaches_into_its_schema(tmp_path: Path) -> None:
    """`crm/get_*` accepts what stands at a pointer inside one of its tools' schemas (C04)."""
    from tests.lint.linting import lint_files

    catalog = (
        '{"server":"crm","tools":[{"name":"get_x","inputSchema":{"type":"object","properties":{"p":{"type":"x"}}}}]}'
    )
    waiver = '[[waivers]]\nrule = "schema-invalid"\nsubject = "crm/get_*"\nreason = "known"\n'
    result = lint_files(tmp_path, {"config.toml": SERVER + waiver, "catalogs/crm.json": catalog})
    assert [finding.subjects for finding in result.waived] == [("crm/get_x#/properties/p/type",)]


def test_an_expired_waiver_accepts_nothing(tmp_path: Path) -> None:
    """It held until the day before (C04)."""
    waiver = '[[waivers]]\nrule = "plain-http"\nsubject = "crm:url"\nreason = "x"\nuntil = 2026-11-29\n'
    assert {"plain-http", "waiver-expired"} <= slugs(linted(tmp_path, SERVER + waiver).findings)


def test_a_comment_accepts_what_stands_in_its_line(tmp_path: Path) -> None:
    """Behind a line, or alone above it (C04)."""
    behind = SERVER.replace('mcp"\n', 'mcp"  # mcpexpose: ignore[plain-http] in the cluster\n')
    above = SERVER.replace("url =", "# mcpexpose: ignore[plain-http, missing-owner] in the cluster\n# more\nurl =")
    assert slugs(linted(tmp_path, behind).waived) == {"plain-http"}
    result = linted(tmp_path, above)
    assert slugs(result.waived) == {"plain-http"}
    assert [finding.message for finding in result.findings if finding.slug == "unused-waiver"]


def test_a_comment_needs_a_name_and_a_reason(tmp_path: Path) -> None:
    """Silence without a name or a reason is told (C04)."""
    found = slugs(linted(tmp_path, SERVER + "# mcpexpose: ignore\n# mcpexpose: ignore[plain-htp] x\n").findings)
    assert "unknown-rule-name" in found
    found = slugs(linted(tmp_path, SERVER.replace('mcp"\n', 'mcp"  # mcpexpose: ignore[plain-http]\n')).findings)
    assert "waiver-without-reason" in found


def test_unknown_names_are_told_with_the_nearest(tmp_path: Path) -> None:
    """A misspelt slug silences nothing (law 8)."""
    result = linted(tmp_path, SERVER + '[lint]\nignore = ["plain-htp", "transport"]\n[lint.severity]\nnope = "info"\n')
    told = [finding for finding in result.findings if finding.slug == "unknown-rule-name"]
    assert [finding.subjects for finding in told] == [("lint.ignore[0]",), ("lint.severity.nope",)]
    assert told[0].details["suggests"] == ["plain-http"]


def test_rules_are_chosen_by_slug_and_family(tmp_path: Path) -> None:
    """--select replaces what the config selects, --ignore adds to what it ignores (C04)."""
    table = LintTable(select=("policy",), ignore=("missing-owner",))
    assert choose(table).runs("policy-conflict")
    assert not choose(table).runs("plain-http")
    assert choose(table, select=["transport"]).runs("plain-http")
    assert not choose(table, select=["config"]).runs("missing-owner")
    assert not choose(None, ignore=["transport"]).runs("plain-http")
    assert slugs(linted(tmp_path, SERVER, Choice(select=frozenset({"plain-http"}))).findings) == {"plain-http"}


def test_severities_are_the_operator_s(tmp_path: Path) -> None:
    """[lint] severity makes a rule louder or quieter (C04)."""
    result = linted(tmp_path, SERVER, choose(LintTable(severity={"plain-http": "info"})))
    assert [f.severity for f in result.findings if f.slug == "plain-http"] == [Severity.INFO]


def test_audit_rules_run_when_asked_for() -> None:
    """False alarms are expected of them (C04)."""
    assert not choose(None).runs("injection-phrase")
    assert choose(None, persona="audit").runs("injection-phrase")
    assert choose(None, select=["injection-phrase"]).runs("injection-phrase")


def test_a_rule_that_crashes_is_named_and_holds_up_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of lint goes on (C04)."""
    rule = all_rules()["missing-owner"]
    subject, _ = rule.checks[0]

    def crash(_subject: object, _context: object) -> object:
        raise ZeroDivisionError("with a secret in it")

    monkeypatch.setattr(rule, "checks", [(subject, crash)])
    result = linted(tmp_path, SERVER)
    assert [(crash.slug, crash.subject, crash.error) for crash in result.crashes] == [
        ("missing-owner", "crm", "ZeroDivisionError")
    ]
    assert "plain-http" in slugs(result.findings)


def test_a_config_that_is_no_config_is_told_by_its_own_faults(tmp_path: Path) -> None:
    """Rules need a config; what the reader found is told all the same (law 8)."""
    assert slugs(linted(tmp_path, "[mcp_servers\n").findings) == {"toml-syntax"}


def test_findings_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Two runs give one order (law 5)."""
    config = SERVER.replace("crm", "b") + SERVER.replace("crm", "a")
    first = linted(tmp_path, config).findings
    assert first == linted(tmp_path, config).findings
    lines = [finding.location.line for finding in first if finding.location and finding.location.file == "config.toml"]
    assert lines == sorted(lines)


def test_a_finding_knows_the_waiver_that_would_accept_it() -> None:
    finding = Finding("schema-invalid", Severity.ERROR, "m", ("crm/get_x",))
    assert waiver_for(finding) == '[[waivers]] rule = "schema-invalid", subject = "crm/get_x", reason = "…"'


def test_every_rule_belongs_to_a_family() -> None:
    assert {rule.family for rule in all_rules().values()} == set(families())
    assert not set(families()) & set(all_rules())


def test_a_text_is_compared_with_its_own_words(tmp_path: Path) -> None:
    """Of many tools, half of them hidden, no text is held against every name (C04)."""
    from tests.lint.linting import lint_files

    chosen = choose(None, select=("hidden-but-named",))

    def linted(number: int) -> Callable[[], object]:
        tools = [
            {"name": f"{kind}_report_{n}", "description": f"Like hidden_report_{n}.", "inputSchema": {"type": "object"}}
            for kind in ("hidden", "shown")
            for n in range(number)
        ]
        config = SERVER + 'deny = ["hidden_*"]\n'
        files = {"config.toml": config, "catalogs/crm.json": json.dumps({"server": "crm", "tools": tools})}
        return lambda: found.append(lint_files(tmp_path, files, chosen))

    found: list[Any] = []
    assert growth(linted, 30) < 11
    named = [[each for each in result.findings if each.slug == "hidden-but-named"] for result in found]
    assert [len(each) for each in named] == [1, 300, 30]
