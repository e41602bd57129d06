"""What is wrong with a text that is no TOML, said in words of what people really write: quotes, paths, JSON, YAML."""

from __future__ import annotations

import contextlib
import datetime
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.config.scan import ANY_STRING
from mcpexpose.config.subjects import dotted, subject_of
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.config.scan import Path

_TOKEN = re.compile(rf"{ANY_STRING}|#[^\n]*+|[\[\]{{}}.=,\n]", re.DOTALL)
_AT = re.compile(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)$")
_REPETITION = (
    "Cannot declare",
    "Cannot overwrite a value",
    "Cannot mutate immutable namespace",
    "Cannot redefine namespace",
    "Duplicate inline table key",
)
UNREADABLE_NUMBER = "a number has too many digits"
"""In place of a message of `tomllib`, where it is Python that gives up."""
_LONG_NUMBER = re.compile(r"(?<![\w\"'])(?:0[xob])?[0-9A-Fa-f_]{3000,}")
_MOST_BITS = 14_000
"""Of an integer; Python writes no more than 4,300 digits, and reads hexadecimal ones without end."""
_QUOTES = "“”„‟‘’‚‛«»‹›″′´`＂＇"
_WORDS = {"True": "true", "False": "false", "TRUE": "true", "FALSE": "false", "yes": "true", "no": "false"}
_LITERAL = "a backslash in double quotes starts an escape; a path is best a literal string, in single quotes"
_LITERAL_ADVICE = r"Write 'C:\dir\file' in single quotes, or double each backslash."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What to say, and at which offset in code points."""

    message: str
    offset: int
    advice: str = ""


def first_too_deep(text: str, levels: int) -> int | None:
    """Offset at which brackets nest, or a dotted key reaches, deeper than LEVELS; None where nothing does.

    Looked for before parsing: a parser recurses by bracket, and copies a long key for every line under it.
    """
    depth = dots = 0
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token == ".":
            dots += 1
            if dots > levels:
                return found.start()
        elif token in ("[", "{"):
            depth += 1
            dots = 0
            if depth > levels:
                return found.start()
        elif token in ("]", "}"):
            depth = max(0, depth - 1)
            dots = 0
        elif token in ("=", ",", "\n"):
            dots = 0
    return None


def has_unwritable_number(text: str, data: Any) -> bool:
    """Whether DATA, read from TEXT, holds an integer with more digits than Python writes."""
    if _LONG_NUMBER.search(text) is None:
        return False
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
            return True
    return False


def is_repetition(message: str) -> bool:
    """Whether `tomllib` refused a key or table that was there before."""
    return message.startswith(_REPETITION)


def repeat_subjects(path: Path) -> tuple[str, ...]:
    """A repetition is named from the top; inside a server's table also as `server:key`."""
    full, short = dotted(path), subject_of(path)
    return (full,) if full == short else (full, short)


def explain(text: str, message: str) -> Trouble:
    """The trouble behind a message of `tomllib`, with its place."""
    found = _AT.search(message)
    plain = message[: found.start()] if found else message
    offset = _offset(text, int(found[1]), int(found[2])) if found and found[1] else len(text)
    if plain == UNREADABLE_NUMBER and (number := _LONG_NUMBER.search(text)):
        return _friendly(plain, number.start())
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].rstrip("\r")
    for look in (_merge, _mark, _json, _quotes, _odd_character, _backslash, _colon, _date, _word):
        trouble = look(plain, line, start, offset)
        if trouble is not None:
            return trouble
    return _friendly(plain, offset)


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return min(start + column - 1, len(text))


