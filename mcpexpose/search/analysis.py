"""The one analysis of texts and queries: normal form, splitting, stop words, stems, pairs of CJK characters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from mcpexpose.search.lexicon import BRANDS, STOP, STOP_CHARACTERS
from mcpexpose.search.stemming import stem
from mcpexpose.search.versions import ANALYZER_VERSION as ANALYZER_VERSION

MAX_WORD = 64
"""Characters of one word that count; a longer run of letters and digits is cut there."""


class Token(NamedTuple):
    """One term of a text."""

    term: str
    word: str
    """What was written, in its normal form: what a spelling is mended from."""
    joins: int
    """0: a word. N > 0: an identifier, whole, besides the N tokens before it, which are its parts. -1: one character of
    the pairs before it, indexed for queries of a single character."""


_SPECIAL = r"(?i)(?<![\w.])\.net\b|\b([a-z])\+\+|\b([a-z])#(?!\w)"
_SHORTENED = r"(?i)(?<=\w)n?['’ʼ](?:s|t|d|m|re|ve|ll)\b"
_MARKS = r"\u0900-\u0963\u0966-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3"
"""Vowel signs of India and South-East Asia: parts of a word, though no letters to a regular expression."""
_ALNUM = re.compile(r"[^\W_]+")
CHUNK = re.compile(r"[^\W_]+(?:[_\-./:]+[^\W_]+)*")
_ALNUM_WIDE = rf"(?:[^\W_]|[{_MARKS}])+"
_CHUNK_WIDE = rf"(?:[^\W_]|[{_MARKS}])+(?:[_\-./:]+(?:[^\W_]|[{_MARKS}])+)*"
_BRANDS = "|".join(sorted(BRANDS, key=lambda brand: (-len(brand), brand)))
_BETWEEN = "to|from|for|with|and|or|by|as|in|of"
_CASE = (
    rf"(?:{_BRANDS})(?![a-z])|[A-Z]{{2,}}s(?![a-z])|[A-Z]{{2,}}(?=(?:{_BETWEEN})(?![a-z]))|[A-Z]+(?![a-z])"
    r"|[A-Z]?[a-z]+|[A-Z]|\d+"
)
"""The parts of an ASCII identifier: `getHTTPResponse2` is get, HTTP, Response, 2; a plural like `URLs` is one part, and
`PDFtoText` is PDF, to, Text."""
_PAIRED = (
    "([\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007"
    "\u3040-\u30ff"  # kana
    "\u3400-\u9fff"  # Han
    "\uac00-\ud7a3"  # Hangul
    "\uf900-\ufaff"
    "\U00020000-\U0003ffff]+)"
)
"""Scripts that put no blanks between words, or glue particles on, as Korean does."""
_KEYCAP = "[0-9#*]\ufe0f?\u20e3"
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"})


def terms(text: str) -> list[str]:
    """The terms of TEXT in its order, stop words left out, identifiers split and kept whole besides."""
    return [token.term for token in tokens(text) if token.term]


def tokens(text: str) -> list[Token]:
    """Every token of TEXT, in its order. A stop word's term is "": it counts for the length and is no term."""
    found: list[Token] = []
    if ascii_ := text.isascii():
        chunks = CHUNK
    else:
        text, chunks = normal(text), _pattern(_CHUNK_WIDE)
    if not ascii_ or "'" in text or "+" in text or "#" in text or "." in text:
        text = _pattern(_SHORTENED).sub("", _pattern(_SPECIAL).sub(_special, text))
    for match in chunks.finditer(text):
        chunk = match.group()
        found.extend(_known_chunk(chunk) if len(chunk) <= MAX_WORD else _chunk(chunk))
    return found


def fold(text: str) -> str:
    """TEXT compared without regard to width, case and accents: the form that words and names are looked up in."""
    if text.isascii():
        return text.lower()
    return _unaccented(unicodedata.normalize("NFKC", text).casefold())


def name_key(name: str) -> str:
    """What two spellings of one name share: its letters and digits, folded; all of it where it has none."""
    if "+" in name or "#" in name:
        name = _pattern(_SPECIAL).sub(_special, name)
    folded = fold(normal(name) if not name.isascii() else name)
    return "".join((_ALNUM if folded.isascii() else _pattern(_ALNUM_WIDE)).findall(folded)) or folded.strip()


