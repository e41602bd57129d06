"""The preview for a pull request: a summary, tables that fold away, under 60 kB whatever the size of the plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.model.changes import THE_LOCK, Risk
from mcpexpose.model.text import shown
from mcpexpose.report import changes
from mcpexpose.report.findings import FindingsReport, message, whereabouts
from mcpexpose.report.preview import Preview, because_text
from mcpexpose.report.words import age, count, on_the_way, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcpexpose.model.changes import Change
    from mcpexpose.model.finding import Finding
    from mcpexpose.report.screen import Screen

LIMIT = 60_000
"""Bytes. GitHub refuses a comment above 65,536 characters."""
_TABLE_LIMIT = 9_500
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#|~@!])")
_OPENING = re.compile(r"^([0-9]*)([-+=.])")
"""What opens a list or underlines a heading at the start of a line."""
# A comment after these keeps a mention, a cross-reference, an address or a `:name:` from becoming a link or a picture.
_LINKED = re.compile(r"\\[@#]|(?i:https?|ftp|www)(?=[:.])|(?i:GH)(?=-[0-9])|:(?=[A-Za-z0-9+\\_-]+:)")


def render(preview: Preview, screen: Screen) -> str:
    """Text of servers and operators is escaped, so that it can be neither markup, mention nor link."""
    plan = preview.plan
    profile = f", profile {escape(preview.profile)}" if preview.profile is not None else ""
    blocks = [
        f"### What the model is told: {escape(preview.title)}{profile}",
        f"**{preview.tokens:,} tokens** in request 1 ({share(preview.tokens, plan.context_window)} of "
        f"{plan.context_window:,}, estimate {escape(plan.estimator)}); {preview.tokens_if_all:,} "
        f"({share(preview.tokens_if_all, plan.context_window)}) if all were declared.",
        f"{count(len(preview.servers), 'server')}, {count(preview.tools, 'tool')}: "
        f"direct **{preview.total('direct'):,}**, deferred {preview.total('deferred'):,}, "
        f"hidden {preview.total('hidden'):,}, left out {preview.total('left_out'):,}.",
        f"As taken by: {', '.join(escape(line.said(plan.context_window)) for line in preview.targets)}.",
        *_faults(preview),
        *_changes(preview),
        *_direct(preview),
        *_left_out(preview),
        *_servers(preview),
        *_profiles(preview),
    ]
    if said := on_the_way(preview.warnings):
        blocks.append(f"{said.replace('mcpexpose lint', '`mcpexpose lint`')}.")
    return "\n\n".join(blocks) + "\n"


def escape(text: str, limit: int = 200) -> str:
    """TEXT as literal text in a table cell: shown, cut, HTML and Markdown escaped, no mention, no autolink."""
    safe = shown(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _SPECIAL.sub(r"\\\1", safe)
    safe = _OPENING.sub(r"\1\\\2", safe)
    return _LINKED.sub(lambda match: match.group() + "<!-- -->", safe).replace("$", "&#36;")


def render_faults(report: FindingsReport, screen: Screen) -> str:
    """What is wrong, as a list."""
    return f"### There is no plan\n\n{_list(report.findings)}\n"


def _faults(preview: Preview) -> list[str]:
    if not preview.faults:
        return []
    head = "Errors" if preview.writable else "Faults: until they are mended, no plan is written"
    return [f"**{head}**\n\n{_list(preview.faults)}"]


def _list(findings: Iterable[Finding]) -> str:
    items = []
    for finding in findings:
        at = whereabouts(finding)
        items.append(f"- {escape(at)}{': ' if at else ''}**{finding.slug}** {escape(message(finding), 400)}")
    return _cut(items, "faults")


def _changes(preview: Preview) -> list[str]:
    """The summary in sight; the table folded where it is long."""
    found = preview.changes
    if found is None:
        return []
    head = "Since the lock" if found.against == THE_LOCK else f"Against {escape(found.against)}"
    if not found.differs:
        return [f"**{head}:** nothing changed."]
    rows = [
        (
            _loud(change),
            escape(changes.subject(change)),
            escape(changes.said(change), 400),
            escape(preview.where(change)),
        )
        for change in found.changes
    ]
    title = f"**{head}:** {changes.summary(found)}"
    return [title, *_details(count(len(rows), "change"), ("risk", "what", "change", "at"), rows, fold=len(rows) > 12)]


def _loud(change: Change) -> str:
    mark = escape(change.mark)
    return f"{mark} **{change.risk}**" if change.risk in (Risk.WIDENS, Risk.SAFETY) else f"{mark} {change.risk}"


def _direct(preview: Preview) -> list[str]:
    rows = [
        (
            escape(line.tool.alias),
            _risk(line.tool.side_effect.value),
            line.tool.approval.value,
            f"{line.tool.tokens:,}",
            escape(because_text(line.because, line.tool.id)) if line.because else "",
            escape(f"{line.at.file}:{line.at.line}") if line.at else "",
        )
        for line in preview.direct
    ]
    head = ("direct, in request 1", "side effect", "approval", "tokens:", "because", "at")
    return _details(f"{count(len(rows), 'tool')} declared in request 1", head, rows, fold=len(rows) > 12)


def _left_out(preview: Preview) -> list[str]:
    rows = [(escape(line.subject), escape(line.slug), escape(line.where)) for line in preview.left_out]
    return _details(f"{len(rows):,} left out", ("left out", "by", "at"), rows, fold=len(rows) > 12)


def _servers(preview: Preview) -> list[str]:
    rows = []
    for server in preview.servers:
        captured = "no usable catalog"
        if state := server.catalog:
            old = age(state.seconds) if state.seconds is not None else "no date"
            stale = "" if state.fresh else f" ⚠ {escape(state.reason)}"
            captured = f"{old} `{state.revision[:8]}`{stale}"
        rows.append(
            (
                escape(server.id),
                *(f"{number:,}" for number in (server.tools, server.direct, server.deferred, server.hidden)),
                f"{server.left_out:,}",
                f"{server.tokens_if_all:,}",
                share(server.tokens_if_all, preview.plan.context_window),
                captured,
                escape(server.summary),
            )
        )
    head = ("server", "tools:", "direct:", "deferred:", "hidden:", "out:", "if all:", "share:", "captured", "summary")
    return _details(f"{count(len(rows), 'server')}", head, rows, fold=True)


def _profiles(preview: Preview) -> list[str]:
    if preview.profile is not None:
        return []
    rows = [
        (escape(line.name), f"{line.reaches:,}", f"{line.direct:,}", f"{line.tokens:,}", escape(line.description))
        for line in preview.profiles
    ]
    return _details(count(len(rows), "profile"), ("profile", "reaches:", "direct:", "tokens:", "for"), rows, fold=True)


def _risk(side_effect: str) -> str:
    return escape(side_effect) if side_effect == "read_only" else f"**{escape(side_effect)}**"


def _details(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, fold: bool) -> list[str]:
    if not rows:
        return []
    lines = [
        "| " + " | ".join(name.removesuffix(":") for name in head) + " |",
        "|" + "|".join("---:" if name.endswith(":") else "---" for name in head) + "|",
    ]
    text = "\n".join(lines) + "\n" + _cut(("| " + " | ".join(row) + " |" for row in rows), "rows")
    return [f"<details><summary>{title}</summary>\n\n{text}\n\n</details>" if fold else text]


def _cut(lines: Iterable[str], what: str) -> str:
    """LINES up to the share of the limit that one table has, and how many are missing."""
    kept: list[str] = []
    room = _TABLE_LIMIT - 100
    missing = 0
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            missing += 1
        else:
            kept.append(line)
    return "\n".join(kept) + (f"\n\nand {missing:,} more {what}: `mcpexpose plan` shows them" if missing else "")
