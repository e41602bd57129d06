"""What a report says beside its findings: who accepted one, which rules ran, which failed, what can be mended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding, Location, Severity

By = Literal["waiver", "comment", "baseline"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """A finding that does not count, and why."""

    finding: Finding
    by: By
    reason: str = ""
    """As its author wrote it."""


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A rule as a report lists it."""

    slug: str
    family: str
    severity: Severity
    """Its own, before `[lint.severity]`."""
    summary: str
    """One sentence."""
    document: str
    """Markdown."""
    severity_here: Severity | None = None
    """What `[lint.severity]` made of it, where that is another one."""
    page: str = ""
    """Where its document stands on the web; "" where that is not known."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """A rule that failed, on what, and with which kind of exception; its text may hold anything and is left out."""

    slug: str
    subject: str
    error: str


@dataclass(frozen=True, slots=True)
class FixFact:
    """What `--fix` would do about a finding."""

    title: str
    safe: bool
    """Changes nothing of what the config means."""
    edits: tuple[tuple[Location, str], ...] = ()
    """A stretch of the config, empty where something is put in, and what stands there afterwards."""
