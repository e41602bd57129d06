"""Regular expressions of schemas: whether they are any, and whether matching one can run away."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

from mcpexpose.toolschema.ambiguity import check, runs_away

ANALYSED_LENGTH = 5_000
MAX_LENGTH = 100_000
"""Characters of a pattern that is read."""


@lru_cache(maxsize=4096)
def problem(pattern: str) -> str | None:
    """What is wrong with PATTERN as a regular expression, of ECMA-262 or of Python; None where nothing is."""
    if len(pattern) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH:,} characters"
    try:
        # Not compiled: that takes milliseconds for each wide class, `[\0-\uffff]`, and a text has room for many.
        try:
            check(ecma(pattern))
        except re.error:
            check(pattern)
    except re.error as error:
        return f"is no regular expression: {error.msg}"
    except OverflowError:
        return "repeats something too often"
    except (RecursionError, MemoryError):
        return "is nested too deeply"
    return None


@lru_cache(maxsize=4096)
def risk(pattern: str) -> bool:
    """Whether the time to match a valid PATTERN can grow exponentially with the length of a text."""
    if len(pattern) > ANALYSED_LENGTH:
        return False
    try:
        return runs_away(ecma(pattern))
    except (re.error, OverflowError, RecursionError):
        return False


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re.Pattern[str]:
    """PATTERN as ECMA-262 reads it, where Python can say that, else as Python does. Raises what `re.compile` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(ecma(pattern))
        except re.error:
            return re.compile(pattern)


def ecma(pattern: str) -> str:
    r"""PATTERN in Python's spelling: `$` is the very end, `\d` and `\w` are ASCII, groups are named `(?P<n>…)`.

    `\p{…}` becomes a class of all that is no white space, which accepts more than it should: Python knows no Unicode
    properties, and refusing what the server would accept is worse than leaving the last word to the server.
    """
    out: list[str] = []
    at = 0
    in_class = False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern):
            piece, at = _escape(pattern, at, in_class)
            out.append(piece)
            continue
        if in_class:
            out.append("\\[" if char == "[" else char)
            in_class = char != "]"
        elif char == "[":
            if pattern.startswith("[^]", at):
                out.append("[\\s\\S]")
                at += 3
                continue
            if pattern.startswith("[]", at):
                out.append("(?!)")
                at += 2
                continue
            out.append("[^" if pattern.startswith("[^", at) else "[")
            at += len(out[-1]) - 1
            in_class = True
        elif char == "$":
            out.append("\\Z")
        elif pattern.startswith("(?<", at) and pattern[at + 3 : at + 4] not in ("=", "!"):
            out.append("(?P<")
            at += 2
        else:
            out.append(char)
        at += 1
    return "".join(out)


_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_"}
_CODES = (
    re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}"),
    re.compile(r"\\c([A-Za-z])"),
    re.compile(r"\\[pP]\{[\w=]*\}"),
    re.compile(r"\\k<([^>]{0,100})>"),
)


def _escape(pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    """Python's spelling of the escape AT, and where the pattern goes on."""
    letter = pattern[at + 1]
    if letter in _CLASSES:
        return (_CLASSES[letter] if in_class else f"[{_CLASSES[letter]}]"), at + 2
    if letter.lower() in _CLASSES and not in_class:
        return f"[^{_CLASSES[letter.lower()]}]", at + 2
    if match := _CODES[0].match(pattern, at):
        code = int(match[1], 16)
        return (re.escape(chr(code)) if code <= 0x10FFFF else match[0]), match.end()
    if match := _CODES[1].match(pattern, at):
        return f"\\x{ord(match[1].upper()) - 64:02x}", match.end()
    if match := _CODES[2].match(pattern, at):
        return ("\\S" if letter == "p" or in_class else "[\\s\\S]"), match.end()
    if match := _CODES[3].match(pattern, at):
        return f"(?P={match[1]})", match.end()
    if letter == "/":
        return "/", at + 2
    return pattern[at : at + 2], at + 2
