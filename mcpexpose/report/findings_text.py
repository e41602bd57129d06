"""Findings for a reader: the sentence, the line with a caret under the spot, what to do; repetition takes few lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.model.finding import Finding, Location, Severity
from mcpexpose.report.findings import FindingsReport, message, summary, unnamed, whereabouts
from mcpexpose.report.screen import Paint, Screen, cells
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAINT = {Severity.ERROR: Paint.DANGER, Severity.WARNING: Paint.CARE, Severity.INFO: Paint.NOTE}
WHOLE = {Severity.ERROR: 10, Severity.WARNING: 3, Severity.INFO: 0}
"""So many findings of one rule on one server are shown with their lines; the others are named."""
FEW = 4
"""Subjects that stand behind a sentence in brackets; more of them stand below it."""
_GUTTER = 8
_NEAR = 1_500
_OWNER = re.compile(r"[^/:#]+")
_INDEX = re.compile(r"\[\d+\].*")

Key = tuple[str, Severity, str]


def render(report: FindingsReport, screen: Screen) -> str:
    """The findings and the summary; a blank line after each finding."""
    text = blocks(report, screen)
    return text + ("\n" if text else "") + summary(report, screen) + "\n"


def blocks(report: FindingsReport, screen: Screen) -> str:
    """The findings alone, a blank line between them.

    Of those that a rule gives again and again on one server, the first are shown whole and the others named in one
    block; information is named alone. Every subject stands in the text.
    """
    concealed = _concealed(report)
    groups: dict[Key, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(_key(finding), []).append(finding)
    shown: dict[Key, int] = {}
    advised: set[str] = set()
    parts: list[str] = []
    short = False
    for finding in report.findings:
        key = _key(finding)
        group = groups[key]
        nth = shown[key] = shown.get(key, 0) + 1
        quiet = finding.severity is Severity.INFO
        whole = WHOLE[finding.severity]
        whole = len(group) if len(group) <= whole + 1 else whole
        if nth > (1 if quiet else whole + 1):
            continue
        if quiet:
            lines = _named(group, key, screen) if len(group) > 1 else _head(finding, screen)
            lines += _advice(finding, screen) if finding.slug not in advised else []
            advised.add(finding.slug)
        elif nth <= whole:
            lines = _block(finding, report, concealed, screen)
        else:
            lines = _named(group[whole:], key, screen, more=True)
        both_short = short and quiet and len(lines) == 1
        parts.append(("\n" if parts and not both_short else "") + "\n".join(lines) + "\n")
        short = quiet and len(lines) == 1
    return "".join(parts)


def _key(finding: Finding) -> Key:
    return finding.slug, finding.severity, _owner(finding)


def _owner(finding: Finding) -> str:
    """The server, table or file that the first subject belongs to."""
    found = _OWNER.match(finding.subjects[0]) if finding.subjects else None
    return _INDEX.sub("", found.group()) if found else ""


def _named(group: Sequence[Finding], key: Key, screen: Screen, *, more: bool = False) -> list[str]:
    """One block for findings of a rule on one server: how many, where, and each subject."""
    slug, severity, owner = key
    files = dict.fromkeys(whereabouts(finding).split(":")[0] for finding in group)
    where = next(iter(files)) if len(files) == 1 else ""
    painted = screen.paint(severity.value, PAINT[severity])
    what = f"{len(group):,} more" if more else count(len(group), "finding")
    about = f" on {screen.text(owner)}" if owner else ""
    head = f"{screen.safe(where)}{': ' if where else ''}{painted} {slug}  {what}{about}"
    return [head, *_items((" with ".join(_short(finding, owner, screen)) for finding in group), screen)]


def _short(finding: Finding, owner: str, screen: Screen) -> list[str]:
    """A finding's subjects; those of the server that the block is about without its name."""
    names = [screen.text(subject) for subject in finding.subjects] or [screen.safe(whereabouts(finding))]
    shown = screen.text(owner)
    return [name[len(shown) + 1 :] if name.startswith((f"{shown}/", f"{shown}:")) else name for name in names]


def _items(items: Iterable[str], screen: Screen) -> list[str]:
    """ITEMS with commas, as many to a line as fit; each once."""
    lines: list[str] = []
    line = "   "
    for item in dict.fromkeys(items):
        if line.strip() and cells(line) + cells(item) + 3 > screen.width:
            lines.append(line + ",")
            line = "   "
        line += (", " if line.strip() else "  ") + item
    return [*lines, line]


def _block(finding: Finding, report: FindingsReport, concealed: Spans, screen: Screen) -> list[str]:
    lines = _head(finding, screen)
    if finding.location:
        lines += _excerpt(finding.location, report, concealed, screen)
    lines += _advice(finding, screen)
    seen = [at for place in finding.related if (at := report.locate(place))]
    if seen:
        lines.append("   see: " + ", ".join(f"{screen.text(at.file)}:{at.line}" for at in seen))
    return lines


def _advice(finding: Finding, screen: Screen) -> list[str]:
    return [f"   fix: {screen.safe(finding.advice)}"] if finding.advice else []


def _head(finding: Finding, screen: Screen) -> list[str]:
    """Place, severity, rule and sentence; many subjects that the sentence leaves out stand below it."""
    where = whereabouts(finding)
    painted = screen.paint(finding.severity.value, PAINT[finding.severity])
    start = f"{screen.safe(where)}{': ' if where else ''}{painted} {finding.slug}  "
    if len(unnamed(finding)) <= FEW:
        return [start + screen.safe(message(finding))]
    return [start + screen.safe(finding.message), *_items(_short(finding, _owner(finding), screen), screen)]


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
