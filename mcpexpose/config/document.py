"""A TOML file as text, data and places; and what is wrong with it as a text."""

from __future__ import annotations

import re
import sys
import tomllib
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.config import scan, syntax, toml11
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_BYTES = 1_048_576
MAX_LEVELS = 100
MAX_REPEATS = 20
_READS_1_1 = (3, 15)
On = Literal["value", "key", "header"]


@dataclass(frozen=True, slots=True)
class Comment:
    """A `# …` outside every string."""

    text: str
    """From the `#` on, without the line's end."""
    line: int
    column: int
    alone: bool
    """Nothing else stands on its line."""


@dataclass(frozen=True)
class Document:
    """A file that was read. `data` is None where it is no TOML; `findings` then say why, with their location."""

    name: str
    text: str
    """Without a byte order mark; line ends as in the file."""
    data: dict[str, Any] | None
    findings: tuple[Finding, ...] = ()
    marked: bool = False
    """The file starts with a byte order mark; whoever writes it back keeps it."""

    def span(self, path: scan.Path, on: On = "value") -> scan.Span | None:
        """Start and end in code points of the node at PATH, not of an ancestor; None where there is none."""
        spans = self._scan
        tables = {
            "value": (spans.values, spans.headers, spans.keys),
            "key": (spans.keys, spans.headers, spans.values),
            "header": (spans.headers, spans.keys, spans.values),
        }[on]
        return next((table[path] for table in tables if path in table), None)

    def value_span(self, path: scan.Path) -> scan.Span | None:
        """The same for a value that is written in one stretch; None for a table under a header."""
        return self._scan.values.get(path)

    def header_span(self, path: scan.Path) -> scan.Span | None:
        """The same for the `[header]` of a table; None where it has none of its own."""
        return self._scan.headers.get(path)

    @cached_property
    def starts_of_tables(self) -> tuple[int, ...]:
        """The offset of each header, in the order of the text."""
        return tuple(sorted({start for start, _ in self._scan.headers.values()}))

    def locate(self, path: scan.Path, on: On = "value") -> Location | None:
        """Where PATH stands, or its nearest ancestor that stands anywhere; None for an empty text."""
        found = self.span(path, on)
        while found is None and path:
            path = path[:-1]
            found = self.span(path, "header")
        if found is None:
            return self.location(0, 0) if self.text else None
        return self.location(*found)

    def location(self, start: int, end: int) -> Location:
        """Offsets in code points as lines and columns."""
        line, column = self.position(start)
        end_line, end_column = self.position(end)
        return Location(self.name, line, column, end_line, end_column)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column that are in the text."""
        return self._starts[line - 1] + column - 1

    @property
    def data_as_bytes(self) -> bytes:
        """The file's bytes, its byte order mark included."""
        return (b"\xef\xbb\xbf" if self.marked else b"") + self.text.encode("utf-8")

    def edited(self, edits: Iterable[tuple[int, int, str]]) -> Document:
        """The document with texts in place of stretches, which do not overlap; read anew."""
        out, last = [], 0
        for start, end, text in sorted(edits):
            out += [self.text[last:start], text]
            last = end
        text = "".join([*out, self.text[last:]])
        return of_bytes(Document(self.name, text, None, (), self.marked).data_as_bytes, self.name)

    def line(self, number: int) -> str:
        """The text of a line, from 1, without its end; "" beyond the last one."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        out = []
        for start, end in self._scan.comments:
            line, column = self.position(start)
            alone = not self.text[self._starts[line - 1] : start].strip()
            out.append(Comment(self.text[start:end], line, column, alone))
        return tuple(out)

    @cached_property
    def first_key(self) -> float:
        """The line of the first key or header; infinite where there is none."""
        starts = [span[0] for table in (self._scan.keys, self._scan.headers) for span in table.values()]
        return self.position(min(starts))[0] if starts else float("inf")

    @cached_property
    def _scan(self) -> scan.Scan:
        return scan.scan(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]


def read(path: Path, name: str) -> Document:
    """The file at PATH, called NAME in findings. Raises InputMissing where it cannot be read, and nothing else."""
    return of_bytes(bytes_of(path, name, MAX_BYTES + 1), name)


def bytes_of(path: Path, name: str, most: int) -> bytes:
    """At most MOST bytes of the file. Raises InputMissing where it cannot be read, and nothing else."""
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise InputMissing(f"{shown(name)} cannot be read: {error.strerror or 'unreadable'}") from error
    except ValueError as error:  # a NUL in the path
        raise InputMissing(f"{shown(name)} is no path") from error


def of_bytes(data: bytes, name: str) -> Document:
    """The document that a file of these bytes would be."""
    if len(data) > MAX_BYTES:
        fault = _fault("config-too-large", name, f"{shown(name)} is larger than {MAX_BYTES:,} bytes", None)
        return Document(name, "", None, (fault,))
    marked = data.startswith(b"\xef\xbb\xbf")
    body = data[3:] if marked else data
    text, fault_or_none = decoded(body, name)
    if fault_or_none is not None:
        return Document(name, text, None, (fault_or_none,), marked)
    bare = Document(name, text, None, (), marked)
    parsed, findings = _parsed(bare)
    return Document(name, text, parsed, findings, marked)


def decoded(data: bytes, name: str) -> tuple[str, Finding | None]:
    """The text of bytes without a byte order mark, and what is wrong with them as UTF-8."""
    wide = _wide_encoding(data)
    if wide:
        message = f"{shown(name)} is {wide}; a config is UTF-8"
        return "", _fault("config-encoding", name, message, Location(name, 1, 1, 1, 1), "Save it as UTF-8.")
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        place = Location(name, line, column, line, column + 1)
        message = f"{shown(name)} is not UTF-8: byte 0x{data[error.start]:02X} in line {line}, column {column}"
        finding = _fault("config-encoding", name, message, place, "Save it as UTF-8.")
        return data.decode("utf-8", "replace"), finding


def _wide_encoding(data: bytes) -> str:
    for mark, encoding in (
        (b"\xff\xfe\x00\x00", "UTF-32"),
        (b"\x00\x00\xfe\xff", "UTF-32"),
        (b"\xff\xfe", "UTF-16"),
        (b"\xfe\xff", "UTF-16"),
    ):
        if data.startswith(mark):
            return encoding
    head = data[:400]
    if len(head) >= 4 and head.count(0) * 3 > len(head):
        return "UTF-32" if head.count(0) * 3 > len(head) * 2 else "UTF-16"
    return ""


def _parsed(document: Document) -> tuple[dict[str, Any] | None, tuple[Finding, ...]]:
    name, text = document.name, document.text
    deep = syntax.first_too_deep(text, MAX_LEVELS)
    if deep is not None:
        return None, (_too_deep(document, document.location(deep, deep + 1)),)
    lone = re.search("\r(?!\n)", text)
    if lone is not None:
        message = "a carriage return stands alone; TOML ends a line with LF or CRLF"
        return None, (
            _fault(
                "toml-syntax",
                name,
                f"{shown(name)} is no TOML: {message} (lone CR, U+000D)",
                document.location(lone.start(), lone.end()),
                "Save the file with LF or CRLF line ends.",
            ),
        )
    parsed, newer, message = _loaded(text)
    if parsed is None:
        return None, _explained(document, message)
    path = _deep_path(parsed)
    if path is not None:
        return None, (_too_deep(document, document.locate(path)),)
    return parsed, tuple(_newer(document, each) for each in newer)


def _loaded(text: str) -> tuple[dict[str, Any] | None, tuple[toml11.Newer, ...], str]:
    """The data, what TOML 1.1 is in the text, and where there is no data what the parser says."""
    message = ""
    try:
        parsed = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError alone: a number with more digits than Python reads
        parsed, message = None, str(error) if isinstance(error, tomllib.TOMLDecodeError) else syntax.UNREADABLE_NUMBER
    if parsed is not None and syntax.has_unwritable_number(text, parsed):
        return None, (), syntax.UNREADABLE_NUMBER
    if parsed is not None and sys.version_info < _READS_1_1:
        return parsed, (), ""
    older, newer = toml11.as_1_0(text)
    if parsed is None and newer:
        try:
            parsed = tomllib.loads(older)
        except (ValueError, RecursionError):
            return None, (), message
    return parsed, newer if parsed is not None else (), message


def _newer(document: Document, each: toml11.Newer) -> Finding:
    place = document.location(*each.span)
    message = f"{shown(document.name)} has {each.what}, which TOML 1.0 has not; other programs may refuse the file"
    return Finding("toml-1-1-only", Severity.WARNING, message, (normpath(document.name),), each.advice, location=place)


def _explained(document: Document, message: str) -> tuple[Finding, ...]:
    repeats = document._scan.repeats
    findings: list[Finding] = []
    seen: set[scan.Path] = set()
    for repeat in repeats:
        if repeat.path in seen or any(repeat.path[:n] in seen for n in range(1, len(repeat.path))):
            continue  # a second table repeats its keys too; the table says it all
        seen.add(repeat.path)
        first, second = document.location(*repeat.first), document.location(*repeat.second)
        subjects = syntax.repeat_subjects(repeat.path)
        findings.append(
            Finding(
                "config-duplicate",
                Severity.ERROR,
                f"{shown(subjects[0])} is given twice, {_lines(first.line, second.line)}; neither counts",
                subjects,
                "Keep one of the two.",
                location=second,
            )
        )
        if len(findings) == MAX_REPEATS:
            break
    if findings and syntax.is_repetition(message):
        return tuple(findings)
    trouble = syntax.explain(document.text, message)
    if syntax.is_repetition(message):
        fault = _fault("config-duplicate", document.name, f"{shown(document.name)}: {trouble.message}", None)
    else:
        fault = _fault("toml-syntax", document.name, f"{shown(document.name)} is no TOML: {trouble.message}", None)
    place = document.location(trouble.offset, min(trouble.offset + 1, len(document.text)))
    return (
        Finding(fault.slug, fault.severity, fault.message, fault.subjects, trouble.advice, location=place),
        *findings,
    )


def _lines(first: int, second: int) -> str:
    return f"both in line {first}" if first == second else f"in line {first} and in line {second}"


def _too_deep(document: Document, place: Location | None) -> Finding:
    message = f"{shown(document.name)} nests deeper than {MAX_LEVELS} levels"
    return _fault("config-too-deep", document.name, message, place)


def _deep_path(data: dict[str, Any]) -> scan.Path | None:
    level: list[tuple[scan.Path, Any]] = [((), data)]
    for _ in range(MAX_LEVELS + 1):
        level = [
            ((*path, key), value)
            for path, node in level
            for key, value in (node.items() if isinstance(node, dict) else enumerate(node))
            if isinstance(value, dict | list)
        ]
        if not level:
            return None
    return level[0][0]


def _fault(slug: str, name: str, message: str, place: Location | None, advice: str = "") -> Finding:
    file = normpath(name)  # a pack is named as `extends` writes it: ./team.toml
    at = replace(place, file=file) if place else None
    return Finding(slug, Severity.ERROR, message, (file,), advice, None if at else Place(file), at)
