"""Strict JSON: a text that two readers could read differently is refused, and its place is named.

The C parser does the work. A slower walk over the same text, without recursion, answers where something stands, and
reads what is nested too deep for the C parser.
"""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_DEPTH = 2_000
_C_PARSER_DEPTH = 200

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
"""Closed or not: it matches at every quote, so that looking for strings takes one pass."""
_NO_BRACKETS = re.compile(r"[^\[\]{}]+")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_LFS = "version https://git-lfs.github.com/"
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: |$)", re.MULTILINE)
_WORDS = {"true": True, "false": False, "null": None}
_CONSTANTS = ("NaN", "Infinity", "-Infinity")


class JsonTrouble(ValueError):
    """The text is not JSON, or not JSON that every reader reads alike. `offset` counts code points from 0."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class JsonTooDeep(ValueError):
    """The text is nested beyond MAX_DEPTH levels."""


class Event(NamedTuple):
    """One step of a walk: a key, a scalar, or a bracket. `value` is the key, the scalar, or the bracket."""

    kind: Literal["key", "scalar", "open", "close"]
    value: Any
    start: int
    end: int


class _Suspect(Exception):
    """The fast parser met what only the walk can place."""


def read(text: str) -> Any:
    """The value of a JSON text. Raises JsonTrouble, JsonTooDeep.

    Refused beside bad syntax: a key twice in one object, NaN and infinities, numbers beyond a double's range, lone
    surrogates.
    """
    deep = depth(text)
    if deep > MAX_DEPTH:
        raise JsonTooDeep(f"nested deeper than {MAX_DEPTH:,} levels")
    if deep > _C_PARSER_DEPTH:
        return _build(text)
    try:
        value = _decoder.decode(text)
        if _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _syntax(text, error.msg, error.pos) from None
    except (_Suspect, UnicodeEncodeError, ValueError):
        return _build(text)
    return value


def depth(text: str) -> int:
    """How deep brackets are nested, those in strings aside; a text that is no JSON gets some number."""
    if text.count("[") + text.count("{") <= _C_PARSER_DEPTH:
        return text.count("[") + text.count("{")
    brackets = _NO_BRACKETS.sub("", _STRINGS.sub("", text))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Where OFFSET stands: both from 1, the column in code points."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def walk(text: str) -> Iterator[Event]:
    """The events of a JSON text in order, however deep it is. Raises JsonTrouble at the first fault.

    Keys that stand twice are not looked for.
    """
    at = _skip(text, 0)
    open_brackets: list[str] = []
    wants: Literal["value", "value or ]", "key", "key or }", "end"] = "value"
    while True:
        char = text[at : at + 1]
        if wants == "end":
            if not open_brackets:
                if char:
                    raise _syntax(text, "Extra data", at)
                return
            closing = "]" if open_brackets[-1] == "[" else "}"
            if char == ",":
                at = _skip(text, at + 1)
                wants = "value" if closing == "]" else "key"
            elif char == closing:
                open_brackets.pop()
                yield Event("close", char, at, at + 1)
                at = _skip(text, at + 1)
            else:
                raise _syntax(text, "Expecting ',' delimiter", at)
        elif wants in ("key", "key or }"):
            if char == "}" and wants == "key or }":
                open_brackets.pop()
                yield Event("close", char, at, at + 1)
                at = _skip(text, at + 1)
                wants = "end"
                continue
            if char != '"':
                raise _syntax(text, "Expecting property name enclosed in double quotes", at)
            key, end = _string(text, at)
            yield Event("key", key, at, end)
            at = _skip(text, end)
            if text[at : at + 1] != ":":
                raise _syntax(text, "Expecting ':' delimiter", at)
            at = _skip(text, at + 1)
            wants = "value"
        elif char == "]" and wants == "value or ]":
            open_brackets.pop()
            yield Event("close", char, at, at + 1)
            at = _skip(text, at + 1)
            wants = "end"
        elif char in ("[", "{"):
            open_brackets.append(char)
            yield Event("open", char, at, at + 1)
            at = _skip(text, at + 1)
            wants = "value or ]" if char == "[" else "key or }"
        else:
            value, end = _scalar(text, at)
            yield Event("scalar", value, at, end)
            at = _skip(text, end)
            wants = "end"


def _build(text: str) -> Any:
    """The value, through the walk, which names the place of what is wrong."""
    root: list[Any] = []
    stack: list[tuple[Any, Any]] = [(root, None)]
    key: Any = None
    for event in walk(text):
        if event.kind == "key":
            if event.value in stack[-1][0]:
                raise JsonTrouble(f"the key {json.dumps(event.value)} stands twice in one object", event.start)
            key = event.value
            continue
        if event.kind == "close":
            stack.pop()
            continue
        value = event.value if event.kind == "scalar" else ([] if event.value == "[" else {})
        container = stack[-1][0]
        if isinstance(container, list):
            container.append(value)
        else:
            container[key] = value
        if event.kind == "open":
            stack.append((value, None))
    return root[0]


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = scanstring(text, at + 1, True)
    except json.JSONDecodeError as error:
        raise _syntax(text, error.msg, error.pos) from None
    if _LONE_SURROGATE.search(value):
        raise JsonTrouble("a string holds half of a surrogate pair", at)
    return value, end


def _scalar(text: str, at: int) -> tuple[Any, int]:
    if text[at : at + 1] == '"':
        return _string(text, at)
    for constant in _CONSTANTS:
        if text.startswith(constant, at):
            raise JsonTrouble(f"{constant} is no JSON", at)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    match = _NUMBER.match(text, at)
    if match is None:
        raise _syntax(text, "Expecting value", at)
    try:
        number = float(match[0]) if match[1] or match[2] else int(match[0])
    except ValueError:  # more digits than Python turns into an integer
        number = math.inf
    if number in (math.inf, -math.inf):
        raise JsonTrouble("a number is out of range", at)
    return number, match.end()


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _syntax(text: str, message: str, offset: int) -> JsonTrouble:
    if not text.strip():
        return JsonTrouble("the file is empty", 0)
    start = text.rfind("\n", 0, offset) + 1
    if _CONFLICT.match(text, start):
        return JsonTrouble("merge-conflict markers stand in it", start)
    if text.startswith(_LFS):
        return JsonTrouble("a pointer of Git LFS stands in it, and the file itself was not fetched", 0)
    said = message.replace("character at", "character in a text")
    return JsonTrouble(said[:1].lower() + said[1:], offset)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Suspect
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Suspect
    return value


def _constant(text: str) -> Any:
    raise _Suspect


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)
