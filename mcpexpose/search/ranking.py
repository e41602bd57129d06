"""The ranking: a pure function over the documents of each word, the same for every engine.

Sort keys, in order: an exact name; every word covered; BM25F × (1 + coverage), × .85 where the verbs clash; the row,
which is the order of (server, tool).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING

from mcpexpose.model.answer import Hit, Ranking
from mcpexpose.search import query as queries
from mcpexpose.search.analysis import has_words, tokens
from mcpexpose.search.lexicon import FAMILIES, VERBS
from mcpexpose.search.stemming import stem
from mcpexpose.search.versions import RANKING_VERSION as RANKING_VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence

    from mcpexpose.search.postings import Postings, TermPostings

K1 = 1.5
POSTINGS = 400
"""Documents of one word that are looked at: those that it weighs most in, of the ones that are allowed."""
RESCORED = 50
"""Of the best candidates, how many are scored again with all that is known of them."""
CLASH = 0.85
KIN = 0.1
"""What a word of the same family counts where the query's own word is missing."""
WEAK = 0.6
"""A best match is weak where its BM25F × √coverage is under this many times the idf of a word of one document."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One term of a query, with its documents."""

    term: str
    idf: float
    postings: TermPostings | None
    parts: tuple[str, ...] | None
    """Of an identifier as a whole, the words that it covers where it is met; None: a word."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What one document gets."""

    row: int
    exact: bool
    covered: bool
    bm25f: float
    """The sum over the query's terms, before anything multiplies it."""
    kin: float
    coverage: float
    """The idf-weighted share of the query's words that it holds, 0 to 1."""
    clash: bool
    terms: tuple[str, ...]
    score: float

    @property
    def key(self) -> tuple[bool, bool, float, int]:
        return (not self.exact, not self.covered, -self.score, self.row)


def rank(
    text: str,
    limit: int | None,
    postings: Postings,
    allowed: Container[int] | None = None,
    *,
    min_match: float = 0.0,
) -> Ranking:
    """The LIMIT best documents for TEXT, of those ALLOWED; scores do not hang on which are. None: no limit, all rows.

    Where the best of them names no tool and scores less than MIN_MATCH, there is none.
    """
    if len(text) > queries.MAX_QUERY:
        return Ranking((), (), False, "search-query-too-long", 0)
    if not has_words(text):
        return Ranking((), (), False, "search-query-empty", 0)
    query = queries.parse(text, postings)
    asked = ask(query, postings)
    exact = {row for name in query.names for row in postings.named(name) if allowed is None or row in allowed}
    first = _gather(asked, allowed, exact)
    chosen = sorted(first, key=lambda row: (row not in exact, first[row], row))
    verbs = verb_classes(query.words)
    best = sorted((score(row, row in exact, asked, verbs, postings) for row in chosen[:RESCORED]), key=lambda s: s.key)
    rest = [score(row, row in exact, asked, verbs, postings, kin=False) for row in chosen[RESCORED:limit]]
    found = (best + rest)[:limit]
    terms = tuple(one.term for one in asked if one.parts is None)
    if not found:
        return Ranking((), terms, False, "nothing-matched", 0)
    if not found[0].exact and found[0].score < min_match:
        return Ranking((), terms, False, "below-min-match", len(chosen))
    hits = tuple(Hit(s.row, s.score, s.exact, s.covered, s.terms) for s in found)
    return Ranking(hits, terms, is_weak(found[0], postings.size), "", len(chosen))


def ask(query: queries.Query, postings: Postings) -> list[Asked]:
    """The query's terms with their documents; of more than MAX_WORDS words the rarest, words of no document last."""
    words = [_asked(word, None, postings) for word in query.words]
    if len(words) > queries.MAX_WORDS:
        rarest = sorted(words, key=lambda one: (one.postings is None, -one.idf))[: queries.MAX_WORDS]
        kept = {one.term for one in rarest}
        words = [one for one in words if one.term in kept]
    wholes = [_asked(term, parts, postings) for term, parts in query.wholes if term not in query.words]
    return words + wholes[: queries.MAX_WORDS]


