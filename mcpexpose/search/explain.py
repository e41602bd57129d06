"""Why a tool stands where it stands: what became of the query, and each word's part of a score, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from mcpexpose.search import documents, kinship, ranking
from mcpexpose.search import query as queries
from mcpexpose.search.analysis import name_key
from mcpexpose.search.postings import MOST, counts, field_weight, idf, length, mean_lengths, phrases_of, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcpexpose.search.postings import Postings


class Term(NamedTuple):
    """A term that is looked up."""

    term: str
    tools: int
    """That hold it."""
    idf: float
    parts: tuple[str, ...] | None = None
    """Of an identifier as a whole, the words that it covers; None: a word."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a query asks for, once it is analysed."""

    steps: tuple[queries.Step, ...]
    """Its words in order, dropped ones among them."""
    terms: tuple[Term, ...]
    """What is looked up; identifiers as a whole last."""
    left: tuple[str, ...]
    """Terms beyond the `query.MAX_WORDS` rarest, which are not looked up."""
    verbs: tuple[str, ...]
    """Classes of its verbs, by the name of each class."""

    @property
    def written(self) -> dict[str, str]:
        """How a term was written, where it is one word as it stands in the query."""
        return {step.terms[0]: step.word for step in reversed(self.steps) if step.how == "kept"}

    @property
    def mass(self) -> float:
        """The idf of all its words: what coverage is a share of."""
        return sum(term.idf for term in self.terms if term.parts is None)


@dataclass(frozen=True, slots=True)
class FieldShare:
    """What a term gives in one field of a tool."""

    field: str
    weight: float
    """Of the field, before its length counts."""
    times: float
    """That it stands there; `postings.SYNONYM_SHARE` where an operator's synonym does."""
    words: int
    """Of the field."""
    mean: float
    """Words of this field in the mean over all tools that have it."""
    gain: float
    """Its part of the term's gain."""
    synonym: bool


@dataclass(frozen=True, slots=True)
class TermShare:
    """What one term of the query gives in a tool."""

    term: str
    idf: float
    gain: float
    """Its part of the BM25F sum: the sum over its fields."""
    fields: tuple[FieldShare, ...]


@dataclass(frozen=True, slots=True)
class KinShare:
    """What a word of the same family gives, where the query's own is missing."""

    term: str
    by: str
    gain: float
    """Already made a tenth."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one tool was ranked: score = (bm25f + kin) × (1 + coverage) × (`ranking.CLASH` where the verbs clash)."""

    score: float
    exact: bool
    covered: bool
    bm25f: float
    """The sum of the terms' gains."""
    kin: float
    """The sum of what related words gave."""
    coverage: float
    """The idf of the query's words that it holds, as a share of the mass."""
    clash: bool
    verb: str
    """The class of the verb in its name; "" where there is none."""
    shares: tuple[TermShare, ...]
    """Of the terms that it holds, in the query's order; identifiers as a whole last."""
    related: tuple[KinShare, ...]
    missing: tuple[str, ...]

    @property
    def key(self) -> tuple[bool, bool, float]:
        """What it is sorted by, before server and name; smaller comes first."""
        return (not self.exact, not self.covered, -self.score)


