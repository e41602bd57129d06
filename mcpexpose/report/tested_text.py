"""A run of policy tests for a reader: what failed with place, fact and advice; then the line that sums it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.report import findings_text
from mcpexpose.report.findings import FindingsReport, in_order
from mcpexpose.report.screen import Paint, Screen
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from mcpexpose.report.tested import Coverage, Failure, Tested, TestsReport


def render(report: TestsReport, screen: Screen) -> str:
    """Faults of the files first, each with its line; then each failing assertion; coverage; the summary."""
    blocks = []
    if report.findings:
        faults = FindingsReport(in_order(report.findings), line=report.line, conceal=report.conceal)
        blocks.append(findings_text.blocks(faults, screen).rstrip("\n"))
    for file in report.files:
        blocks += [_failed(test, failure, screen) for test in file.tests for failure in test.failures]
    if report.list_unnamed:
        blocks += [_unnamed(each, screen) for each in report.coverage]
    return "\n\n".join([*blocks, _summary(report, screen)]) + "\n"


def _failed(test: Tested, failure: Failure, screen: Screen) -> str:
    """The place, the test and its key; the sentence; what to do."""
    at = failure.location
    where = f"{screen.text(at.file)}:{at.line}:{at.column}: " if at else ""
    under = f" (profile {screen.text(test.profile)})" if test.profile and failure.key != "profile" else ""
    head = f"{where}{screen.paint('failed', Paint.DANGER)}  {screen.text(test.name)}{under} {screen.dot} {failure.key}"
    lines = [head, *screen.wrap(screen.safe(failure.fact), "   ", "   ")]
    return "\n".join([*lines, *screen.wrap(screen.safe(failure.advice), "   fix: ", "        ")])


def _unnamed(coverage: Coverage, screen: Screen) -> str:
    """By server, the tools that no test names."""
    by_server: dict[str, list[str]] = {}
    for tool in coverage.unnamed:
        server, _, name = tool.partition("/")
        by_server.setdefault(server, []).append(screen.text(name))
    head = f"{screen.text(coverage.config)}: {coverage.named:,} of {count(len(coverage.tools), 'tool')} named by a test"
    lines = [head + ("; no test names" if by_server else "")]
    for server, names in by_server.items():
        lines += screen.wrap(f"{screen.text(server)}: {', '.join(names)}", "  ", "    ")
    return "\n".join(lines)


def _summary(report: TestsReport, screen: Screen) -> str:
    """`2 of 9 tests failed in 1 file · 14 assertions · 5 of 38 tools named by a test`."""
    tests, files = len(report.tests), count(len(report.files), "file")
    if report.failed:
        verdict = screen.paint(f"{report.failed:,} of {count(tests, 'test')} failed", Paint.DANGER)
    else:
        verdict = f"{count(tests, 'test')} passed" if tests else "no test was run"
    parts = [f"{verdict} in {files}", count(report.assertions, "assertion")]
    if report.findings:
        parts.insert(1, screen.paint(count(len(report.findings), "fault"), Paint.DANGER) + " in the files")
    if report.left_out:
        parts.append(f"{report.left_out:,} not chosen")
    tools = sum(len(each.tools) for each in report.coverage)
    named = sum(each.named for each in report.coverage)
    if not report.list_unnamed and tools and named < tools:
        parts.append(f"{named:,} of {count(tools, 'tool')} named by a test (--coverage)")
    return f" {screen.dot} ".join(parts)