def _asked(term: str, parts: tuple[str, ...] | None, postings: Postings) -> Asked:
    found = postings.get(term)
    return Asked(term, idf(len(found) if found else 0, postings.size), found, parts)


def idf(holders: int, size: int) -> float:
    """How rare a term is that HOLDERS of SIZE documents have; above 0."""
    return log(1 + (size - holders + 0.5) / (holders + 0.5))


def _gather(
    asked: Sequence[Asked], allowed: Container[int] | None, exact: Collection[int]
) -> dict[int, tuple[bool, float]]:
    """Candidates, each with the second and third sort key as the best documents of each term give them."""
    sums: dict[int, float] = dict.fromkeys(exact, 0.0)
    covers: dict[int, float] = {}
    held: dict[int, int] = {}
    for one in asked:
        if one.postings is None:
            continue
        rows, weights, gain, taken = one.postings.rows, one.postings.weights, one.idf * (K1 + 1), 0
        counts = one.parts is None
        for at in one.postings.best:
            row = rows[at]
            if allowed is not None and row not in allowed:
                continue
            weight = weights[at]
            sums[row] = sums.get(row, 0.0) + gain * weight / (K1 + weight)
            if counts:
                covers[row] = covers.get(row, 0.0) + one.idf
                held[row] = held.get(row, 0) + 1
            taken += 1
            if taken == POSTINGS:
                break
    mass = sum(one.idf for one in asked if one.parts is None) or 1.0
    words = sum(one.parts is None for one in asked)
    return {row: (held.get(row, 0) < words, -total * (1 + covers.get(row, 0.0) / mass)) for row, total in sums.items()}


def score(
    row: int, exact: bool, asked: Sequence[Asked], verbs: Collection[str], postings: Postings, *, kin: bool = True
) -> Scored:
    """All that the document of ROW gets: every posting is looked up, whether or not its list was cut."""
    total = held = mass = related = 0.0
    terms: list[str] = []
    through: set[str] = set()
    for one in asked:
        if one.parts is not None and one.postings is not None and one.postings.weight(row):
            through.update(one.parts)
    for one in asked:
        weight = one.postings.weight(row) if one.postings is not None else 0.0
        total += one.idf * saturated(weight)
        if one.parts is not None:
            continue
        mass += one.idf
        if weight or one.term in through:
            held += one.idf
            terms.append(one.term)
        elif kin:
            related += _kin(one.term, row, postings)
    covered = bool(terms) and held == mass
    coverage = held / mass if mass else 0.0
    verb = postings.verbs(row)
    clash = bool(verbs and verb and not verb & set(verbs))
    value = (total + KIN * related) * (1 + coverage) * (CLASH if clash else 1.0)
    return Scored(row, exact, covered, total, related, coverage, clash, tuple(terms), value)


def saturated(weight: float) -> float:
    return (K1 + 1) * weight / (K1 + weight)


def _kin(term: str, row: int, postings: Postings) -> float:
    """The most that a word of TERM's families gives the document."""
    most = 0.0
    for other in families().get(term, ()):
        found = postings.get(other)
        if found is not None and (weight := found.weight(row)):
            most = max(most, idf(len(found), postings.size) * saturated(weight))
    return most


def is_weak(best: Scored, size: int) -> bool:
    """Whether the best match is poor: neither exact nor covering, and little of the query's weight is in it."""
    return not best.exact and not best.covered and best.bm25f * sqrt(best.coverage) < WEAK * idf(1, size)


def verb_classes(words: Collection[str]) -> frozenset[str]:
    """The classes of the verbs among WORDS, which are terms."""
    known = _verbs()
    return frozenset(known[word] for word in words if word in known)


@lru_cache(maxsize=65_536)
def name_verbs(name: str) -> frozenset[str]:
    """The class of the verb in a tool's name: its first word that is one. Empty where none is."""
    known = _verbs()
    for token in tokens(name):
        if token.joins == 0 and token.term in known:
            return frozenset((known[token.term],))
    return frozenset()


@cache
def _verbs() -> Mapping[str, str]:
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
