"""Findings as workflow commands, which GitHub Actions shows as annotations at their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.text import shown
from mcpexpose.report.findings import FindingsReport, file_of, from_root, in_config, message

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: FindingsReport, screen: Screen) -> str:
    """One command a line, errors first, since GitHub shows ten of a kind and step; a failed rule is an error too."""
    ordered = sorted(report.findings, key=lambda finding: list(Severity).index(finding.severity))
    lines = [_command(finding, report) for finding in ordered]
    for crash in report.crashes:
        text = f"the rule {crash.slug} failed on {crash.subject} ({crash.error}); the others ran"
        lines.append(f"::error title=mcpexpose::{_data(text)}")
    return "".join(line + "\n" for line in lines)


def _command(finding: Finding, report: FindingsReport) -> str:
    at = in_config(finding, report)
    file = at.file if at else file_of(finding, report)
    properties = {"file": shown(from_root(file, report))} if file else {}
    if at:
        properties |= {"line": str(at.line), "endLine": str(at.end_line)}
        if at.line == at.end_line:
            properties |= {"col": str(at.column), "endColumn": str(at.end_column)}
    properties["title"] = f"mcpexpose {finding.slug}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = " ".join(filter(None, [f"{message(finding)}.", finding.advice]))
    return f"::{COMMANDS[finding.severity]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
