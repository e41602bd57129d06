"""A finding: expected trouble as a value, with its rule's slug, its subjects and its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from mcpexpose.model.canonical import digest


class Severity(StrEnum):
    """Errors make a command end with 1; warnings and information do not, unless `--fail-on` says so."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a file, before anybody looked up its line: what the compiler, which sees no file, can say."""

    file: str
    """As the workspace names it: relative to the config's folder, forward slashes."""
    path: tuple[str | int, ...] = ()
    """Keys and indices from the root of the document: ("mcp_servers", "github", "deny", 0)."""
    on: Literal["value", "key", "header"] = "value"


@dataclass(frozen=True, slots=True)
class Location:
    """A stretch of text; lines and columns count from 1, columns in code points; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, where, and what to do about it."""

    slug: str
    severity: Severity
    message: str
    """One sentence of fact. Text of servers in it is already made safe to print (`model.text.shown`)."""
    subjects: tuple[str, ...]
    """`server`, `server/tool`, `server/tool#/json/pointer`, `server/tool#output/pointer`, `server:key`, a dotted path
    from the top of the config, or a file's name; a finding about a pair names both."""
    advice: str = ""
    """One sentence that says what to do."""
    place: Place | None = None
    location: Location | None = None
    """Filled in by the workspace, which has the text at hand."""
    related: tuple[Place, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """More for machines, JSON only: `suggests`, `servers`, `fields`, `classes`, `codepoints` …"""

    def at(self, location: Location | None) -> Finding:
        """The same finding, there."""
        return replace(self, location=location)

    @property
    def fingerprint(self) -> str:
        """The same for the same fault when lines move: made of slug, subjects and details."""
        return digest([self.slug, list(self.subjects), dict(self.details)])