def has_words(text: str) -> bool:
    """Whether there is anything but blanks, punctuation, symbols and invisible characters in TEXT."""
    return _ALNUM.search(text if text.isascii() else normal(text)) is not None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compiled when it is first needed: most queries of a host need none of these."""
    return re.compile(text)


def _special(match: re.Match[str]) -> str:
    """C++ is cpp, C# is csharp, .NET is dotnet, as people spell them in names."""
    if match.group(1):
        return match.group(1) + "pp "
    return match.group(2) + "sharp " if match.group(2) else " dotnet"


def _chunk(chunk: str) -> list[Token]:
    """One run of words and connectors: get_jobLogs gives get, job, log, joblogs and getjoblogs."""
    runs = _ALNUM.findall(chunk) if chunk.isascii() else _pattern(_ALNUM_WIDE).findall(chunk)
    found: list[Token] = []
    for run in runs:
        _run(run, found)
    if len(runs) > 1:
        whole = fold("".join(runs))[:MAX_WORD]
        found.append(Token(whole, whole, len(found)))
    return found


@lru_cache(maxsize=65_536)
def _known_chunk(chunk: str) -> tuple[Token, ...]:
    """The same, remembered: texts say the same words over and over."""
    return tuple(_chunk(chunk))


def _run(run: str, found: list[Token]) -> None:
    """The tokens of letters and digits without a connector."""
    if run.isascii():
        run = run[:MAX_WORD]
        if run.islower() and run.isalpha():  # by far the most
            found.append(_word(run))
            return
        parts = _pattern(_CASE).findall(run)
    else:
        stretches = _stretches(run)
        if len(stretches) > 1 or stretches[0][0]:
            for paired, text in stretches:
                _pairs(text, found) if paired else _run(text, found)
            return
        run = run[:MAX_WORD]
        parts = _cased(run)
    found.extend(_word(fold(part)) for part in parts)
    if len(parts) > 1:
        whole = fold(run)
        found.append(Token(whole, whole, len(parts)))


def _pairs(text: str, found: list[Token]) -> None:
    """Overlapping pairs of characters; each character besides, so that a query of one finds it."""
    if len(text) == 1:
        found.append(Token("" if text in STOP_CHARACTERS else text, text, 0))
        return
    found.extend(Token(pair, pair, 0) for pair in (text[n : n + 2] for n in range(len(text) - 1)))
    found.extend(Token(char, char, -1) for char in dict.fromkeys(text))


@lru_cache(maxsize=65_536)
def _word(word: str) -> Token:
    return Token("" if word in STOP else stem(word), word, 0)


def _stretches(run: str) -> list[tuple[bool, str]]:
    """The parts of RUN, each with whether its characters are paired."""
    parts = _pattern(_PAIRED).split(run)
    return [(n % 2 == 1, part) for n, part in enumerate(parts) if part]


def _cased(text: str) -> list[str]:
    """Split where a small letter meets a capital, and at digits, in any script."""
    parts: list[str] = []
    before = ""
    for char in text:
        border = before and ((before.islower() and char.isupper()) or (before.isdigit() != char.isdigit()))
        if border or not parts:
            parts.append(char)
        else:
            parts[-1] += char
        before = char
    return parts


def normal(text: str) -> str:
    """NFKC, accents folded, invisible characters gone. Case is kept, since words are split by it.

    What is no character (a lone surrogate) parts words, as a blank does.
    """
    out: list[str] = []
    for char in _unaccented(unicodedata.normalize("NFKC", _pattern(_KEYCAP).sub(" ", text))):
        if char.isascii() or char.isalnum():
            out.append(char)
            continue
        category = unicodedata.category(char)
        if category == "Cf" or (category == "Mn" and char < "\u0900") or "\ufe00" <= char <= "\ufe0f":
            continue  # zero-width characters, Hebrew and Arabic points, variation selectors
        out.append(char if category in ("Mn", "Mc") or char in "’ʼ" else " ")
    return "".join(out)


def _unaccented(text: str) -> str:
    """Latin, Greek and Cyrillic letters without their accents; other scripts as they were."""
    split = unicodedata.normalize("NFD", text)
    bare = "".join(char for char in split if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)