def _merge(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    if line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||")):
        return Trouble("a conflict marker of a merge was left in", start, "Resolve the conflict.")
    return None


def _mark(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    if start == 0 and line.startswith("\u00ef\u00bb\u00bf"):
        message = "it starts with a byte order mark that was taken for letters, \u00ef\u00bb\u00bf"
        return Trouble(message, 0, "Take the three letters out, and save it as UTF-8.")
    return None


def _json(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    if start == 0 and line.lstrip().startswith(("{", "[{", "//")):
        return Trouble(
            "this looks like JSON",
            offset,
            "`mcpexpose init` writes a config in TOML; put its servers into that.",
        )
    return None


def _quotes(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    at = offset - start
    if line[at : at + 1] not in _QUOTES or not line[at : at + 1]:
        if not plain.startswith(("Illegal character '\\n'", "Unterminated string", "Expected", "Unclosed")):
            return None
        at = next((n for n, char in enumerate(line) if char in _QUOTES), -1)
        if at < 0:
            return None
    char = line[at]
    return Trouble(
        f"a typographic quote, {char} (U+{ord(char):04X}), stands where a straight one is wanted",
        start + at,
        "Use straight quotes: \" or '.",
    )


def _odd_character(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    char = line[offset - start : offset - start + 1]
    if not char or (char.isascii() and char.isprintable()):
        return None
    if plain.startswith(("Illegal character", "Found invalid character")) or unicodedata.category(char)[0] in "CZPS":
        name = unicodedata.name(char, "a control character").lower()
        return Trouble(f"U+{ord(char):04X} ({name}) cannot stand here", offset, _in_its_place(char))
    if not char.isascii():
        return Trouble(
            f"{shown(char)} (U+{ord(char):04X}) cannot stand outside quotes",
            offset,
            "Put the key or the text in quotes.",
        )
    return None


def _in_its_place(char: str) -> str:
    """What to do about a character that an editor or a keyboard put there; many are look-alikes of plain ones."""
    plain = unicodedata.normalize("NFKC", char)
    if unicodedata.category(char) == "Zs":
        return "Write a plain blank in its place, or remove it."
    if len(plain) == 1 and plain.isascii() and plain.isprintable() and plain != char:
        return f"Write {plain} in its place."
    return "Remove it, or write it as an escape in a string."


def _backslash(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    escape = plain.startswith(("Unescaped '\\'", "Invalid hex value", "Escaped character"))
    open_end = plain.startswith(("Illegal character '\\n'", "Unterminated string")) and re.search(
        r'\\["\'][^"\']*$', line
    )
    if not escape and not open_end:
        return None
    at = line.rfind("\\", 0, max(offset - start, 0) + 1)
    at = at if at >= 0 else line.find("\\")
    if at < 0:
        return Trouble(_LITERAL, offset, _LITERAL_ADVICE)
    bad = shown(line[at : at + 2])
    what = f"{bad} ends the text too late: " if open_end else f"{bad} is no escape: "
    return Trouble(what + _LITERAL, start + at, _LITERAL_ADVICE)


def _colon(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    if plain.startswith("Expected '=' after a key") and line[offset - start : offset - start + 1] == ":":
        return Trouble("a colon stands where `=` is wanted", offset, "Write `key = value`.")
    return None


def _date(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    """What begins like a date and is none is read as a number with something behind it."""
    found = re.search(r"=\s*([0-9]{4}-[0-9]+-[0-9]+)", line)
    if found is None or not plain.startswith(("Expected newline", "Invalid date")):
        return None
    if not found.start(1) <= offset - start <= found.end(1):
        return None
    with contextlib.suppress(ValueError):
        datetime.date.fromisoformat(found.group(1))
        return None  # it is one, and what is wrong comes behind it
    return Trouble(f"{found.group(1)} is no date", start + found.start(1), "Write year, month and day: 2026-12-31.")


def _word(plain: str, line: str, start: int, offset: int) -> Trouble | None:
    if not plain.startswith("Invalid value"):
        return None
    found = re.match(r"[^\s,\]}#]+", line[offset - start :])
    word = found.group() if found else ""
    if word in _WORDS:
        return Trouble(f"`{word}` is no value", offset, f"Write `{_WORDS[word]}`, without quotes.")
    if word in ("None", "null", "nil", "~"):
        return Trouble(f"`{word}` is no value", offset, "Leave the key out.")
    if word and (word[0].isalpha() or word[0] in "./~@$"):
        return Trouble("a text stands without quotes", offset, 'Put it in quotes: "…".')
    if not word:
        return Trouble("a value is missing", offset, "Write one after the `=`, or remove the key.")
    return None


# What tomllib says, in other words, and what to do about it.
_FRIENDLY = {
    "Illegal character '\\n'": ("a text is not closed on its line", "Close it with the quote that opened it."),
    "Unterminated string": ("a text is never closed", "Close it with the quotes that opened it."),
    "Unclosed array": (
        "a `[` is never closed, or a comma is missing",
        "Write a comma between entries, and close with `]`.",
    ),
    "Unclosed inline table": ("a `{` is never closed, or a comma is missing", "Close it with `}` on its line."),
    "Expected newline or end of document after a statement": (
        "something follows a value on its line",
        "Put each key on a line of its own, and texts in quotes.",
    ),
    "Expected '=' after a key in a key/value pair": ("a key has no `=`", "Write `key = value`."),
    "Expected ']' at the end of a table declaration": (
        "a header is not closed",
        "Write `[table]`, quotes around odd keys.",
    ),
    "Expected ']]' at the end of an array declaration": ("a header is not closed", "Write `[[table]]`."),
    "Invalid initial character for a key part": (
        "a key is missing, or has a character that needs quotes",
        'Put the key in quotes: "a key".',
    ),
    "Invalid statement": (
        "a line is neither `key = value` nor `[table]`",
        "Write it as one of them, or start it with #.",
    ),
    "Invalid value": ("a value cannot be read", "Put a text in quotes."),
    "Invalid date or datetime": ("a date that is none", "Write it as 2027-03-31."),
    UNREADABLE_NUMBER: ("a number has too many digits", "Write a smaller one."),
}


def _friendly(plain: str, offset: int) -> Trouble:
    message, advice = _FRIENDLY.get(plain) or (shown(plain[:1].lower() + plain[1:], 120), "")
    return Trouble(message, offset, advice)
