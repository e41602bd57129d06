"""Findings as JUnit XML: one suite a file, one case a finding; what fails the run is a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.text import shown
from mcpexpose.report.findings import FindingsReport, file_of, from_root, message, whereabouts
from mcpexpose.report.xmltext import attribute, content

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen

_LEVELS = tuple(severity.value for severity in Severity)


def render(report: FindingsReport, screen: Screen) -> str:
    """A checked config without findings has one case that passed, since readers of JUnit take no cases for a fault."""
    suites: dict[str, list[str]] = {name: [] for name in report.configs}
    failures: dict[str, int] = {}
    skipped: dict[str, int] = {}
    for finding in report.findings:
        file = file_of(finding, report)
        fails = report.fail_on in _LEVELS and _LEVELS.index(finding.severity) <= _LEVELS.index(report.fail_on)
        failures[file] = failures.get(file, 0) + fails
        suites.setdefault(file, []).append(_case(finding, report, _told(finding, fails=fails)))
    for each in report.accepted:
        file = file_of(each.finding, report)
        skipped[file] = skipped.get(file, 0) + 1
        why = f"{each.by}: {each.reason}" if each.reason else each.by
        suites.setdefault(file, []).append(_case(each.finding, report, f"<skipped message={attribute(why)}/>"))
    errors = [_crash(crash.slug, f"{crash.error} on {crash.subject}") for crash in report.crashes]
    parts = ['<?xml version="1.0" encoding="utf-8"?>\n']
    total = sum(max(len(cases), 1) for cases in suites.values()) + len(errors)
    parts.append(
        f'<testsuites name="mcpexpose lint" tests="{total}" failures="{sum(failures.values())}" '
        f'errors="{len(errors)}" skipped="{sum(skipped.values())}">\n'
    )
    for file, cases in suites.items():
        name = attribute(from_root(file, report))
        cases = cases or [f'<testcase name="no findings" classname={name}/>']
        counts = f'failures="{failures.get(file, 0)}" errors="0" skipped="{skipped.get(file, 0)}"'
        parts.append(f'<testsuite name={name} tests="{len(cases)}" {counts}>\n' + "\n".join(cases) + "\n</testsuite>\n")
    if errors:
        counts = f'tests="{len(errors)}" failures="0" errors="{len(errors)}" skipped="0"'
        parts.append(f'<testsuite name="mcpexpose" {counts}>\n' + "\n".join(errors) + "\n</testsuite>\n")
    return "".join([*parts, "</testsuites>\n"])


def _case(finding: Finding, report: FindingsReport, inner: str) -> str:
    name = " ".join([finding.slug, *map(shown, finding.subjects)])
    file = shown(from_root(file_of(finding, report), report))
    line = f' line="{finding.location.line}"' if finding.location else ""
    return (
        f"<testcase name={attribute(name)} classname={attribute(file)} file={attribute(file)}{line}>{inner}</testcase>"
    )


def _told(finding: Finding, *, fails: bool) -> str:
    where = whereabouts(finding)
    text = content(
        "\n".join(filter(None, [f"{where}: {message(finding)}" if where else message(finding), finding.advice]))
    )
    if fails:
        return f'<failure type="{finding.severity.value}" message={attribute(message(finding))}>{text}</failure>'
    return f"<system-out>{finding.severity.value}: {text}</system-out>"


def _crash(slug: str, what: str) -> str:
    return f'<testcase name={attribute(slug)} classname="mcpexpose"><error message={attribute(what)}/></testcase>'
