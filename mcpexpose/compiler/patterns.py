"""Patterns of names: `*`, `?`, `[...]` over the whole name, case-sensitive; no braces, no regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcpexpose.model.names import ToolId

_META = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern ready to match. Time is bounded by the product of the two lengths, whatever the stars."""

    text: str
    exact: bool
    """Without a star, a question mark or a class: the name itself."""
    weight: int
    """Literal characters; of two patterns that meet a tool, the one with more of them wins."""
    needle: str
    """Its longest run of literal characters: no name without it is met."""
    matches: Callable[[str], bool]


def problem(text: str) -> str | None:
    """What is wrong with a pattern, to stand after "the pattern …"; None where nothing is."""
    if not text:
        return "is empty"
    try:
        for _ in _pieces(text):
            pass
    except _Malformed as error:
        return str(error)
    return None


@lru_cache(maxsize=65_536)
def compiled(text: str) -> Pattern:
    """The pattern of a text that has no `problem`. Raises ValueError for one that has."""
    if trouble := problem(text):
        raise ValueError(f"the pattern {trouble}")
    pieces = list(_pieces(text))
    weight = sum(len(piece.literal) for piece in pieces)
    needle = max((piece.literal for piece in pieces), key=len)
    return Pattern(text, not _META & set(text), weight, needle, _matcher(text, pieces, needle))


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """`server/tool`, either of them a name or a pattern."""

    server: Pattern
    tool: Pattern

    @property
    def exact(self) -> bool:
        return self.server.exact and self.tool.exact

    def meets(self, tool: ToolId) -> bool:
        """Whether it meets the tool; a name that holds what is a wildcard elsewhere is met by itself."""
        return self.server.matches(tool.server) and (self.tool.matches(tool.name) or self.tool.text == tool.name)


def of_tools(text: str) -> ToolPattern | None:
    """The pattern of a text like "git/get_*"; None where it is none."""
    server, slash, tool = text.partition("/")
    if not slash or problem(server) or problem(tool):
        return None
    return ToolPattern(compiled(server), compiled(tool))


class _Malformed(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of literal characters, or one wildcard as a regular expression."""

    literal: str
    regex: str
    star: bool = False


def _pieces(text: str) -> Iterator[_Piece]:
    at = 0
    while at < len(text):
        char = text[at]
        if char == "*":
            yield _Piece("", "", star=True)
            at += 1
        elif char == "?":
            yield _Piece("", ".")
            at += 1
        elif char == "[":
            end = _class_end(text, at)
            yield _Piece("", _class(text[at + 1 : end]))
            at = end + 1
        else:
            end = at
            while end < len(text) and text[end] not in _META:
                end += 1
            yield _Piece(text[at:end], re.escape(text[at:end]))
            at = end


def _class_end(text: str, start: int) -> int:
    """Where the `]` stands that closes the class; one that comes first belongs to it."""
    at = start + 1
    if text[at : at + 1] == "!":
        at += 1
    end = text.find("]", at + 1)
    if end < 0:
        raise _Malformed("has a `[` that is never closed; `[[]` stands for the bracket itself")
    return end


def _class(body: str) -> str:
    negated = body.startswith("!")
    chars = body[1:] if negated else body
    parts: list[str] = []
    at = 0
    while at < len(chars):
        if chars[at + 1 : at + 2] == "-" and at + 2 < len(chars):
            low, high = chars[at], chars[at + 2]
            if low > high:
                raise _Malformed(f"has a range that runs backwards, {low}-{high}")
            parts.append(f"{re.escape(low)}-{re.escape(high)}")
            at += 3
        else:
            parts.append(_member(chars[at]))
            at += 1
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _member(char: str) -> str:
    # Beyond re.escape: `--`, `&&`, `||` and `~~` are reserved inside a class, and a lone `^` or `]` means something.
    return "\\" + char if char in "\\^]-[&|~" else re.escape(char)


def _matcher(text: str, pieces: list[_Piece], needle: str) -> Callable[[str], bool]:
    stars = sum(piece.star for piece in pieces)
    if all(piece.star or piece.literal for piece in pieces):
        if not stars:
            return text.__eq__
        literals = [piece.literal for piece in pieces if piece.literal]
        if not literals:
            return lambda name: True
        if len(literals) == 1:
            only = literals[0]
            if not pieces[-1].star:
                return lambda name: name.endswith(only)
            if not pieces[0].star:
                return lambda name: name.startswith(only)
            return lambda name: only in name
    return _Tried(pieces, needle).matches


class _Tried:
    """A pattern that wants a regular expression, which is compiled when the first name gets that far: few do."""

    __slots__ = ("_end", "_expression", "_needle", "_pieces", "_start")

    def __init__(self, pieces: list[_Piece], needle: str) -> None:
        self._pieces = pieces
        self._needle = needle
        self._start, self._end = pieces[0].literal, pieces[-1].literal
        self._expression: re.Pattern[str] | None = None

    def matches(self, name: str) -> bool:
        if self._needle not in name or not name.startswith(self._start) or not name.endswith(self._end):
            return False
        if self._expression is None:
            self._expression = re.compile(_expression(self._pieces), re.DOTALL)
        return self._expression.fullmatch(name) is not None


def _expression(pieces: list[_Piece]) -> str:
    """Each stretch between two stars is found as early as can be and never given up again, so nothing runs away."""
    stretches: list[str] = [""]
    for piece in pieces:
        if piece.star:
            stretches.append("")
        else:
            stretches[-1] += piece.regex
    if len(stretches) == 1:
        return stretches[0]
    first, *middle, last = stretches
    return first + "".join(f"(?>.*?{stretch})" for stretch in middle if stretch) + f".*{last}"
