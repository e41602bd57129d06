"""The one room where files of other hosts are read: JSON with comments, TOML and YAML, each with its places."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.config import document
from mcpexpose.importers import jsonc
from mcpexpose.importers.tree import On, Path, Span, Tree, Unreadable
from mcpexpose.model.finding import Finding, Location, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path as File

Form = Literal["json", "toml", "yaml"]
MAX_BYTES: dict[Form, int] = {"json": 8 * 1_048_576, "toml": document.MAX_BYTES, "yaml": 262_144}
"""Claude Code keeps its history in the file that holds its servers."""
_FORMS: dict[str, Form] = {"toml": "toml", "yaml": "yaml", "yml": "yaml", "json": "json", "jsonc": "json"}
_TOML_LINE = re.compile(r"[ \t]*(?:\[[^\n]*\]|[A-Za-z0-9_.\"'-]+[ \t]*=)")
_NOTATION: dict[Form, str] = {"json": "JSON", "toml": "TOML", "yaml": "YAML"}


@dataclass(frozen=True)
class Source:
    """A file that was read. `data` is None where it could not be; `findings` then say why, with their location."""

    name: str
    """As findings call it."""
    form: Form
    text: str
    data: dict[str, Any] | None
    find: Callable[[Path, On], Span | None]
    repeats: Collection[Path] = ()
    """Keys that stand twice. Of those the first value is in `data`, and nobody should rely on it."""
    findings: tuple[Finding, ...] = ()

    def repeat_within(self, path: Path) -> Path | None:
        """The first key at PATH or below it that stands twice."""
        return self._repeats.get(path)

    @cached_property
    def _repeats(self) -> dict[Path, Path]:
        found: dict[Path, Path] = {}
        for repeat in self.repeats:
            for depth in range(len(repeat) + 1):
                found.setdefault(repeat[:depth], repeat)
        return found

    def at(self, path: Path, on: On = "value") -> Location:
        """The first line of the node at PATH, or of the nearest ancestor that stands anywhere."""
        start, end = self.find(path, on) or (0, 0)
        stop = self.text.find("\n", start, end)
        return self.location(start, end if stop < 0 else stop)

    def location(self, start: int, end: int) -> Location:
        """Offsets in code points as lines and columns."""
        return Location(self.name, *self._position(start), *self._position(end))

    def line(self, number: int) -> str | None:
        """The text of a line, from 1, without its end; None where there is none."""
        if not 1 <= number <= len(self._starts):
            return None
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]


def read(path: File, name: str) -> Source:
    """The file at PATH, called NAME in findings. Raises InputMissing where it cannot be read."""
    return of_bytes(document.bytes_of(path, name, max(MAX_BYTES.values()) + 1), name)


def of_bytes(data: bytes, name: str) -> Source:
    """What a file of these bytes holds. Raises InputMissing where nothing here can read it."""
    body = data.removeprefix(b"\xef\xbb\xbf")
    form = form_of(name, body)
    if len(data) > MAX_BYTES[form]:
        return _unreadable(name, form, "", f"it is larger than {MAX_BYTES[form]:,} bytes", None)
    text, fault = document.decoded(body, name)
    if fault is not None:
        return _nothing(name, form, text, (replace(fault, slug="import-syntax"),))
    if form == "toml":
        return _toml(data, name)
    try:
        tree = jsonc.read(text) if form == "json" else _yaml(text)
    except Unreadable as trouble:
        span = (trouble.offset, min(trouble.offset + 1, len(text)))
        return _unreadable(name, form, text, trouble.message, span, trouble.advice)
    if not isinstance(tree.data, dict):
        return _unreadable(name, form, text, "no table of settings stands at its top", (0, min(1, len(text))))
    return Source(name, form, text, tree.data, tree.span, tuple(tree.repeats))


def form_of(name: str, data: bytes) -> Form:
    """The notation: what the name ends in, else what the text begins like."""
    known = _FORMS.get(name.lower().rpartition(".")[2])
    if known is not None:
        return known
    head = data[:4096].decode("utf-8", "replace").lstrip()
    if head.startswith(("{", "//", "/*")) or not head:
        return "json"
    lines = (line for line in head.split("\n") if line.strip() and not line.lstrip().startswith("#"))
    return "toml" if _TOML_LINE.match(next(lines, "")) else "yaml"


def _yaml(text: str) -> Tree:
    from mcpexpose.importers.yamltext import read as read_yaml

    return read_yaml(text)


def _toml(data: bytes, name: str) -> Source:
    read = document.of_bytes(data, name)
    findings = tuple(_of_import(each) for each in read.findings if each.severity is Severity.ERROR)

    def find(path: Path, on: On) -> Span | None:
        found = read.span(path, on)
        while found is None and path:
            path = path[:-1]
            found = read.span(path, "header")
        return found

    return Source(name, "toml", read.text, read.data, find, (), findings)


def _of_import(fault: Finding) -> Finding:
    """A fault of a TOML file under the names of imports, where a server is called by its id."""
    if fault.slug != "config-duplicate":
        return replace(fault, slug="import-syntax")
    subjects = [name for subject in fault.subjects for name in (subject, subject.removeprefix("mcp_servers."))]
    advice = "Keep one of the two there, and import again; nothing of the file is imported."
    return replace(fault, slug="import-duplicate-key", subjects=tuple(dict.fromkeys(subjects)), advice=advice)


def _unreadable(name: str, form: Form, text: str, why: str, span: Span | None, advice: str = "") -> Source:
    bare = _nothing(name, form, text, ())
    message = f"{shown(name)} is no {_NOTATION[form]} that can be read: {shown(why, 200)}"
    at = bare.location(*span) if span else Location(name, 1, 1, 1, 1)
    advice = advice or "Mend it there; nothing of it is imported."
    return replace(bare, findings=(Finding("import-syntax", Severity.ERROR, message, (name,), advice, None, at),))


def _nothing(name: str, form: Form, text: str, findings: tuple[Finding, ...]) -> Source:
    return Source(name, form, text, None, lambda path, on: None, (), findings)
