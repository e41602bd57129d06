"""Findings for a reader: the sentence, the line with a caret under the spot, what to do."""

from __future__ import annotations

from mcpexpose.model.finding import Finding, Location, Severity
from mcpexpose.report.findings import FindingsReport, message, summary, whereabouts
from mcpexpose.report.screen import Paint, Screen, cells

PAINT = {Severity.ERROR: Paint.DANGER, Severity.WARNING: Paint.CARE, Severity.INFO: Paint.NOTE}
_GUTTER = 8
_NEAR = 1_500


def render(report: FindingsReport, screen: Screen) -> str:
    """All findings, a blank line after each, and the summary.

    Of information that a rule gives again and again, the first one is shown whole and the others on one line each.
    """
    concealed = _concealed(report)
    told: set[str] = set()
    text = ""
    after_short = False
    for finding in report.findings:
        short = finding.severity is Severity.INFO and finding.slug in told
        told.add(finding.slug)
        lines = [_head(finding, screen)] if short else _block(finding, report, concealed, screen)
        text += ("\n" if text and not (short and after_short) else "") + "\n".join(lines) + "\n"
        after_short = short
    return text + ("\n" if text else "") + summary(report, screen) + "\n"


def _block(finding: Finding, report: FindingsReport, concealed: Spans, screen: Screen) -> list[str]:
    lines = [_head(finding, screen)]
    if finding.location:
        lines += _excerpt(finding.location, report, concealed, screen)
    if finding.advice:
        lines.append(f"   fix: {screen.safe(finding.advice)}")
    seen = [at for place in finding.related if (at := report.locate(place))]
    if seen:
        lines.append("   see: " + ", ".join(f"{screen.text(at.file)}:{at.line}" for at in seen))
    return lines


def _head(finding: Finding, screen: Screen) -> str:
    where = whereabouts(finding)
    severity = screen.paint(finding.severity.value, PAINT[finding.severity])
    return f"{screen.safe(where)}{': ' if where else ''}{severity} {finding.slug}  {screen.safe(message(finding))}"


Spans = dict[tuple[str, int], list[tuple[int, int | None]]]


def _concealed(report: FindingsReport) -> Spans:
    """Stretches of lines that hold a credential, whichever finding shows the line."""
    spans: Spans = {}
    for finding in report.findings:
        if finding.slug.startswith("secret-in-") and (at := finding.location):
            for line in range(at.line, at.end_line + 1):
                start = at.column - 1 if line == at.line else 0
                end = at.end_column - 1 if line == at.end_line else None
                spans.setdefault((at.file, line), []).append((start, end))
    return spans


def _excerpt(at: Location, report: FindingsReport, concealed: Spans, screen: Screen) -> list[str]:
    raw = report.line(at.file, at.line)
    if raw is None or not raw.strip():
        return []
    raw = _mask(raw, concealed.get((at.file, at.line), []))
    start = min(at.column - 1, len(raw))
    end = min(at.end_column - 1, len(raw)) if at.end_line == at.line else len(raw)
    # A catalog may be one line of megabytes: what is near the spot is looked at, so much that no credential is cut.
    first, last = max(start - _NEAR, 0), min(end, start + _NEAR) + _NEAR
    near = report.conceal(raw[first:last])
    room = max(screen.width - _GUTTER, 20)
    start, end = start - first, min(end - first, start - first + _NEAR)
    before = _printable(near[max(start - room, 0) : start], screen)
    marked = _printable(near[start : min(end, start + room)], screen)
    after = _printable(near[end : end + room].rstrip(), screen)
    if cells(before) + cells(marked) + cells(after) > room:
        marked = screen.fit(marked, room * 2 // 3)
        before = screen.fit_start(before, max((room - cells(marked)) * 2 // 3, 0))
        after = screen.fit(after, max(room - cells(before) - cells(marked), 0))
    return [
        f"{at.line:>5} | {before}{marked}{after}".rstrip(),
        f"{'':>5} | {' ' * cells(before)}{'^' * max(cells(marked), 1)}",
    ]


def _mask(raw: str, spans: list[tuple[int, int | None]]) -> str:
    for start, end in spans:
        stop = len(raw) if end is None else min(end, len(raw))
        inner = raw[start:stop]
        quote = inner[:1] if len(inner) > 1 and inner[:1] in "\"'" and inner[-1] == inner[0] else ""
        raw = raw[:start] + quote + "*" * (len(inner) - 2 * len(quote)) + quote + raw[stop:]
    return raw


def _printable(text: str, screen: Screen) -> str:
    return screen.text(text.replace("\t", "    "))
