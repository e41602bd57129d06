"""The documents of each word: what a ranking reads, whichever engine holds them, and how they are made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from math import log, sqrt
from typing import TYPE_CHECKING, Any, Protocol

from mcpexpose.search import documents
from mcpexpose.search.analysis import Token, name_key, terms

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

K1 = 1.5
"""How soon a word that stands there more often counts no more."""
POSTINGS = 400
"""Documents of one word that are looked at: those that it weighs most in, of the ones that are allowed."""
B = 0.5
"""How far a field's length counts against it: 0 not at all, 1 in full."""
MOST = 3
"""Times that a word counts in one field: what is said again and again is no better told."""
SYNONYM_SHARE = 0.8
"""What an operator's synonym counts of the word that stands there."""


class TermPostings(ABC):
    """The documents of one word: what it gives in those that it weighs most in, and in any that is asked for."""

    __slots__ = ("_filtered",)

    def __init__(self) -> None:
        self._filtered: tuple[frozenset[int], Mapping[int, float]] | None = None

    @abstractmethod
    def __len__(self) -> int:
        """Documents."""

    @abstractmethod
    def best(self) -> Mapping[int, float]:
        """The POSTINGS documents that the word weighs most in, with what it gives in each; best first, then by row."""

    @abstractmethod
    def listed(self) -> tuple[Sequence[int], Sequence[float]]:
        """Every document, ascending, and the word's weight in each."""

    @abstractmethod
    def hits(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        """Where in ROWS documents of the word stand, with what it gives in each. Nothing is cut here."""

    def shares(self, rows: Sequence[int]) -> list[float]:
        """What the word gives in each of ROWS: 0 where it is not in it."""
        found = [0.0] * len(rows)
        for n, share in self.hits(rows):
            found[n] = share
        return found

    def head(self, allowed: Container[int] | None = None) -> Mapping[int, float]:
        """As `best`, of the documents that are ALLOWED; all are for None."""
        if allowed is None:
            return self.best()
        # A session asks with one and the same set again and again; only what cannot change is known by its identity.
        if self._filtered is not None and self._filtered[0] is allowed:
            return self._filtered[1]
        made = {row: share for row, share in self.best().items() if row in allowed}
        if len(made) < POSTINGS < len(self):
            rows, weights = self.listed()
            made = best_of([(row, weight) for row, weight in zip(rows, weights, strict=True) if row in allowed])
        if type(allowed) is frozenset:
            self._filtered = (allowed, made)
        return made


class Listed(TermPostings):
    """The documents of a word as two lists."""

    __slots__ = ("_best", "_bits", "_rows", "_weights")

    def __init__(self, rows: Sequence[int], weights: Sequence[float]) -> None:
        """ROWS ascend; WEIGHTS are theirs."""
        super().__init__()
        self._rows = rows
        self._weights = weights
        self._best: Mapping[int, float] | None = None
        self._bits: bytes | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def best(self) -> Mapping[int, float]:
        if self._best is None:
            self._best = best_of(list(zip(self._rows, self._weights, strict=True)))
        return self._best

    def listed(self) -> tuple[Sequence[int], Sequence[float]]:
        return self._rows, self._weights

    def hits(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        if len(self._rows) <= POSTINGS:
            best = self.best()
            return [(n, best[row]) for n, row in enumerate(rows) if row in best]
        if self._bits is None:
            self._bits = bits_of(self._rows)
        own, weights = self._rows, self._weights
        return [(n, share(weights[bisect_left(own, rows[n])])) for n in held(rows, self._bits)]


def share(weight: float) -> float:
    """What a word of that weight gives in a document, before its rareness multiplies it."""
    return (K1 + 1) * weight / (K1 + weight)


def best_of(listed: list[tuple[int, float]]) -> dict[int, float]:
    """Of (row, weight) by row, the POSTINGS of the greatest weight, as `TermPostings.best` gives them. Sorts LISTED."""
    listed.sort(key=lambda pair: -pair[1])
    return {row: (K1 + 1) * weight / (K1 + weight) for row, weight in listed[:POSTINGS]}


def bits_of(rows: Sequence[int]) -> bytes:
    """A bit for each row up to the last of ROWS, which ascend; bit N is bit N % 8 of byte N // 8."""
    bits = bytearray((rows[-1] >> 3) + 1)
    for row in rows:
        bits[row >> 3] |= 1 << (row & 7)
    return bytes(bits)


def held(rows: Sequence[int], bits: bytes) -> list[int]:
    """Positions of those of ROWS whose bit is set."""
    most = len(bits) << 3
    return [n for n, row in enumerate(rows) if row < most and bits[row >> 3] >> (row & 7) & 1]


class Postings(Protocol):
    """What an engine has to offer to `ranking.rank`."""

    @property
    def size(self) -> int:
        """Documents of the plan, in every profile."""

    def get(self, term: str) -> TermPostings | None:
        """The documents of TERM; None where no document has it."""

    def __contains__(self, term: object, /) -> bool:
        """Whether a document has TERM."""

    def begins(self, start: str) -> bool:
        """Whether a term may begin with START (`stemming.start`); False is certain."""

    def named(self, key: str) -> Sequence[int]:
        """Rows of the tools whose name, alias or server/name has this `analysis.name_key`, ascending; for a name behind
        a blank, those that are called just so, where there are other spellings of it."""

    def verbs(self, rows: Sequence[int]) -> list[str]:
        """For each of ROWS the class of the verb in the tool's name (`kinship.name_verb`); "" where it has none."""

    def verb(self, term: str) -> str:
        """The class of a term that is a verb; "" for another one."""

    def kin(self, term: str, rows: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Where in ROWS documents hold a word of TERM's families, with the most that such a word gives there."""


def idf(holders: int, size: int) -> float:
    """How rare a term is that HOLDERS of SIZE documents have; above 0."""
    return log(1 + (size - holders + 0.5) / (holders + 0.5))


def invert(
    definitions: Iterable[Mapping[str, Any]], synonyms: Mapping[str, Sequence[str]]
) -> Mapping[str, TermPostings]:
    """Every term with its documents, sorted by term. A document's number is its place in DEFINITIONS.

    A weight is the word's frequency over all fields, each counted by its weight and made smaller by the field's length
    against the mean of that field (BM25F); it is rounded to a 32-bit float, as every engine keeps it. Words of SYNONYMS
    hold both ways, and only where the whole phrase of the other side stands in a field.
    """
    texts = [documents.of(definition) for definition in definitions]
    means = mean_lengths(texts)
    phrases = phrases_of(synonyms)
    found: dict[str, tuple[list[int], list[float]]] = {}
    for row, fields in enumerate(texts):
        for term, weight in _weights(fields, means, phrases).items():
            rows, weights = found.setdefault(term, ([], []))
            rows.append(row)
            weights.append(weight)
    return {term: Listed(found[term][0], array("f", found[term][1])) for term in sorted(found)}


def mean_lengths(texts: Iterable[Mapping[str, Sequence[Token]]]) -> Mapping[str, float]:
    """Words of each field, in the mean over the documents that have it; TEXTS are what `documents.of` gave."""
    lengths = dict.fromkeys(documents.FIELDS, 0)
    holders = dict.fromkeys(documents.FIELDS, 0)
    for fields in texts:
        for field, tokens in fields.items():
            lengths[field] += length(tokens)
            holders[field] += 1
    return {field: lengths[field] / holders[field] for field in documents.FIELDS if holders[field]}


def length(tokens: Sequence[Token]) -> int:
    """Words of a field, stop words among them; neither identifiers as a whole nor single characters of pairs."""
    return sum(token.joins == 0 for token in tokens)


def _weights(
    fields: Mapping[str, Sequence[Token]], means: Mapping[str, float], phrases: Sequence[tuple[tuple[str, ...], ...]]
) -> dict[str, float]:
    total: dict[str, float] = {}
    for field, tokens in fields.items():
        whole = field_weight(field, length(tokens), means)
        for term, count in counts(tokens, phrases).items():
            total[term] = total.get(term, 0.0) + whole * sqrt(min(count, MOST))
    return total


def field_weight(field: str, words: int, means: Mapping[str, float]) -> float:
    """What a word that stands once in FIELD of so many WORDS weighs there."""
    return documents.WEIGHTS[field] / (1 - B + B * words / means[field])


def counts(tokens: Sequence[Token], phrases: Sequence[tuple[tuple[str, ...], ...]]) -> dict[str, float]:
    """How often each term stands in a field; SYNONYM_SHARE where only an operator's synonym of it does."""
    found: dict[str, float] = {}
    for token in tokens:
        if token.term:
            found[token.term] = found.get(token.term, 0) + 1
    if phrases:
        for term in _synonyms(tokens, phrases):
            found.setdefault(term, SYNONYM_SHARE)
    return found


def phrases_of(synonyms: Mapping[str, Sequence[str]]) -> list[tuple[tuple[str, ...], ...]]:
    """Each entry as pairs (what stands in a text, what it counts as), both ways."""
    pairs: dict[tuple[tuple[str, ...], tuple[str, ...]], None] = {}
    for key in sorted(synonyms):
        said = tuple(terms(key))
        for value in synonyms[key]:
            written = tuple(terms(value))
            if said and written:
                pairs[written, said] = None
                pairs[said, written] = None
    return list(pairs)


def _synonyms(tokens: Sequence[Token], phrases: Sequence[tuple[tuple[str, ...], ...]]) -> Iterator[str]:
    words = [token.term for token in tokens if token.joins == 0 and token.term]
    held = set(words)
    for written, said in phrases:
        if held.issuperset(written) and any(
            tuple(words[n : n + len(written)]) == written for n in range(len(words) - len(written) + 1)
        ):
            yield from said


class Names:
    """The names of a plan's tools: which rows a name stands for."""

    def __init__(self, tools: Iterable[tuple[str, str, str]]) -> None:
        """TOOLS are (server, name, alias), by row."""
        self.by_key: dict[str, list[int]] = {}
        """Rows, ascending, of each `analysis.name_key` of a name, an alias or server/name; and of a name as it is
        spelled, behind a blank, where another one has the same key."""
        keys: dict[str, str] = {}
        spellings: dict[str, dict[str, list[int]]] = {}
        for row, (server, name, alias) in enumerate(tools):
            if server not in keys:
                keys[server] = name_key(server)
            bare = name_key(name)
            spelled = {bare, keys[server] + bare}
            if alias != f"{server}__{name}":
                spelled.add(name_key(alias))
            for key in spelled:
                self.by_key.setdefault(key, []).append(row)
            spellings.setdefault(bare, {}).setdefault(name, []).append(row)
        for names in spellings.values():
            if len(names) > 1:
                self.by_key.update((f" {name}", rows) for name, rows in names.items())

    def rows(self, key: str) -> Sequence[int]:
        """Rows of the tools whose name, alias or server/name has KEY (`analysis.name_key`), ascending."""
        return self.by_key.get(key, ())
