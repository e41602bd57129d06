"""The names that somebody may have meant, nearest first."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN = 8
"""As many names as a finding carries."""
ENOUGH = 100
"""As many findings of one list as are given names; beyond them nobody reads, and the search has its price."""
_NEAR = 0.75


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Names for `details["suggests"]`, nearest first; `near` of them are so near that one was probably meant."""

    names: tuple[str, ...]
    near: int


def suggest(word: str, names: Sequence[str]) -> Suggestions:
    """The nearest names to WORD where there are some, otherwise names that there are, by likeness."""
    folded = word.lower()
    grams = _grams(folded)
    rough = sorted(names, key=lambda name: (-_overlap(grams, _grams(name.lower())), name))[:SHOWN]
    rated = sorted(((_likeness(folded, name.lower()), name) for name in rough), key=lambda pair: (-pair[0], pair[1]))
    near = [name for likeness, name in rated if likeness >= _NEAR]
    return Suggestions(tuple(near or [name for _, name in rated]), len(near))


@lru_cache(maxsize=16_384)
def _grams(text: str) -> frozenset[str]:
    padded = f" {text} "
    return frozenset(padded[at : at + 2] for at in range(len(padded) - 1))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def _likeness(one: str, other: str) -> float:
    """1 for equal but for case, or where one name, of some length, stands whole in the other; else difflib's ratio."""
    if one == other or (len(other) > 3 and one.endswith(other)):
        return 1.0
    if len(one) > 200 or len(other) > 200:
        return _overlap(_grams(one), _grams(other))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
