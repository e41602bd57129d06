"""A run of policy tests as JUnit XML: one suite a file, one case a test; a test that cannot be read is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.text import shown
from mcpexpose.report.findings import message, whereabouts
from mcpexpose.report.words import count
from mcpexpose.report.xmltext import attribute, content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.finding import Finding
    from mcpexpose.report.screen import Screen
    from mcpexpose.report.tested import Failure, Tested, TestedFile, TestsReport


def render(report: TestsReport, screen: Screen) -> str:
    """What is wrong with the config that was tested stands in a suite of its own."""
    held = [each for each in report.held if not each.writable]
    errors = len(report.findings) + len(held)
    counts = f'tests="{len(report.tests) + errors}" failures="{report.failed}" errors="{errors}" skipped="0"'
    parts = ['<?xml version="1.0" encoding="utf-8"?>\n', f'<testsuites name="mcpexpose test" {counts}>\n']
    parts += [_suite(file) for file in report.files]
    if held:
        counts = f'tests="{len(held)}" failures="0" errors="{len(held)}" skipped="0"'
        cases = [
            f'<testcase name="config" classname={attribute(shown(each.config))}>'
            f"<error message={attribute(count(each.errors, 'error') + ': mcpexpose lint says more')}/></testcase>"
            for each in held
        ]
        parts.append(f'<testsuite name="mcpexpose lint" {counts}>\n' + "\n".join(cases) + "\n</testsuite>\n")
    return "".join([*parts, "</testsuites>\n"])


def _suite(file: TestedFile) -> str:
    failed = sum(test.outcome == "failed" for test in file.tests)
    counts = f'tests="{len(file.tests) + len(file.findings)}" failures="{failed}" errors="{len(file.findings)}"'
    cases = [_case(file.file, test) for test in file.tests]
    cases += [_error(file.file, finding) for finding in file.findings]
    body = "".join(f"{case}\n" for case in cases)
    return f'<testsuite name={attribute(shown(file.file))} {counts} skipped="0">\n{body}</testsuite>\n'


def _case(file: str, test: Tested) -> str:
    name = attribute(shown(file))
    line = f' line="{test.location.line}"' if test.location else ""
    head = f"<testcase name={attribute(shown(test.name))} classname={name} file={name}{line}>"
    return head + (_failure(test.failures) if test.failures else "") + "</testcase>"


def _failure(failures: Sequence[Failure]) -> str:
    """All assertions that failed in one element, since many readers take the first alone."""
    first, more = failures[0], len(failures) - 1
    told = first.fact + (f" (and {count(more, 'other assertion')})" if more else "")
    text = content("\n\n".join(_told(failure) for failure in failures))
    return f'<failure type="{first.key}" message={attribute(told)}>{text}</failure>'


def _told(failure: Failure) -> str:
    at = failure.location
    where = f"{shown(at.file)}:{at.line}:{at.column}: " if at else ""
    return f"{where}{failure.fact}\n{failure.advice}"


def _error(file: str, finding: Finding) -> str:
    name = attribute(shown(file))
    text = content(f"{whereabouts(finding)}: {message(finding)}\n{finding.advice}")
    subject = attribute(" ".join([finding.slug, *map(shown, finding.subjects)]))
    error = f'<error type="{finding.slug}" message={attribute(message(finding))}>{text}</error>'
    return f"<testcase name={subject} classname={name} file={name}>{error}</testcase>"
