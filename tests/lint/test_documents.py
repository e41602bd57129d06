"""Every rule has a document of one shape, and its example is caught by the rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mcpexpose.lint.registry import all_rules

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.lint.rule import Rule

SECTIONS = ["What", "Why", "Example", "How to fix", "Known false alarms"]
FILES = re.compile(r"^```(?:toml|json) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITHOUT_EXAMPLE = {
    "capture-failed",
    "catalog-shrank",
    "catalog-too-deep",
    "catalog-too-large",
    "config-encoding",
    "config-too-deep",
    "config-too-large",
    "pack-cycle",
    "pack-version",
    "pagination-limit",
    "pagination-loop",
    "plan-busy",
    "plan-damaged",
    "plan-not-writable",
    "plan-unsafe-path",
    "plan-version",
    "schema-too-deep",
    "toml-1-1-only",
}
"""What takes other machines, an earlier state, or more than a page."""
OF_IMPORTS = {slug for slug, rule in all_rules().items() if rule.family == "importing"}
"""Their examples are files of other hosts: `tests/importers/test_documents.py`."""


@pytest.mark.parametrize("rule", all_rules().values(), ids=all_rules())
def test_documents_have_one_shape(rule: Rule) -> None:
    """`mcpexpose rule` prints the same five sections for every rule (C04)."""
    text = rule.document
    assert text.startswith(f"# {rule.slug}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == SECTIONS
    for section in re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]:
        assert section.strip()
    assert rule.summary.endswith(".")


@pytest.mark.parametrize("slug", sorted(all_rules().keys() - WITHOUT_EXAMPLE - OF_IMPORTS))
def test_the_example_is_caught(slug: str, tmp_path: Path) -> None:
    """What a document shows is what lint says (C04)."""
    from tests.lint.linting import lint_files

    files = dict(FILES.findall(all_rules()[slug].document))
    assert "config.toml" in files
    linted = lint_files(tmp_path, files)
    assert linted.crashes == ()
    assert slug in {finding.slug for finding in linted.findings}
    found = next(finding for finding in linted.findings if finding.slug == slug)
    assert found.severity is all_rules()[slug].severity or slug == "lookalike-name"
    assert found.message
    assert found.advice
    assert found.location or found.place


def test_the_exceptions_have_no_example() -> None:
    for slug in WITHOUT_EXAMPLE:
        assert not FILES.findall(all_rules()[slug].document)
