"""What changed, as lines of text: one a tool, the riskiest first, and one sentence that sums it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.changes import THE_LOCK, Change, Changes, Risk
from mcpexpose.model.jsonform import to_json
from mcpexpose.report.screen import Paint, Screen, cells, pad

if TYPE_CHECKING:
    from collections.abc import Callable

    Where = Callable[[Change], str]

PAINT = {Risk.WIDENS: Paint.DANGER, Risk.SAFETY: Paint.DANGER, Risk.SCHEMA: Paint.CARE}
_WORDS = {
    Risk.WIDENS: "widened",
    Risk.SAFETY: "safety",
    Risk.SCHEMA: "schema",
    Risk.TEXT: "text",
    Risk.NARROWS: "narrowed",
}
_ROWS = 100
_SUBJECT = 40
_BESIDE = 45
"""Cells that the other columns need; a subject that leaves them less stands on a line of its own."""


def nowhere(change: Change) -> str:
    """For whoever knows no place."""
    return ""


def title(changes: Changes) -> str:
    """`SINCE THE LOCK`, `AGAINST main`."""
    return "SINCE THE LOCK" if changes.against == THE_LOCK else f"AGAINST {changes.against}"


def lines(changes: Changes, screen: Screen, where: Where = nowhere, *, head: str | None = None) -> list[str]:
    """The section: its title (HEAD), a line a change and the summary; WHERE names the place that made a change."""
    head = head or f"  {screen.text(title(changes))}"
    if not changes.differs:
        return [f"{head}: nothing changed"]
    shown = changes.changes[:_ROWS]
    subjects = [screen.text(subject(change)) for change in shown]
    most = max(min(_SUBJECT, screen.width - _BESIDE), 0)
    width = max((cells(each) for each in subjects if cells(each) <= most), default=0)
    out = [head]
    for change, name in zip(shown, subjects, strict=True):
        out += _row(change, name, width, screen, screen.text(where(change)))
    if len(changes.changes) > len(shown):
        out.append(f"  and {len(changes.changes) - len(shown):,} more: --format json has all")
    return [*out, *screen.wrap(screen_words(summary(changes), screen), "  ", "  ")]


def subject(change: Change) -> str:
    """How a line calls what changed: a server and a profile with the word before them, so that no two are one."""
    return change.subject if change.kind in ("tool", "plan") else f"{change.kind} {change.subject}"


def said(change: Change) -> str:
    """What changed, the worst first: `deferred → direct · write · asks`."""
    return ", ".join(part.text for part in change.parts) + (f" · {change.note}" if change.note else "")


def summary(changes: Changes) -> str:
    """`1 safety, 1 widened, 1 text · direct 4 → 5 · 2,610 → 2,968 tokens`."""
    totals = [f"{changes.total(risk):,} {_WORDS[risk]}" for risk in Risk if changes.total(risk)]
    parts = [", ".join(totals) or "nothing changed"]
    if changes.direct:
        parts.append(f"direct {_from_to(*changes.direct)}")
    if changes.tokens:
        parts.append(f"{_from_to(*changes.tokens)} tokens")
    return " · ".join(parts)


def as_json(changes: Changes | None) -> dict[str, Any] | None:
    """For programs; None where nothing was compared."""
    if changes is None:
        return None
    return {
        "against": changes.against,
        "differs": changes.differs,
        "summary": {risk.value: changes.total(risk) for risk in Risk},
        "direct": list(changes.direct) if changes.direct else None,
        "tokens": list(changes.tokens) if changes.tokens else None,
        "changes": [{**to_json(change), "risk": change.risk.value} for change in changes.changes],
    }


def screen_words(text: str, screen: Screen) -> str:
    """TEXT of ours with its arrows and dots as the screen has them."""
    if screen.blocks:
        return text
    return screen.safe(text.replace("→", "->").replace("·", "-").replace("−", "-").replace("…", "..."))


def _row(change: Change, name: str, width: int, screen: Screen, where: str) -> list[str]:
    mark = f"{change.mark} {change.risk.value:<7}"
    inner = " " * (2 + cells(mark) + 2)
    text = screen_words(said(change), screen)
    if cells(name) > width:
        out = [f"  {mark}  {name}", *screen.wrap(text, inner, inner)]
    else:
        column = inner + " " * (width + 2)
        wrapped = screen.wrap(text, column, column)
        out = [f"  {mark}  {pad(name, width)}  {wrapped[0].strip()}", *wrapped[1:]]
    if where:
        room = screen.width - cells(out[-1]) - cells(where)
        out = [*out[:-1], out[-1] + " " * room + where] if room >= 2 else [*out, inner + where]
    return [out[0].replace(mark, screen.paint(mark, PAINT.get(change.risk, Paint.NONE)), 1), *out[1:]]


def _from_to(before: int, after: int) -> str:
    return f"{before:,}" if before == after else f"{before:,} → {after:,}"
