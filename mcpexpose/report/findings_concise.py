"""Findings for grep and editors: one line each, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.report.findings import FindingsReport, message, whereabouts

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen


def render(report: FindingsReport, screen: Screen) -> str:
    """`file:line:column: severity slug message`."""
    lines = []
    for finding in report.findings:
        where = whereabouts(finding)
        lines.append(f"{where}: " if where else "")
        lines[-1] += f"{finding.severity.value} {finding.slug} {message(finding)}"
    return "".join(screen.safe(line) + "\n" for line in lines)
