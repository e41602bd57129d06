"""Findings for a pull request's comment or a job's summary: errors in sight, the rest folded, under 60 kB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.finding import Finding, Severity
from mcpexpose.report.findings import FindingsReport, message, summary, whereabouts
from mcpexpose.report.preview_markdown import LIMIT, escape
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.report.screen import Screen

_ROOM = {Severity.ERROR: LIMIT // 2, Severity.WARNING: LIMIT // 3, Severity.INFO: LIMIT // 8}
"""Bytes for each kind; what does not fit is counted by rule."""
_NOUNS = {Severity.ERROR: ("error", None), Severity.WARNING: ("warning", None), Severity.INFO: ("info", "infos")}


def render(report: FindingsReport, screen: Screen) -> str:
    """Texts of servers and operators are escaped, so that they can be neither markup, mention nor link."""
    errors = report.total(Severity.ERROR)
    blocks = [
        f"### mcpexpose lint: {count(errors, 'error') if errors else 'no errors'}",
        escape(summary(report, screen), 500),
    ]
    for crash in report.crashes:
        blocks.append(f"**The rule {escape(crash.slug)} failed** on {escape(crash.subject)} ({escape(crash.error)}).")
    for severity in Severity:
        group = [finding for finding in report.findings if finding.severity is severity]
        if group:
            blocks.append(_group(severity, group))
    return "\n\n".join(blocks) + "\n"


def _group(severity: Severity, group: Sequence[Finding]) -> str:
    lines = ["| where | rule | what | what to do |", "|---|---|---|---|"]
    room = _ROOM[severity] - 1_000
    missing: dict[str, int] = {}
    for finding in group:
        line = (
            f"| {escape(whereabouts(finding))} | {escape(finding.slug)} | {escape(message(finding), 300)} "
            f"| {escape(finding.advice)} |"
        )
        room -= len(line.encode()) + 1
        if room < 0:
            missing[finding.slug] = missing.get(finding.slug, 0) + 1
        else:
            lines.append(line)
    text = "\n".join(lines)
    if missing:
        listed = sorted(missing.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{escape(slug)} ({number:,})" for slug, number in listed[:20])
        rest = f" and {len(listed) - 20} more rules" if len(listed) > 20 else ""
        text += f"\n\nand {sum(missing.values()):,} more: {named}{rest}"
    if severity is Severity.ERROR:
        return text
    title = count(len(group), *_NOUNS[severity])
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
