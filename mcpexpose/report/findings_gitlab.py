"""Findings as a GitLab Code Quality report, shown in merge requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.finding import Severity
from mcpexpose.model.text import shown
from mcpexpose.report.findings import (
    FindingsReport,
    file_of,
    from_root,
    in_config,
    message,
    unique_fingerprints,
)
from mcpexpose.report.jsonout import dump

if TYPE_CHECKING:
    from mcpexpose.report.screen import Screen

SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: FindingsReport, screen: Screen) -> str:
    """A list of entries with the fields that GitLab documents; `[]` where nothing was found."""
    entries = []
    for finding, fingerprint in zip(report.findings, unique_fingerprints(report.findings, report), strict=True):
        at = in_config(finding, report)
        entries.append(
            {
                "check_name": finding.slug,
                "description": " ".join(filter(None, [f"{message(finding)}.", finding.advice])),
                "fingerprint": fingerprint,
                "severity": SEVERITIES[finding.severity],
                "location": {
                    "path": shown(from_root(at.file if at else file_of(finding, report), report)),
                    "lines": {"begin": at.line if at else 1, "end": at.end_line if at else 1},
                },
            }
        )
    return dump(entries)
