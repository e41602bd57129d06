"""Each folder under cases is one rule of imports: files that it catches, others that it leaves alone, what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcpexpose.lint.registry import all_rules
from tests.importers.importing import imported, said

if TYPE_CHECKING:
    from mcpexpose.importers.importing import Imported

CASES = Path(__file__).parent / "cases"
SLUGS = sorted(folder.name for folder in CASES.iterdir())


def of_folder(folder: Path) -> Imported:
    files = sorted(path for path in folder.iterdir() if path.name != "expected.json")
    return imported(*((path.name, path.read_bytes()) for path in files))


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_wrong_is_said(slug: str, update_golden: bool) -> None:
    """Every finding of the rule on its bad files, with its subjects and its sentence (C04)."""
    folder = CASES / slug / "bad"
    found = [
        {
            "severity": finding.severity.value,
            "subjects": list(finding.subjects),
            "at": f"{finding.location.file}:{finding.location.line}:{finding.location.column}",
            "message": finding.message,
            "advice": finding.advice,
        }
        for finding in said(of_folder(folder), slug)
        if finding.location
    ]
    expected = folder / "expected.json"
    if update_golden:
        expected.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert found == json.loads(expected.read_text("utf-8"))
    assert found


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_right_is_left_alone(slug: str) -> None:
    """No false alarm on what looks similar, of this rule or another (C04)."""
    result = of_folder(CASES / slug / "good")
    assert [f"{finding.slug} {finding.message}" for finding in result.findings] == []
    assert result.servers


def test_every_rule_has_a_case() -> None:
    assert sorted(slug for slug, rule in all_rules().items() if rule.family == "importing") == SLUGS
