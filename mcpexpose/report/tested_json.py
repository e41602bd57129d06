"""A run of policy tests for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.report.findings_json import as_json
from mcpexpose.report.jsonout import dump

if TYPE_CHECKING:
    from mcpexpose.model.finding import Location
    from mcpexpose.report.screen import Screen
    from mcpexpose.report.tested import Coverage, Failure, Tested, TestedFile, TestsReport


def render(report: TestsReport, screen: Screen) -> str:
    """One object: version, files with their tests, findings, coverage, summary. Scores are whole, not rounded."""
    return dump(
        {
            "version": 1,
            "files": [_file(file) for file in report.files],
            "findings": [as_json(finding) for finding in report.findings],
            "configs": [
                {"config": each.config, "errors": each.errors, "writable": each.writable} for each in report.held
            ],
            "coverage": [_coverage(each, report) for each in report.coverage],
            "summary": {
                "files": len(report.files),
                "tests": len(report.tests),
                "passed": len(report.tests) - report.failed,
                "failed": report.failed,
                "errors": len(report.findings),
                "left_out": report.left_out,
                "assertions": report.assertions,
            },
        }
    )


def _file(file: TestedFile) -> dict[str, Any]:
    return {"file": file.file, "config": file.config, "tests": [_test(test) for test in file.tests]}


def _test(test: Tested) -> dict[str, Any]:
    return {
        "name": test.name,
        "profile": test.profile,
        "outcome": test.outcome,
        "assertions": test.assertions,
        **_at(test.location),
        "failures": [_failure(failure) for failure in test.failures],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "key": failure.key,
        "about": failure.about,
        "message": failure.fact,
        "advice": failure.advice,
        **_at(failure.location),
        "query": failure.query,
        "rank": failure.rank,
        "found": [{"rank": rank, "tool": tool, "score": score} for rank, tool, score in failure.found],
    }


def _coverage(each: Coverage, report: TestsReport) -> dict[str, Any]:
    named: dict[str, Any] = {"config": each.config, "tools": len(each.tools), "named": each.named}
    return {**named, "unnamed": list(each.unnamed)} if report.list_unnamed else named


def _at(location: Location | None) -> dict[str, Any]:
    if location is None:
        return {"line": None, "column": None}
    return {"line": location.line, "column": location.column}
