"""The documents of each word: what a ranking reads, whichever engine holds them, and how they are made."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from math import sqrt
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
SYNONYM_SHARE = 0.8
"""What an operator's synonym counts of the word that stands there."""


class TermPostings:
    """The documents of one word, by row, and what the word gives in those that it weighs most in."""

    __slots__ = ("_best", "_bits", "_filtered", "_head", "rows", "weights")

    def __init__(
        self,
        rows: Sequence[int],
        weights: Sequence[float],
        best: Sequence[int] | None = None,
        bits: bytes | None = None,
    ) -> None:
        """ROWS ascend; WEIGHTS are theirs; BEST are the positions of the first POSTINGS by falling weight, then row.

        BITS, for a word of many documents, has the bit of each row set (`bits_of`), so that most look-ups end there.
        """
        self.rows = rows
        self.weights = weights
        self._best = best
        self._bits = bits
        self._head: dict[int, float] | None = None
        self._filtered: tuple[frozenset[int], dict[int, float]] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def best(self) -> Sequence[int]:
        """Positions in `rows` of the POSTINGS documents that the word weighs most in, best first, then by row."""
        if self._best is None:
            weights = self.weights
            self._best = sorted(range(len(weights)), key=lambda n: -weights[n])[:POSTINGS]
        return self._best

    def head(self, allowed: Container[int] | None = None) -> Mapping[int, float]:
        """The POSTINGS allowed documents that the word weighs most in, best first, with what it gives in each."""
        if allowed is None:
            if self._head is None:
                self._head = self._shares(self.best)
            return self._head
        # A session asks with one and the same set again and again; only what cannot change is known by its identity.
        if self._filtered is not None and self._filtered[0] is allowed:
            return self._filtered[1]
        rows, weights = self.rows, self.weights
        kept = [at for at in self.best if rows[at] in allowed]
        if len(kept) < POSTINGS < len(rows):
            kept = [at for at in range(len(rows)) if rows[at] in allowed]
            kept.sort(key=lambda at: -weights[at])
        made = self._shares(kept[:POSTINGS])
        if type(allowed) is frozenset:
            self._filtered = (allowed, made)
        return made

    def shares(self, rows: Sequence[int]) -> list[float]:
        """What the word gives in each of ROWS: 0 where it is not in it. Nothing is cut here."""
        if len(self.rows) <= POSTINGS:
            head = self.head()
            return [head.get(row, 0.0) for row in rows]
        own, weights, bits = self.rows, self.weights, self._bits
        if bits is None:
            self._bits = bits = bits_of(own)
        most = len(bits) << 3
        found = [0.0] * len(rows)
        for n in [n for n, row in enumerate(rows) if row < most and bits[row >> 3] >> (row & 7) & 1]:
            at = bisect_left(own, rows[n])
            if at < len(own) and own[at] == rows[n]:
                weight = weights[at]
                found[n] = (K1 + 1) * weight / (K1 + weight)
        return found

    def _shares(self, positions: Iterable[int]) -> dict[int, float]:
        rows, weights = self.rows, self.weights
        return {rows[at]: (K1 + 1) * weight / (K1 + weight) for at in positions for weight in (weights[at],)}


def bits_of(rows: Sequence[int]) -> bytes:
    """A bit for each row up to the last of ROWS, which ascend; bit N is bit N % 8 of byte N // 8."""
    bits = bytearray((rows[-1] >> 3) + 1)
    for row in rows:
        bits[row >> 3] |= 1 << (row & 7)
    return bytes(bits)


class Postings(Protocol):
    """What an engine has to offer to `ranking.rank`."""

    @property
    def size(self) -> int:
        """Documents of the plan, in every profile."""

    def get(self, term: str) -> TermPostings | None:
        """The documents of TERM; None where no document has it."""

    def __contains__(self, term: object, /) -> bool:
        """Whether a document has TERM."""

    def named(self, key: str) -> Sequence[int]:
        """Rows of the tools whose name, alias or server/name has this `analysis.name_key`, ascending."""

    def verbs(self, row: int) -> frozenset[str]:
        """The class of the verb in the tool's name (`kinship.name_verbs`); empty where it has none."""

    def verb(self, term: str) -> str | None:
        """The class of a term that is a verb."""

    def kin(self, term: str) -> Sequence[str]:
        """Terms of the same families; of those that no document has, some may be left out."""


def invert(
    definitions: Iterable[Mapping[str, Any]], synonyms: Mapping[str, Sequence[str]]
) -> Mapping[str, TermPostings]:
    """Every term with its documents, sorted by term. A document's number is its place in DEFINITIONS.

    A weight is the word's frequency over all fields, each counted by its weight and made smaller by the field's length
    against the mean of that field (BM25F); it is rounded to a 32-bit float, as every engine keeps it. Words of SYNONYMS
    hold both ways, and only where the whole phrase of the other side stands in a field.
    """
    texts = [documents.of(definition) for definition in definitions]
    lengths = dict.fromkeys(documents.FIELDS, 0)
    holders = dict.fromkeys(documents.FIELDS, 0)
    for fields in texts:
        for field, tokens in fields.items():
            lengths[field] += _length(tokens)
            holders[field] += 1
    means = {field: lengths[field] / holders[field] for field in documents.FIELDS if holders[field]}
    phrases = _phrases(synonyms)
    found: dict[str, tuple[list[int], list[float]]] = {}
    for row, fields in enumerate(texts):
        for term, weight in _weights(fields, means, phrases).items():
            rows, weights = found.setdefault(term, ([], []))
            rows.append(row)
            weights.append(weight)
    return {term: TermPostings(found[term][0], array("f", found[term][1])) for term in sorted(found)}


def _length(tokens: Sequence[Token]) -> int:
    return sum(token.joins == 0 for token in tokens)


def _weights(
    fields: Mapping[str, Sequence[Token]], means: Mapping[str, float], phrases: Sequence[tuple[tuple[str, ...], ...]]
) -> dict[str, float]:
    total: dict[str, float] = {}
    for field, tokens in fields.items():
        share = documents.WEIGHTS[field] / (1 - B + B * _length(tokens) / means[field])
        counts: dict[str, float] = {}
        for token in tokens:
            if token.term:
                counts[token.term] = counts.get(token.term, 0) + 1
        if phrases:
            for term in _synonyms(tokens, phrases):
                counts.setdefault(term, SYNONYM_SHARE)
        for term, count in counts.items():
            total[term] = total.get(term, 0.0) + share * sqrt(count)
    return total


def _phrases(synonyms: Mapping[str, Sequence[str]]) -> list[tuple[tuple[str, ...], ...]]:
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
        """Rows, ascending, of each `analysis.name_key` of a name, an alias or server/name."""
        keys: dict[str, str] = {}
        for row, (server, name, alias) in enumerate(tools):
            if server not in keys:
                keys[server] = name_key(server)
            bare = name_key(name)
            spelled = {bare, keys[server] + bare}
            if alias != f"{server}__{name}":
                spelled.add(name_key(alias))
            for key in spelled:
                self.by_key.setdefault(key, []).append(row)

    def rows(self, key: str) -> Sequence[int]:
        """Rows of the tools whose name, alias or server/name has KEY (`analysis.name_key`), ascending."""
        return self.by_key.get(key, ())
