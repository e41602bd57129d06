"""The ranking: a pure function over the documents of each word, the same for every engine.

Sort keys, in order: an exact name, as it is spelled before other spellings; every word covered; BM25F × (1 + coverage),
× .85 where the verbs clash; the row, which is the order of (server, tool).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from mcpexpose.model.answer import Hit, Ranking
from mcpexpose.model.records import dataclass
from mcpexpose.search import query as queries
from mcpexpose.search.analysis import has_words
from mcpexpose.search.postings import idf
from mcpexpose.search.versions import RANKING_VERSION as RANKING_VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence

    from mcpexpose.model.plan import MinMatch
    from mcpexpose.search.postings import Postings, TermPostings

RESCORED = 50
"""Of the best candidates, how many are scored again with all that is known of them."""
CLASH = 0.85
KIN = 0.1
"""What a word of the same family counts where the query's own word is missing."""
_PAIRED = 4
"""Terms up to which each is held against each other one: of more it is cheaper to gather them."""
WEAK = 1.4
"""A best match is weak where its score is under this many times the idf of a word of one document. The most that a
query of one such word can give is (K1 + 1) × 2 times that idf; so the bound goes with the number of tools as scores do.
Of the tenths it is the highest at which withholding weak answers loses no more than .02 of recall@5, in the mean over
sources of queries and sizes of the plan: tests/benchmarks/weak.py."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One term of a query, with its documents."""

    term: str
    idf: float
    postings: TermPostings | None
    parts: tuple[str, ...] | None
    """Of an identifier as a whole, the words that it covers where it is met; None: a word."""


def rank(
    text: str,
    limit: int | None,
    postings: Postings,
    allowed: Container[int] | None = None,
    *,
    min_match: MinMatch = 0.0,
) -> Ranking:
    """The LIMIT best documents for TEXT, of those ALLOWED; scores do not hang on which are. None: no limit, all rows.

    Where the best of them names no tool and scores less than MIN_MATCH, there is none; for "weak", where it is weak.
    """
    if len(text) > queries.MAX_QUERY:
        return Ranking((), (), False, "search-query-too-long", 0)
    if not has_words(queries.bounded(text)):
        return Ranking((), (), False, "search-query-empty", 0)
    query = queries.parse(text, postings)
    asked = ask(query, postings)
    exact = {row for row in queries.named(query, postings.named) if allowed is None or row in allowed}
    chosen, total = _candidates(asked, allowed, exact, None if limit is None else max(limit, RESCORED))
    found, met = scores(chosen[:RESCORED], exact, asked, query.words, postings)
    places = {row: n for n, row in enumerate(chosen)}
    found.sort()
    if len(exact) > 1:
        spelled = {row for name in query.spelled for row in postings.named(f" {name}")}.intersection(exact)
        found.sort(key=lambda one: one[3] not in spelled)
    if limit is None or limit > RESCORED:
        more, more_met = scores(chosen[RESCORED:], exact, asked, query.words, postings, kin=False)
        found += more
        met = [(term, [*holds, *rest]) for (term, holds), (_, rest) in zip(met, more_met, strict=True)]
    terms = tuple(one.term for one in asked if one.parts is None)
    if not found:
        return Ranking((), terms, False, "nothing-matched", 0)
    best = Scored._make(found[0])
    weak = is_weak(best, postings.size)
    if weak if isinstance(min_match, str) else not best.exact and best.score < min_match:
        return Ranking((), terms, False, "below-min-match", total)
    hits = tuple(
        Hit(row, -score, not other, not partial, tuple([term for term, holds in met if holds[places[row]]]))
        for other, partial, score, row, *_ in found[:limit]
    )
    return Ranking(hits, terms, weak, "", total)


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


