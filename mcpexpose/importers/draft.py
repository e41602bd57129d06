"""What an import makes of one server, before it is written; and what there is to say of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpexpose.config.subjects import dotted
from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.importers.dialects import Dialect
    from mcpexpose.importers.source import Source
    from mcpexpose.importers.tree import On, Path

_ERRORS = frozenset({"import-syntax", "import-duplicate-key"})
_INFOS = frozenset({"import-ignored", "import-unmapped", "import-input-mapped", "import-same-command"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text of a transport with the place that it came from."""

    raw: str
    path: Path
    made: bool = False
    """It is of our making and holds our references; nothing in it is translated."""


@dataclass(slots=True)
class Draft:
    """One server on its way from a host's table to ours."""

    name: str
    """The host's id."""
    source: Source
    dialect: Dialect
    path: Path
    leaves: dict[Path, Leaf] = field(default_factory=dict)
    """By where each stands in our table: ("command",), ("args", 0), ("env", "TOKEN"), ("url",) …"""
    texts: dict[Path, str] = field(default_factory=dict)
    """The same as they are to be written, once `texts.settle` has seen them."""
    values: dict[str, Any] = field(default_factory=dict)
    """Our other keys."""
    denied: dict[str, None] = field(default_factory=dict)
    """The entries of deny, in order."""
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    """The host's keys without a counterpart, for a comment."""
    written_as: str = ""
    """Our id."""
    is_fragment: bool = False
    """It has no transport: it changes a server of another file."""

    def switch_off(self) -> None:
        """Nothing switches it on again."""
        self.values["enabled"] = False

    def narrow(self, allow: list[str]) -> None:
        """Of what is let in so far only what ALLOW holds as well."""
        before = self.values.get("allow")
        listed = dict.fromkeys(allow)
        self.values["allow"] = list(listed if before is None else (each for each in before if each in listed))

    def keep_out(self, deny: Iterable[str]) -> None:
        self.denied.update(dict.fromkeys(deny))

    def ask_before(self, tool: str) -> None:
        self.tools.setdefault(tool, {})["approval"] = "ask"


class Notes:
    """Collects findings."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.literals: list[str] = []
        """Credentials that were met, so that no message, excerpt or comment shows one."""

    def keep_secret(self, source: Source, path: Path, literal: str) -> None:
        """LITERAL, which stands at PATH or is a part of it, is shown nowhere: neither it nor how the file writes it."""
        self.literals.append(literal)
        start, end = source.find(path, "value") or (0, 0)
        written = source.text[start:end]
        if "\n" in literal or literal not in written:  # escaped there, or on several lines
            self.literals += [line.strip(" \t\r\"',") for line in written.split("\n")]

    def add(
        self,
        slug: str,
        source: Source,
        path: Path,
        subjects: tuple[str, ...],
        message: str,
        advice: str,
        *,
        on: On = "value",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """A finding of an import, with the severity that its rule has."""
        level = Severity.ERROR if slug in _ERRORS else Severity.INFO if slug in _INFOS else Severity.WARNING
        self.findings.append(
            Finding(slug, level, message, subjects, advice, None, source.at(path, on), (), dict(details or {}))
        )

    def of(
        self,
        slug: str,
        draft: Draft,
        path: Path,
        what: str,
        advice: str,
        *,
        ours: Path = (),
        on: On = "value",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """The same on a key of a server: WHAT follows its name; OURS is where it stands in our table."""
        named = subject(draft.name, path[len(draft.path) :])
        subjects = tuple(dict.fromkeys([named, *([subject(draft.name, ours)] if ours else [])]))
        self.add(slug, draft.source, path, subjects, f"{shown(named, 200)} {what}", advice, on=on, details=details)


def subject(server: str, tail: Path) -> str:
    """`github:env.TOKEN`, `github` for the server as a whole."""
    return f"{server}:{dotted(tail)}" if tail else server


def note(notes: Notes, slug: str, source: Source, path: Path, said: str, advice: str = "It is left out.") -> None:
    """A finding on a key that stands beside the servers."""
    name = dotted(path)
    notes.add(slug, source, path, (name,), f"{shown(name, 200)} {said}", advice)
