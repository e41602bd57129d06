"""What changed for the model between two plans, or since a lock, and how risky that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from mcpexpose.model.policy import Approval, Exposure, SideEffect, strictness


class Risk(StrEnum):
    """Of a change; the order is that of a reviewer's attention."""

    WIDENS = "WIDENS"
    """The model is told, finds or may run more."""
    SAFETY = "SAFETY"
    """What a call may do, or must be given, is another."""
    SCHEMA = "SCHEMA"
    """The contract grew or moved, and no call that was right became wrong."""
    TEXT = "TEXT"
    """Words that the model reads."""
    NARROWS = "NARROWS"
    """The model is told, finds or may run less."""


THE_LOCK = "the lock"
"""`Changes.against` where it is the lock beside the config."""
_RANK = {risk: n for n, risk in enumerate(Risk)}
Kind = Literal["tool", "server", "profile", "plan"]
Mark = Literal["+", "-", "!", "~"]


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is another now. Text of servers in it is already made safe to print."""

    risk: Risk
    field: str
    """`exposure`, `approval`, `alias` …; parts of a definition as a catalog spells them: `inputSchema`."""
    text: str
    """`deferred → direct`, `description +41 −12 words`."""
    softened: str = ""
    """Of annotations: the hint that became milder."""


@dataclass(frozen=True, slots=True)
class Change:
    """All that changed on one tool, server or profile, the worst part first."""

    kind: Kind
    subject: str
    """`server/tool`, a server's id, a profile's name, or what of the plan: `servers section`."""
    mark: Mark
    parts: tuple[Part, ...]
    note: str = ""
    """What it is now, where that matters: `write · asks`."""

    @property
    def risk(self) -> Risk:
        return self.parts[0].risk


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything, sorted by risk and subject; texts, exit codes and JSON are all made of this one value."""

    against: str
    """What was compared with: "the lock", a git ref, a path."""
    changes: tuple[Change, ...]
    direct: tuple[int, int] | None = None
    """Tools of request 1, before and now; None where the other side does not know."""
    tokens: tuple[int, int] | None = None
    """Of request 1, before and now."""

    @property
    def differs(self) -> bool:
        return bool(self.changes)

    def total(self, risk: Risk) -> int:
        return sum(change.risk is risk for change in self.changes)


def change(kind: Kind, subject: str, parts: Iterable[Part], *, mark: Mark | None = None, note: str = "") -> Change:
    """A change of these parts (one at least), with the mark of the worst unless another is given."""
    ordered = tuple(sorted(parts, key=lambda part: _RANK[part.risk]))
    marks: dict[Risk, Mark] = {Risk.WIDENS: "+", Risk.SAFETY: "!", Risk.NARROWS: "-"}
    return Change(kind, subject, mark or marks.get(ordered[0].risk, "~"), ordered, note)


def in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """By risk; within one, tools before servers, profiles and the rest; then by subject."""
    kinds = ("tool", "server", "profile", "plan")
    return tuple(sorted(changes, key=lambda each: (_RANK[each.risk], kinds.index(each.kind), each.subject)))


def exposure(before: Exposure, after: Exposure) -> tuple[Part, ...]:
    """More is told, or less."""
    if before is after:
        return ()
    risk = Risk.WIDENS if strictness(after) < strictness(before) else Risk.NARROWS
    return (Part(risk, "exposure", f"{before.value} → {after.value}"),)


def approval(before: Approval, after: Approval) -> tuple[Part, ...]:
    """It runs by itself now, or asks now."""
    if before is after:
        return ()
    risk = Risk.WIDENS if after is Approval.AUTO else Risk.NARROWS
    return (Part(risk, "approval", f"approval {before.value} → {after.value}"),)


def side_effect(before: SideEffect, after: SideEffect) -> tuple[Part, ...]:
    """A milder class lets more pass; unknown and destructive are handled alike."""
    if before is after:
        return ()
    less = strictness(before) - strictness(after)
    risk = Risk.SAFETY if less > 0 else Risk.NARROWS if less < 0 else Risk.TEXT
    return (Part(risk, "side_effect", f"side effect {before.value} → {after.value}"),)


def words(before: str, after: str) -> str:
    """How many words came and went: `+41 −12 words`."""
    from collections import Counter

    old, new = Counter(before.split()), Counter(after.split())
    return f"+{(new - old).total()} −{(old - new).total()} words"