def _candidates(
    asked: Sequence[Asked], allowed: Container[int] | None, exact: Collection[int], most: int | None
) -> tuple[list[int], int]:
    """The MOST best documents by what the best ones of each term give, and how many there are in all."""
    heads = [_Head(one.postings.head(allowed), one.idf, one.parts is None) for one in asked if one.postings is not None]
    mass = sum(one.idf for one in asked if one.parts is None) or 1.0
    words = sum(one.parts is None for one in asked)
    ordered, left_out, reached = _decisive(heads, mass, words, most)
    several = _shared(ordered, left_out)
    several.update(exact)
    found: list[tuple[bool, bool, float, int]] = []
    again = 0
    lists = [(head.shares.get, head.idf, head.counts) for head in ordered]
    for row in several:
        total = covers = 0.0
        held, times = 0, -1
        for get, rare, counts in lists:
            if share := get(row):
                times += 1
                total += rare * share
                if counts:
                    covers += rare
                    held += 1
        again += times
        value = total * (1 + covers / mass)
        if value >= reached or held == words or row in exact:
            found.append((row not in exact, held < words, -value, row))
    for shares, rare, counts in ordered[left_out:]:
        # What one term alone gives stands among its like as it stands among that term's best: the first ones will do.
        factor = rare * (1 + rare / mass) if counts else rare
        partial = not counts or words > 1
        left = len(shares) if most is None else most
        for row, share in shares.items():
            if row not in several:
                if factor * share < reached:
                    break
                found.append((True, partial, -factor * share, row))
                left -= 1
                if not left:
                    break
    found.sort()
    chosen = [row for _, _, _, row in found[:most]]
    if left_out > 1:  # what only they share was not counted
        return chosen, len(set(exact).union(*[head.shares for head in heads]))
    return chosen, sum(len(head.shares) for head in heads) - again


def _shared(ordered: Sequence[_Head], left_out: int) -> set[int]:
    """The documents of one term that are another one's too, but for those that only the first LEFT_OUT share."""
    several: set[int] = set()
    if len(ordered) <= _PAIRED:
        for n in range(left_out, len(ordered)):
            one = ordered[n].shares.keys()
            for other in (*ordered[:left_out], *ordered[n + 1 :]):
                several.update(one & other.shares.keys())
        return several
    seen = set().union(*[head.shares for head in ordered[:left_out]])
    for shares, _, _ in ordered[left_out:]:
        several.update(seen.intersection(shares))
        seen.update(shares)
    return several


class _Head(NamedTuple):
    """The best documents of one term."""

    shares: Mapping[int, float]
    idf: float
    counts: bool
    """Whether it is a word, and no identifier."""


def _decisive(heads: list[_Head], mass: float, words: int, most: int | None) -> tuple[list[_Head], int, float]:
    """The terms by rising gain; how many of the first a document may be looked for without, having another one, too;
    and what MOST documents reach by one term alone: less is not among the MOST best, unless it covers the query.

    What holds only terms that together give less cannot come before those. A document that holds every word comes
    before all scores, so not all words may be left out.
    """
    if most is None:
        return heads, 0, 0.0
    reached = 0.0
    for shares, rare, counts in heads:
        if len(shares) >= most:
            share = next(islice(shares.values(), most - 1, None))
            reached = max(reached, share * (rare * (1 + rare / mass) if counts else rare))
    ordered = sorted(heads, key=_gain)
    total = covers = 0.0
    for n, head in enumerate(ordered):
        total += _gain(head)
        covers += head.idf if head.counts else 0.0
        words -= head.counts
        if total * (1 + covers / mass) >= reached or not words:
            return ordered, n, reached
    return ordered, max(0, len(ordered) - 1), reached


def _gain(head: _Head) -> float:
    """The most that the term gives a document."""
    return next(iter(head.shares.values()), 0.0) * head.idf


