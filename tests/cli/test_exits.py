"""One table of exit codes for all commands and formats."""

from __future__ import annotations

from itertools import permutations

from mcpexpose.cli.exits import combine, of_findings
from mcpexpose.model.finding import Finding, Severity


def test_of_several_the_first_of_the_table_applies() -> None:
    """130, 70, 2, 5, 1, 4, 3; and 0 where there is nothing."""
    order = (130, 70, 2, 5, 1, 4, 3)
    for one, other in permutations(order, 2):
        assert combine([one, other, 0]) == (one if order.index(one) < order.index(other) else other)
    assert combine([]) == combine([0, 0]) == 0


def test_findings_count_from_the_severity_that_was_asked_for() -> None:
    """Errors by default; `never` counts none."""
    warning = Finding("x", Severity.WARNING, "", ())
    assert of_findings([warning]) == 0
    assert of_findings([warning], "warning") == 1
    assert of_findings([warning], "info") == 1
    error = Finding("x", Severity.ERROR, "", ())
    assert of_findings([warning, error]) == 1
    assert of_findings([error], "never") == 0
    assert of_findings([Finding("x", Severity.INFO, "", ())], "warning") == 0
