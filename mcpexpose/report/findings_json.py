"""Findings for programs; the shape is `schemas/finding.schema.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.finding import Finding, Location, Severity
from mcpexpose.model.jsonform import to_json
from mcpexpose.report.jsonout import dump

if TYPE_CHECKING:
    from mcpexpose.report.findings import FindingsReport
    from mcpexpose.report.screen import Screen


def render(report: FindingsReport, screen: Screen) -> str:
    """One object: version, findings, summary."""
    return dump(
        {
            "version": 1,
            "findings": [as_json(finding, report) for finding in report.findings],
            "crashes": [{"slug": each.slug, "subject": each.subject, "error": each.error} for each in report.crashes],
            "summary": {
                "errors": report.total(Severity.ERROR),
                "warnings": report.total(Severity.WARNING),
                "infos": report.total(Severity.INFO),
                "waived": report.waived,
                "baselined": report.baselined,
                "fixed": report.fixed,
                "checked": dict(report.checked),
            },
        }
    )


def as_json(finding: Finding, report: FindingsReport | None = None) -> dict[str, Any]:
    """One finding. Lines and columns count from 1, columns in code points; null where there is no place."""
    at = finding.location
    related = [report.locate(place) for place in finding.related] if report else []
    fix = report.fixes.get(finding) if report else None
    return {
        "slug": finding.slug,
        "severity": finding.severity.value,
        "message": finding.message,
        "advice": finding.advice,
        "subjects": list(finding.subjects),
        "subject": finding.subjects[0] if finding.subjects else None,
        "file": at.file if at else finding.place.file if finding.place else None,
        **_span(at),
        "related": [{"file": each.file, **_span(each)} for each in related if each],
        "details": to_json(finding.details),
        "fingerprint": finding.fingerprint,
        "fix": {"title": fix.title, "safe": fix.safe} if fix else None,
    }


def _span(at: Location | None) -> dict[str, int | None]:
    names = ("line", "column", "end_line", "end_column")
    return {name: getattr(at, name) if at else None for name in names}
