"""Names that a reader takes for another: letters of other scripts, case, digits for letters, one slip of the pen."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_TWINS = str.maketrans(
    "аеорсухіјѕһԁԛԝвкмнтАВЕКМНОРСТУХІЈЅοαενρτυικχΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıⅼ０１ӏѵҽᴏᴄᴠᴡᴢꜱոօհս",
    "aeopcyxijshdqwbkmhtABEKMHOPCTYXIJSoaevptuikxABEZHIKMNOPTYXgil01lveocvwzsnohu",
)
"""Letters of Cyrillic, Greek, Armenian and a few more, each with the Latin one that it looks like."""
_ASCII_TWINS = str.maketrans({"0": "o", "1": "l", "|": "l"})
SLIP_LENGTH = 6
"""Shorter names are one letter apart by chance."""
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W_]+")
_SCRIPTS_OF_EAST_ASIA = """
    CJK HIRAGANA KATAKANA KATAKANA-HIRAGANA HENTAIGANA VERTICAL MASU HANGUL BOPOMOFO FULLWIDTH HALFWIDTH IDEOGRAPHIC
"""
_EAST_ASIAN = frozenset(_SCRIPTS_OF_EAST_ASIA.split())
_OF_ALL = frozenset({"MICRO", "MODIFIER"})
"""Signs that belong to no script: of units, of sounds."""
_LATIN_TOO = frozenset({"FEMININE", "MASCULINE", "SUPERSCRIPT", "KELVIN", "ANGSTROM"})
"""Latin letters by another name: the ordinals of Spanish and Portuguese, signs of units."""


def skeleton(name: str) -> str:
    """Equal for names that look alike: normalised, letters of other scripts as their Latin twins, case folded."""
    latin = unicodedata.normalize("NFKC", name).translate(_TWINS)
    return latin.translate(_ASCII_TWINS).casefold().replace("rn", "m").replace("vv", "w")


def foreign_letters(name: str) -> tuple[str, ...]:
    """The letters of a name that mixes scripts which no language mixes: those of the scripts that are fewer in it."""
    scripts = [(char, script) for char in name if char.isalpha() and (script := _script(char)) not in _OF_ALL]
    counts = Counter(script for _, script in scripts)
    if len(counts) < 2 or set(counts) <= _EAST_ASIAN | {"LATIN"}:
        return ()
    # On a tie the Latin letters are at home: tools are named in ASCII more often than not.
    home = max(counts, key=lambda script: (counts[script], script == "LATIN"))
    return tuple(dict.fromkeys(char for char, script in scripts if script != home))


def slip(one: str, other: str) -> tuple[str, str] | None:
    """The words in which two names differ, where it is by one letter or two swapped ones; None where it is by more.

    Plurals, numbers, separators and changed endings are how people name different things on purpose.
    """
    if min(len(one), len(other)) < SLIP_LENGTH or abs(len(one) - len(other)) > 1 or one == other:
        return None
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    after = one[len(one) - end :][:1]
    plural = "s" in (left, right) and "" in (left, right) and not after.isalpha()
    if plural or not (left + right).isalpha() or max(len(left), len(right)) > 2:
        return None
    swapped = len(left) == 2 and left == right[::-1]
    if not swapped and (not end or max(len(left), len(right)) == 2):
        return None
    return _word_at(one, start), _word_at(other, start)


def _word_at(name: str, at: int) -> str:
    for match in WORDS.finditer(name):
        if match.start() <= at < match.end():
            return match[0].lower()
    return name.lower()


def _script(char: str) -> str:
    first = unicodedata.name(char, "UNKNOWN").partition(" ")[0]
    return "LATIN" if first in _LATIN_TOO else first
