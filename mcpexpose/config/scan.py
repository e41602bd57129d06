"""Where every key, value and header of a TOML text stands, and which of them is written twice.

`tomllib` gives values without places. This pass over a text gives the places; it takes the grammar for granted on text
that `tomllib` accepted, and on other text it goes as far as it understands. One pass, linear in the text's length.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

MAX_REPEATS = 200
MAX_OPEN = 110
"""Brackets at once, and parts of one key: more than a document has that is read; so that one that is refused costs
neither stack nor time."""

Path = tuple[str | int, ...]
Span = tuple[int, int]

# Possessive (`*+`), so that no text makes the engine go back.
_QUOTED = (
    (r'"""(?:[^"\\]++|\\.|"(?!""))*+', '"{3,5}'),
    (r"'''(?:[^']++|'(?!''))*+", "'{3,5}"),
    (r'"(?:[^"\\\n]++|\\[^\n])*+', '"'),
    (r"'[^'\n]*+", "'"),
)
STRING = re.compile("|".join(f"{body}{close}" for body, close in _QUOTED), re.DOTALL)
"""A string of TOML, of each of the four kinds."""
ANY_STRING = "|".join(f"{body}(?:{close})?+" for body, close in _QUOTED)
"""The same, closed or not: it matches at every quote, so that looking for strings takes one pass."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
_COMMENT = re.compile(r"#[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Repeat:
    """One path that is given twice, with the two places."""

    path: Path
    first: Span
    second: Span


@dataclass(slots=True)
class Scan:
    """Spans in code points of the text, by path; an array of tables has an index after its key."""

    keys: dict[Path, Span] = field(default_factory=dict)
    values: dict[Path, Span] = field(default_factory=dict)
    headers: dict[Path, Span] = field(default_factory=dict)
    comments: list[Span] = field(default_factory=list)
    repeats: list[Repeat] = field(default_factory=list)
    complete: bool = False
    """False where the pass met something that it could not read."""


def scan(text: str) -> Scan:
    """All spans of TEXT, which has no byte order mark. Raises nothing."""
    scanner = _Scanner(text)
    try:
        scanner.run()
        scanner.out.complete = True
    except _Unreadable:
        pass
    return scanner.out


class _Unreadable(Exception):
    pass


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open = 0
        self.out = Scan()
        self.counts: dict[Path, int] = {}  # last index of each array of tables
        self.kinds: dict[Path, str] = {}  # "table", "value", "dotted", "array", "implied"
        self.firsts: dict[Path, Span] = {}

    def run(self) -> None:
        base: Path = ()
        while True:
            self.gap()
            if self.at >= len(self.text):
                return
            base = self.header() if self.text[self.at] == "[" else self.line(base)

    def line(self, base: Path) -> Path:
        self.pair(base)
        return base

    def header(self) -> Path:
        start = self.at
        double = self.text.startswith("[[", start)
        self.at += 2 if double else 1
        parts = self.key()
        self.expect("]]" if double else "]")
        whole = (start, self.at)
        path: Path = ()
        for name, span in parts[:-1]:
            path = (*path, name)
            self.out.keys.setdefault(path, span)
            if self.kinds.get(path) == "value":
                self.repeat(path, span)
            self.kinds.setdefault(path, "implied")
            if path in self.counts:
                path = (*path, self.counts[path])
        name, span = parts[-1]
        path = (*path, name)
        kind = self.kinds.get(path)
        # `[a.b.c]` before `[a.b]` is no repetition; everything else that was there already is one.
        if kind is not None and not ((kind == "implied" and not double) or (kind == "array" and double)):
            self.repeat(path, whole)
        else:
            self.kinds[path] = "array" if double else "table"
            self.firsts.setdefault(path, whole)
        if double:
            self.out.keys.setdefault(path, span)
            self.out.headers.setdefault(path, whole)
            self.counts[path] = self.counts.get(path, -1) + 1
            path = (*path, self.counts[path])
        elif path not in self.out.headers:
            self.out.keys[path] = span
        if path in self.counts:
            path = (*path, self.counts[path])
        self.out.headers.setdefault(path, whole)
        return path

    def pair(self, base: Path) -> None:
        path = base
        parts = self.key()
        for name, span in parts[:-1]:
            path = (*path, name)
            self.out.keys.setdefault(path, span)
            if self.kinds.setdefault(path, "dotted") in ("value", "table", "array"):
                self.repeat(path, span)
            self.firsts.setdefault(path, span)
        name, span = parts[-1]
        path = (*path, name)
        self.out.keys.setdefault(path, span)
        if path in self.kinds:
            self.repeat(path, span)
        else:
            self.kinds[path] = "value"
            self.firsts[path] = span
        self.expect("=")
        self.blank()
        self.value(path)

    def value(self, path: Path) -> None:
        start = self.at
        first = self.text[start : start + 1]
        if first in ("'", '"'):
            self.at = self.match(STRING)
        elif first == "[":
            self.items(path, "]")
        elif first == "{":
            self.items(path, "}")
        else:
            end = self.match(_SCALAR)
            self.at = start + len(self.text[start:end].rstrip())
            if self.at == start:
                raise _Unreadable
        self.out.values.setdefault(path, (start, self.at))

    def items(self, path: Path, close: str) -> None:
        if self.open == MAX_OPEN:
            raise _Unreadable
        self.open += 1
        self.at += 1
        count = 0
        while True:
            self.gap()
            here = self.text[self.at : self.at + 1]
            if here == close:
                self.at += 1
                self.open -= 1
                return
            if here == ",":
                self.at += 1
            elif close == "]":
                self.value((*path, count))
                count += 1
            else:
                self.pair(path)

    def key(self) -> list[tuple[str, Span]]:
        out: list[tuple[str, Span]] = []
        while len(out) <= MAX_OPEN:
            self.blank()
            start = self.at
            quoted = self.text[start : start + 1] in ("'", '"')
            self.at = self.match(STRING if quoted else _BARE)
            raw = self.text[start : self.at]
            out.append((_decoded(raw) if quoted else raw, (start, self.at)))
            self.blank()
            if self.text[self.at : self.at + 1] != ".":
                return out
            self.at += 1
        raise _Unreadable

    def repeat(self, path: Path, second: Span) -> None:
        first = self.firsts.get(path) or self.out.keys.get(path, second)
        self.out.repeats.append(Repeat(path, first, second))
        if len(self.out.repeats) == MAX_REPEATS:
            raise _Unreadable

    def expect(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise _Unreadable
        self.at += len(token)

    def match(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _Unreadable
        return found.end()

    def blank(self) -> None:
        self.at = self.match(_BLANK)

    def gap(self) -> None:
        start = self.at
        self.at = self.match(_GAP)
        if self.text.find("#", start, self.at) >= 0:
            self.out.comments += [found.span() for found in _COMMENT.finditer(self.text, start, self.at)]


def _decoded(raw: str) -> str:
    if "\\" not in raw or raw[0] == "'":
        return raw[1:-1]
    try:
        return str(tomllib.loads("k=" + raw)["k"])
    except ValueError as error:
        raise _Unreadable from error
