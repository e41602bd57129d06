"""Each folder under cases is one rule: a config that it catches, one that it leaves alone, and what is to be said."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mcpexpose.lint.registry import all_rules

CASES = Path(__file__).parent / "cases"
SLUGS = sorted(folder.name for folder in CASES.iterdir())


TOKENS = {"direct-over-share", "schema-heavy", "small-server-deferred"}
"""Their sentences hold estimates of tokens, which go with the estimator and the form of a declaration."""


def scrubbed(slug: str, message: str) -> str:
    return re.sub(r"\d[\d,.]*", "N", message) if slug in TOKENS else message


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_wrong_is_said(slug: str, update_golden: bool) -> None:
    """Every finding of the rule on its bad config, with its subjects and its sentence (C04)."""
    from tests.lint.linting import lint_folder

    folder = CASES / slug / "bad"
    linted = lint_folder(folder)
    assert linted.crashes == ()
    said = [
        {
            "severity": finding.severity.value,
            "subjects": list(finding.subjects),
            "at": f"{finding.location.file}:{finding.location.line}" if finding.location else None,
            "message": scrubbed(slug, finding.message),
            "advice": finding.advice,
        }
        for finding in linted.findings
        if finding.slug == slug
    ]
    expected = folder / "expected.json"
    if update_golden:
        expected.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert said == json.loads(expected.read_text("utf-8"))
    assert said


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_right_is_left_alone(slug: str) -> None:
    """No false alarm on what looks similar (C04)."""
    from tests.lint.linting import lint_folder

    linted = lint_folder(CASES / slug / "good")
    assert linted.crashes == ()
    assert [finding.message for finding in linted.findings if finding.slug == slug] == []


def test_every_rule_that_looks_for_itself_has_a_case() -> None:
    """A new rule brings its folder."""
    assert sorted(slug for slug, rule in all_rules().items() if rule.checks) == SLUGS