class Explainer:
    """Explains the ranking of one plan. Weights are taken from the definitions, gains from what the engine reads."""

    def __init__(
        self, postings: Postings, definitions: Sequence[Mapping[str, Any]], synonyms: Mapping[str, Sequence[str]]
    ) -> None:
        """DEFINITIONS are all lines of definitions.bin, by row: mean lengths of the fields are made from them."""
        self._postings = postings
        self._definitions = definitions
        self._phrases = phrases_of(synonyms)
        self._last: tuple[str, queries.Query, list[ranking.Asked], Asked] | None = None

    @cached_property
    def _means(self) -> Mapping[str, float]:
        return mean_lengths(documents.of(definition) for definition in self._definitions)

    def asked(self, text: str) -> Asked:
        """What becomes of TEXT, which is a query that can be searched."""
        return self._parsed(text)[2]

    def _parsed(self, text: str) -> tuple[queries.Query, list[ranking.Asked], Asked]:
        if self._last is None or self._last[0] != text:
            postings = self._postings
            query = queries.parse(text, postings)
            looked_up = ranking.ask(query, postings)
            terms = tuple(
                Term(one.term, len(one.postings) if one.postings else 0, one.idf, one.parts) for one in looked_up
            )
            kept = {term.term for term in terms}
            verbs = {verb: None for word in query.words if (verb := postings.verb(word))}
            asked = Asked(
                tuple(queries.steps(text, postings)),
                terms,
                tuple(word for word in query.words if word not in kept),
                tuple(verbs),
            )
            self._last = (text, query, looked_up, asked)
        return self._last[1:]

    def row(self, text: str, row: int, *, kin: bool = True) -> Explanation:
        """How the tool of ROW was ranked for TEXT; without KIN where it is not among the `ranking.RESCORED` best."""
        postings = self._postings
        query, asked, _ = self._parsed(text)
        exact = (row,) if row in queries.named(query, postings.named) else ()
        (found,), met = ranking.scores((row,), exact, asked, query.words, postings, kin=kin)
        got = ranking.Scored._make(found)
        fields = documents.of(self._definitions[row])
        shares = []
        for one in asked:
            gives = one.postings.shares((row,))[0] if one.postings is not None else 0.0
            if gives:
                shares.append(self._share(one.term, one.idf, one.idf * gives, fields))
        missing = tuple(term for term, holds in met if not holds[0])
        return Explanation(
            score=got.score,
            exact=got.exact,
            covered=got.covered,
            bm25f=got.bm25f,
            kin=ranking.KIN * got.kin,
            coverage=got.coverage,
            clash=got.clash,
            verb=postings.verbs((row,))[0],
            shares=tuple(shares),
            related=tuple(share for term in missing if (share := self._kin(term, row))) if kin else (),
            missing=missing,
        )

    def outsider(self, text: str, definition: Mapping[str, Any]) -> Explanation | None:
        """How a tool that is not in the plan would be ranked, by the plan's counts; None where nothing of it matches.

        Related words are left out. DEFINITION is as a line of definitions.bin.
        """
        query, looked_up, asked = self._parsed(text)
        fields = documents.of(definition)
        shares = []
        for one in looked_up:
            weight = sum(part for _, part, _, _ in self._parts(one.term, fields))
            if weight:
                shares.append(self._share(one.term, one.idf, one.idf * share(weight), fields))
        held = {one.term for one in shares}
        held.update(word for term in asked.terms if term.parts and term.term in held for word in term.parts)
        words = [term for term in asked.terms if term.parts is None]
        coverage = sum(term.idf for term in words if term.term in held) / (asked.mass or 1.0)
        server, name = str(definition.get("server", "")), str(definition.get("name", ""))
        keys = {name_key(name), name_key(server) + name_key(name), name_key(str(definition.get("alias") or name))}
        exact = -1 in queries.named(query, lambda key: (-1,) if key in keys else self._postings.named(key))
        if not shares and not exact:
            return None
        verb = kinship.name_verb(name)
        clash = bool(asked.verbs) and verb not in ("", *asked.verbs)
        bm25f = sum(one.gain for one in shares)
        score = bm25f * (1 + coverage) * (ranking.CLASH if clash else 1.0)
        missing = tuple(term.term for term in words if term.term not in held)
        covered = bool(words) and not missing
        return Explanation(score, exact, covered, bm25f, 0.0, coverage, clash, verb, tuple(shares), (), missing)

    def words_of(self, row: int, limit: int = 8) -> list[str]:
        """What the tool of ROW may be found by: words of its name first, then of the other fields by their weight."""
        words: dict[str, str] = {}
        fields = documents.of(self._definitions[row])
        for field in documents.FIELDS:
            for token in fields.get(field, ()):
                if token.term and token.joins == 0:
                    words.setdefault(token.term, token.word)
        return list(words.values())[:limit]

    def _parts(self, term: str, fields: Mapping[str, Any]) -> list[tuple[str, float, float, int]]:
        """(field, its part of the term's weight, times, words) of each field that holds TERM."""
        parts = []
        for field, tokens in fields.items():
            times = counts(tokens, self._phrases).get(term, 0)
            if times:
                words = length(tokens)
                weight = field_weight(field, words, {field: self._mean(field, words)})
                parts.append((field, weight * sqrt(min(times, MOST)), times, words))
        return parts

    def _mean(self, field: str, words: int) -> float:
        """Of a field that no tool of the plan has, the mean is that of the one at hand."""
        return self._means.get(field, float(max(words, 1)))

    def _share(self, term: str, rare: float, gain: float, fields: Mapping[str, Any]) -> TermShare:
        """GAIN saturates the sum over the fields; each gets the share of it that it has of the sum."""
        parts = self._parts(term, fields)
        weight = sum(part for _, part, _, _ in parts)
        shares = (
            FieldShare(
                field, documents.WEIGHTS[field], times, words, self._mean(field, words),
                gain * part / weight, times < 1,
            )
            for field, part, times, words in parts
        )  # fmt: skip
        return TermShare(term, rare, gain, tuple(sorted(shares, key=lambda one: -one.gain)))

    def _kin(self, term: str, row: int) -> KinShare | None:
        """The word of TERM's families that gives most in the tool of ROW."""
        best: KinShare | None = None
        for other in kinship.families().get(term, ()):
            found = self._postings.get(other)
            if found is not None and (gives := found.shares((row,))[0]):
                gain = ranking.KIN * idf(len(found), self._postings.size) * gives
                if best is None or gain > best.gain:
                    best = KinShare(term, other, gain)
        return best
