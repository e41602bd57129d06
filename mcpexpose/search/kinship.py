"""Verbs and families of words, as terms: which class a verb is of, and which words stand for one another."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from mcpexpose.search.analysis import tokens
from mcpexpose.search.lexicon import FAMILIES, VERBS
from mcpexpose.search.postings import idf, share
from mcpexpose.search.stemming import stem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from mcpexpose.search.postings import TermPostings

    class Found(Protocol):
        """Whatever gives the documents of a term."""

        def get(self, term: str, /) -> TermPostings | None: ...


@cache
def verbs() -> Mapping[str, str]:
    """The class of each term that is a verb."""
    return {stem(verb): name for verb, name in VERBS.items()}


@cache
def families() -> Mapping[str, tuple[str, ...]]:
    """Each term's kin, over all families that it is in."""
    kin: dict[str, dict[str, None]] = {}
    for family in FAMILIES:
        members = [stem(word) for word in family.split()]
        for member in members:
            kin.setdefault(member, {}).update((other, None) for other in members if other != member)
    return {term: tuple(others) for term, others in kin.items()}


@cache
def words() -> Mapping[str, str]:
    """By term, a word of the families: how people write what is searched as its stem."""
    made: dict[str, str] = {}
    for family in FAMILIES:
        for word in family.split():
            made.setdefault(stem(word), word)
    return made


@lru_cache(maxsize=65_536)
def name_verb(name: str) -> str:
    """The class of the verb in a tool's name: its first word that is one; "" where none is."""
    known = verbs()
    return next((known[token.term] for token in tokens(name) if token.joins == 0 and token.term in known), "")


def gains(term: str, rows: Sequence[int], postings: Found, size: int) -> list[tuple[int, float]]:
    """Where in ROWS documents hold a word of TERM's families, with the most that such a word gives there, by place."""
    most: dict[int, float] = {}
    for other in families().get(term, ()):
        found = postings.get(other)
        if found is not None:
            rare = idf(len(found), size)
            for n, share in found.hits(rows):
                if rare * share > most.get(n, 0.0):
                    most[n] = rare * share
    return sorted(most.items())


def all_gains(term: str, postings: Found, size: int) -> list[tuple[int, float]]:
    """The same for every document that holds such a word, by row."""
    most: dict[int, float] = {}
    for other in families().get(term, ()):
        found = postings.get(other)
        if found is not None:
            rare = idf(len(found), size)
            for row, weight in zip(*found.listed(), strict=True):
                gain = rare * share(weight)
                if gain > most.get(row, 0.0):
                    most[row] = gain
    return sorted(most.items())
