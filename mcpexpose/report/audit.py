"""What a file of events tells: which searches were in vain, what was refused and why, which tools are worth what."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcpexpose.report.screen import Screen

OFTEN_RUNS = 3
"""A deferred tool that is called in so many runs, and in half of all, is worth declaring."""
_MOST = 20


@dataclass(slots=True)
class Audit:
    """Counts; every mapping by name."""

    events: int = 0
    unreadable: int = 0
    """Lines that are no event."""
    first: str | None = None
    last: str | None = None
    runs: int = 0
    by_event: Counter[str] = field(default_factory=Counter)
    searches_in_vain: Counter[str] = field(default_factory=Counter)
    """By reason."""
    calls: Counter[str] = field(default_factory=Counter)
    """By outcome, those that were refused left out."""
    refusals: Counter[str] = field(default_factory=Counter)
    """By reason."""
    refused_tools: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    """Tools of which a call's completion was unknown."""
    withheld: Counter[str] = field(default_factory=Counter)
    """Tools of which a result was quarantined."""
    refreshes: Counter[str] = field(default_factory=Counter)
    """By outcome, with the worst cause where the list was another."""
    called: Counter[str] = field(default_factory=Counter)
    """Calls that were sent, by tool."""
    worth_declaring: dict[str, int] = field(default_factory=dict)
    """Deferred tools that are called in most runs, with the number of runs."""
    never_called: tuple[str, ...] = ()
    """Direct tools of a plan that no run called."""

    def as_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            out[name] = dict(value.most_common()) if isinstance(value, Counter) else value
        return {"version": 1, **out, "never_called": list(self.never_called)}


def summarise(lines: Iterable[bytes], direct: Collection[str] = ()) -> Audit:
    """The summary of events, one a line; DIRECT are `server/tool` of a plan that are declared at once."""
    audit = Audit()
    runs: set[str] = set()
    callers: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        if not line.strip():
            continue
        event = _event(line)
        if event is None:
            audit.unreadable += 1
            continue
        audit.events += 1
        at, run, outcome = event.get("at"), str(event.get("run_id", "")), str(event.get("outcome", ""))
        audit.first = min(filter(None, (audit.first, at)), default=None)
        audit.last = max(filter(None, (audit.last, at)), default=None)
        audit.by_event[event["event"]] += 1
        if run:
            runs.add(run)
        if event["event"] == "search" and outcome != "ok":
            audit.searches_in_vain[outcome] += 1
        elif event["event"] == "refresh":
            drift = event.get("drift")
            audit.refreshes[f"{outcome}: {drift}" if isinstance(drift, str) else outcome] += 1
        elif event["event"] == "call":
            _call(audit, event, outcome, run, callers)
    audit.runs = len(runs)
    often = {tool: len(them) for tool, them in callers.items() if len(them) >= max(OFTEN_RUNS, len(runs) / 2)}
    audit.worth_declaring = dict(sorted(often.items(), key=lambda each: (-each[1], each[0])))
    audit.never_called = tuple(sorted(tool for tool in direct if tool not in audit.called))
    return audit


def text(audit: Audit, screen: Screen) -> str:
    """For people; at most twenty tools of each sort."""
    span = f", {screen.text(str(audit.first))} to {screen.text(str(audit.last))}" if audit.first else ""
    lines = [f"{count(audit.events, 'event')} of {count(audit.runs, 'run')}{span}"]
    if audit.unreadable:
        lines.append(f"{count(audit.unreadable, 'line')} that {'is' if audit.unreadable == 1 else 'are'} no event")
    parts: list[tuple[str, Counter[str] | dict[str, int]]] = [
        ("searches that found nothing, by reason", audit.searches_in_vain),
        ("calls, by outcome", audit.calls),
        ("refusals, by reason", audit.refusals),
        ("refused, by tool", audit.refused_tools),
        ("completion unknown, by tool (`mcpexpose runs` lists what is open)", audit.unknown),
        ("results withheld, by tool", audit.withheld),
        ("lists asked for again, by outcome", audit.refreshes),
        ("deferred, and called in most runs: worth declaring", audit.worth_declaring),
    ]
    for heading, counts in parts:
        if counts:
            lines += ["", heading]
            ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
            lines += [f"  {number:>7,}  {screen.text(name)}" for name, number in ordered[:_MOST]]
            if len(ordered) > _MOST:
                lines.append(f"           and {len(ordered) - _MOST:,} more")
    if audit.never_called:
        lines += ["", "direct, and never called", *(f"  {screen.text(name)}" for name in audit.never_called[:_MOST])]
        if len(audit.never_called) > _MOST:
            lines.append(f"  and {len(audit.never_called) - _MOST:,} more")
    return "\n".join(lines) + "\n"


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


def _call(audit: Audit, event: dict[str, Any], outcome: str, run: str, callers: defaultdict[str, set[str]]) -> None:
    tool = f"{event.get('server') or '?'}/{event.get('tool') or '?'}"
    if outcome.startswith("refused:"):
        audit.refusals[outcome.removeprefix("refused:")] += 1
        audit.refused_tools[tool] += 1
        return
    audit.calls[outcome] += 1
    audit.called[tool] += 1
    if outcome == "unknown-completion":
        audit.unknown[tool] += 1
    if outcome.startswith("quarantined:"):
        audit.withheld[tool] += 1
    if event.get("exposure") == "deferred":
        callers[tool].add(run)
