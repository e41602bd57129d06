"""Every rule of imports has a document whose example is caught, and a severity that is the finding's."""

from __future__ import annotations

import re

import pytest

from mcpexpose.lint.registry import all_rules
from tests.importers.importing import imported, said

RULES = {slug: rule for slug, rule in all_rules().items() if rule.family == "importing"}
FILES = re.compile(r"^```(?:toml|json|yaml) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("slug", sorted(RULES))
def test_the_example_is_caught(slug: str) -> None:
    """What a document shows is what `init --from` says (C04)."""
    files = FILES.findall(RULES[slug].document)
    assert files
    result = imported(*files)
    found = said(result, slug)
    assert found
    for finding in result.findings:
        rule = all_rules()[finding.slug]
        assert finding.severity is rule.severity
        assert finding.message
        assert finding.location
    assert found[0].advice
