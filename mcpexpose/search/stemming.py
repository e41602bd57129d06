"""Light stemming of English: plurals and the forms of one word meet, and words that only look alike stay apart.

It takes off endings of inflection (-s, -ed, -ing) and the few of derivation that catalogs and queries mix (-ation,
-ion, -ator, -ification, -ment). It never goes as far as a root: universe and university, general and generate, policy
and police stay different words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mcpexpose.search.lexicon import IRREGULAR, KEPT

if TYPE_CHECKING:
    from collections.abc import Iterable

_VOWELS = frozenset("aeiouy")
_SILENT_E = ("dg", "rg", "rs", "ns", "nc", "rc", "lv", "rv", "ls", "ps", "ws", "aus", "ous", "eas", "eez", "u", "v")
"""Ends that an English verb of one syllable has only before a silent e: merg(e), pars(e), danc(e), solv(e), caus(e)."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a case-folded word; words that are not of a-z, and those of three letters, stay as they are."""
    word = IRREGULAR.get(word, word)
    if len(word) <= 3 or not (word.isascii() and word.isalpha()) or word in KEPT:
        return word
    word = _singular(word)
    word = IRREGULAR.get(word, word)
    if len(word) <= 3 or word in KEPT:
        return word
    word = _verb_base(word)
    word = IRREGULAR.get(word, word)
    return word if len(word) <= 3 or word in KEPT else _ending(word)


LEAST, MOST = 3, 8
"""Letters of the starts of words, see `start`."""


def start(word: str) -> str:
    """The letters that WORD begins with, and its stem too, unless it is an irregular form; "" where that is not sure.

    So a spelling whose start no term of an index and no irregular form has is in no document, and is told so without
    its stem, which costs ten times as much. A y counts as i, since stems end in either.
    """
    size = len(word)
    if size <= LEAST or (size < 6 and word.endswith("es")):
        return ""
    tail = word[-11:]
    if "at" in tail or "ment" in tail or "ion" in tail or "ific" in tail:
        kept = LEAST
    else:
        kept = size - (6 if word[-1] in "sgd" else 2)
        kept = LEAST if kept < LEAST else MOST if kept > MOST else kept
    return word[:kept].replace("y", "i")


def starts(terms: Iterable[str]) -> set[str]:
    """What `start` may give of a word whose stem is one of TERMS, for any length."""
    found: set[str] = set()
    for word in (*terms, *IRREGULAR):
        plain = word[:MOST].replace("y", "i")
        found.update(plain[:length] for length in range(LEAST, len(plain) + 1))
    return found


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        # "statuses" ends in es; "status", "analysis" and "class" are no plurals.
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) <= 4 else word[:-3] + "y"
    if word.endswith("oes") and len(word) > 5:
        return word[:-2]
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("zzes"):
        return word[:-3]
    if word.endswith("uses") and not word.endswith(("auses", "ouses")) and len(word) > 4:
        return word[:-2]
    return word[:-1]


def _verb_base(word: str) -> str:
    """Without -ed or -ing: planned, planning → plan; naming → name; created → create; copied → copy."""
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ing"):
        base = word[:-3]
    elif word.endswith("ed") and not word.endswith("eed"):
        base = word[:-2]
    else:
        return word
    if len(base) < 3 or not _groups(base):
        return word
    last = base[-1]
    if last == base[-2] and last not in _VOWELS:
        # "added", "filling", "passed", "buzzing" keep what the bare word has twice.
        kept = last in "sz" or len(base) == 3 or (last == "l" and (_groups(base) == 1 or base.endswith("all")))
        return base if kept else base[:-1]
    if _groups(base) == 1 and _wants_e(base):
        return base + "e"
    # A stem of several syllables meets its bare form when that loses its e below: delet(ing), delet(e).
    if base.endswith("at") and (base[-3] not in _VOWELS | {"h"} or base.endswith(("iat", "uat"))):
        return base + "e"
    return base + "e" if base.endswith(("creat", "is")) else base


def _wants_e(base: str) -> bool:
    if base.endswith(_SILENT_E) and base != "sync":
        return True
    if len(base) > 2 and base[-1] == "l" and base[-2] not in _VOWELS | set("lrw"):
        return True  # handl(e), toggl(e)
    vowel_before_one = base[-1] not in _VOWELS and base[-2] in _VOWELS and (len(base) == 2 or base[-3] not in _VOWELS)
    return vowel_before_one and base[-1] not in "wx"


def _ending(word: str) -> str:
    """The derivations, and the one spelling that all forms of a word end in."""
    for long, short in (("ification", "ify"), ("ization", "ize"), ("isation", "ize")):
        if word.endswith(long) and len(word) - len(long) >= 2:
            return _ending(word[: -len(long)] + short)
    if word.endswith("ation"):
        return _ate(word[:-5], word)
    if word.endswith("ator"):
        return _ate(word[:-4], word)
    if word.endswith("ate"):
        return _ate(word[:-3], word)
    if word.endswith(("tion", "sion")) and len(word) >= 8:
        return word[:-3]
    if word.endswith("ment") and len(word) >= 8:
        return _ending(word[:-4])
    if word.endswith(("ise", "yse", "yze")) and len(word) >= 7:
        word = word[:-3] + ("iz" if word.endswith("ise") else "ys")
    elif word.endswith("ie") or (word.endswith("y") and word[-2] not in _VOWELS):
        return word[:-2] + "i" if word.endswith("ie") else word[:-1] + "i"
    elif word.endswith("e") and _groups(word[:-1]) > 1:
        word = word[:-1]
    if word.endswith(("oll", "ell")) and _groups(word) > 1:
        return word[:-1]  # controll(ed), cancell(ed)
    return word


def _ate(front: str, word: str) -> str:
    """Generate, generation, generator → gener; short fronts keep the syllable: locate, location → locat."""
    if len(front) >= 4:
        return front[:-1] if front.endswith("e") else front
    return front + "at" if len(front) == 3 and _groups(front) else word


def _groups(word: str) -> int:
    """How many runs of vowels it has: about its syllables."""
    count, inside = 0, False
    for char in word:
        vowel = char in _VOWELS
        count += vowel and not inside
        inside = vowel
    return count
