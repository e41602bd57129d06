"""Many places of one catalog: its tools are found once, by the standard decoder, and each is walked alone."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from mcpexpose.catalog.position import Span, span

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLANK = re.compile(r"[ \t\r\n]*")
_LINE_FEED = re.compile("\n")
_DECODER = json.JSONDecoder()


class CatalogText:
    """A catalog's text with its lines and places."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str | None:
        """A line, counted from 1, without its end; None where there is none."""
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else None

    def span(self, path: Sequence[str | int], on: Literal["value", "key"] = "value") -> Span:
        """As `position.span`, whose answer it gives, at a fraction of the cost for what lies within a tool."""
        index = path[1] if len(path) > 1 and path[0] == "tools" else None
        if not isinstance(index, int) or not 0 <= index < len(self._tools):
            return span(self.text, path, on)
        start, end = self._tools[index]
        line = bisect_left(self._breaks, start)
        shift = start - (self._breaks[line - 1] + 1 if line else 0)
        # Of the tool as a whole its first line is given, and that needs no walk.
        found = (
            _first_line(self.text, start, end)
            if len(path) == 2 and on == "value"
            else span(self.text[start:end], path[2:], on)
        )
        return Span(
            line + found.line,
            found.column + (shift if found.line == 1 else 0),
            line + found.end_line,
            found.end_column + (shift if found.end_line == 1 else 0),
        )

    @cached_property
    def _breaks(self) -> list[int]:
        """Where each line feed stands. Counting anew for every finding would take the square of a large catalog."""
        return [found.start() for found in _LINE_FEED.finditer(self.text)]

    @cached_property
    def _tools(self) -> list[tuple[int, int]]:
        """Start and end of each entry of `tools`; none where the text is no JSON of this shape."""
        try:
            at = self._member(0, "tools")
            if at is None and (result := self._member(0, "result")) is not None:
                at = self._member(result, "tools")
            return [] if at is None else self._items(at)
        except (ValueError, IndexError, RecursionError):
            return []

    def _member(self, at: int, wanted: str) -> int | None:
        """Where the value of a key of the object at AT starts."""
        at = self._skip(at)
        if self.text[at] != "{":
            return None
        at = self._skip(at + 1)
        while self.text[at] != "}":
            key, at = _DECODER.raw_decode(self.text, at)
            at = self._skip(self._skip(at) + 1)
            if key == wanted:
                return at
            _, at = _DECODER.raw_decode(self.text, at)
            at = self._skip(at)
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return None

    def _items(self, at: int) -> list[tuple[int, int]]:
        items: list[tuple[int, int]] = []
        if self.text[at] != "[":
            return items
        at = self._skip(at + 1)
        while self.text[at] != "]":
            start = at
            _, end = _DECODER.raw_decode(self.text, at)
            items.append((start, end))
            at = self._skip(end)
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return items

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at


def _first_line(text: str, start: int, end: int) -> Span:
    first_end = text.find("\n", start, end)
    return Span(1, 1, 1, (end if first_end < 0 else first_end) - start + 1)