class Scored(NamedTuple):
    """What one document gets; they sort as they are ranked."""

    other: bool
    """No word of the query names it."""
    partial: bool
    """A word of the query is not in it."""
    negative: float
    """Less than 0 by its score."""
    row: int
    bm25f: float
    """The sum over the query's terms, before anything multiplies it."""
    kin: float
    coverage: float
    """The idf-weighted share of the query's words that it holds, 0 to 1."""
    clash: bool
    """Its verb is of another class than the query's."""

    @property
    def exact(self) -> bool:
        return not self.other

    @property
    def covered(self) -> bool:
        return not self.partial

    @property
    def score(self) -> float:
        return -self.negative


Row = tuple[bool, bool, float, int, float, float, float, bool]
"""The fields of a `Scored`, since fifty of them are made for ten."""


def scores(
    rows: Sequence[int],
    exact: Collection[int],
    asked: Sequence[Asked],
    words: Collection[str],
    postings: Postings,
    *,
    kin: bool = True,
) -> tuple[list[Row], list[tuple[str, Sequence[float | bool]]]]:
    """All that the documents of ROWS get: every posting is looked up, whether or not its list was cut.

    Beside it, for each word of the query, by document, whether it holds it.
    """
    columns = [one.postings.shares(rows) if one.postings is not None else None for one in asked]
    met = _met(rows, asked, columns)
    totals = [0.0] * len(rows)
    covers = [0.0] * len(rows)
    related = [0.0] * len(rows)
    mass = 0.0
    for one, column, holds in zip(asked, columns, met, strict=True):
        idf = one.idf
        if column is not None:
            totals = [total + idf * share for total, share in zip(totals, column, strict=True)]
        if holds is not None:
            mass += idf
            covers = [cover + idf if holding else cover for cover, holding in zip(covers, holds, strict=True)]
            if kin:
                _add_kin(related, rows, holds, one.term, postings)
    factors = _factors(rows, words, postings)
    found = []
    for row, total, cover, kindred, factor in zip(rows, totals, covers, related, factors, strict=True):
        coverage = cover / mass if mass else 0.0
        value = -(total + KIN * kindred) * (1 + coverage) * factor
        found.append((row not in exact, not cover or cover != mass, value, row, total, kindred, coverage, factor != 1))
    return found, [(one.term, holds) for one, holds in zip(asked, met, strict=True) if holds is not None]


def _factors(rows: Sequence[int], words: Collection[str], postings: Postings) -> Sequence[float]:
    """CLASH for each document whose verb is of another class than those of WORDS, else 1."""
    verbs = {verb for word in words if (verb := postings.verb(word))}
    if not verbs:
        return (1.0,) * len(rows)
    verbs.add("")
    return [1.0 if verb in verbs else CLASH for verb in postings.verbs(rows)]


def _met(
    rows: Sequence[int], asked: Sequence[Asked], columns: Sequence[Sequence[float] | None]
) -> list[Sequence[float | bool] | None]:
    """For each word, by document, whether it holds it, alone or through an identifier; None for an identifier."""
    met: list[Sequence[float | bool] | None] = [
        None if one.parts is not None else column or (False,) * len(rows)
        for one, column in zip(asked, columns, strict=True)
    ]
    for whole, through in zip(asked, columns, strict=True):
        if whole.parts is not None and through is not None and any(through):
            for n, one in enumerate(asked):
                before = met[n]
                if before is not None and one.term in whole.parts:
                    met[n] = [bool(alone or joined) for alone, joined in zip(before, through, strict=True)]
    return met


def _add_kin(
    related: list[float], rows: Sequence[int], holds: Sequence[float | bool], term: str, postings: Postings
) -> None:
    """Where a document does not hold TERM, the most that a word of its families gives there is added."""
    without = [n for n, held in enumerate(holds) if not held]
    if without:
        for n, gain in postings.kin(term, [rows[n] for n in without]):
            related[without[n]] += gain


def is_weak(best: Scored, size: int) -> bool:
    """Whether the best match is poor: neither exact nor covering, and of a low score."""
    return not best.exact and not best.covered and best.score < weak_under(size)


def weak_under(size: int) -> float:
    """The score that the best match of a plan of SIZE tools needs, lest it be weak."""
    return WEAK * idf(1, size)
