"""What was checked in a case: each expectation with what was seen, and what was left out with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class WrongCase:
    """A case that asks for what is not right."""

    reason: str
    expectations: tuple[str, ...]
    """How the failures begin that are its own fault; all others are ours."""

    def excuses(self, failure: str) -> bool:
        return failure.removeprefix("expected: ").startswith(self.expectations)


@dataclass
class Checks:
    """The record of one case's run."""

    held: int = 0
    failures: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    """Those of the failures that say no more than that something took too long."""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """What, and why."""

    @property
    def only_late(self) -> bool:
        """Whether all that failed came, and too late: perhaps the machine was busy."""
        return bool(self.late) and self.late == self.failures

    @property
    def count(self) -> int:
        return self.held + len(self.failures)

    def that(self, holds: bool, what: str, seen: object = "") -> bool:
        """Count one expectation; where it does not hold, keep WHAT was expected and what was SEEN."""
        if holds:
            self.held += 1
        else:
            self.failures.append(f"expected: {what}" + (f"\n  seen: {_shown(seen)}" if seen != "" else ""))
        return holds

    def in_time(self, seconds: float, limit: float, what: str) -> None:
        """Count the expectation that something took no longer than the case allows."""
        if not self.that(seconds <= limit, f"{what}: within {limit} s", f"{seconds:.2f} s"):
            self.late.append(self.failures[-1])

    def equal(self, seen: object, wanted: object, what: str) -> bool:
        """Count the expectation that two values are equal."""
        return self.that(seen == wanted, f"{what}: {_shown(wanted)}", seen)

    def leave_out(self, what: str, reason: str) -> None:
        if (what, reason) not in self.left_out:
            self.left_out.append((what, reason))

    def report(self) -> str:
        """The failures, for a person."""
        return "\n".join(self.failures)

    def as_json(self) -> dict[str, Any]:
        return {"checks": self.count, "failed": self.failures, "left_out": [list(pair) for pair in self.left_out]}


def _shown(value: object, limit: int = 1200) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= limit else text[: limit // 2] + f" … [{len(text)} characters] … " + text[-limit // 2 :]
