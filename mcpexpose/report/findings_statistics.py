"""How often each rule spoke: for a first look at an old repository."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcpexpose.model.finding import Severity
from mcpexpose.report.findings import FindingsReport, summary
from mcpexpose.report.jsonout import dump
from mcpexpose.report.screen import Column, table

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen

_Row = tuple[int, Severity, str, int]


def render_text(report: FindingsReport, screen: Screen) -> str:
    """A table, the most frequent first, and the summary."""
    rows = [
        [f"{number:,}", severity.value, screen.safe(slug), f"{mended:,}" if mended else ""]
        for number, severity, slug, mended in _rows(report)
    ]
    columns = [Column("COUNT", ">"), Column("SEVERITY"), Column("RULE"), Column("CAN BE MENDED", ">")]
    lines = table(columns, rows, screen, indent=0) if rows else []
    return "".join(line + "\n" for line in [*lines, *([""] if lines else []), summary(report, screen)])


def render_json(report: FindingsReport) -> str:
    """One object: version, statistics."""
    rows = [
        {"rule": slug, "severity": severity.value, "count": number, "fixable": mended}
        for number, severity, slug, mended in _rows(report)
    ]
    return dump({"version": 1, "statistics": rows})


def _rows(report: FindingsReport) -> list[_Row]:
    counts = Counter((finding.severity, finding.slug) for finding in report.findings)
    mended = Counter((finding.severity, finding.slug) for finding in report.fixes)
    rows = [(number, *key, mended[key]) for key, number in counts.items()]
    return sorted(rows, key=lambda row: (-row[0], list(Severity).index(row[1]), row[2]))
