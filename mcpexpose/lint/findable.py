"""The plan's tools as a search would find them, for rules: an index in memory, and what spares most of the searches.

Two facts of the ranking do that. A tool that the query names comes before those it does not name, and one that holds
every word of the query before those that lack one. So a tool asked for by its own words is behind no tool but those.
"""

from __future__ import annotations

from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING

from mcpexpose.lint.mentions import distinctive
from mcpexpose.search import query as queries
from mcpexpose.search.analysis import has_words
from mcpexpose.search.engine import over
from mcpexpose.search.index import inverted
from mcpexpose.search.postings import idf, share
from mcpexpose.search.ranking import KIN

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from mcpexpose.model.answer import Ranking
    from mcpexpose.model.plan import Compiled, Plan
    from mcpexpose.search.answering import Engine
    from mcpexpose.search.postings import TermPostings

ASKED = 200
"""Characters of a description that are asked for: as much as a model says of what it wants."""


class Findable:
    """One plan's search. Rows are those of `plan.tools`."""

    def __init__(self, compiled: Compiled) -> None:
        self.plan: Plan = compiled.plan
        self.terms: Mapping[str, TermPostings] = inverted(compiled.definitions, self.plan.search.synonyms)
        self._engine: Engine = over(self.terms, self.plan)
        self._holders: dict[str, frozenset[int]] = {}

    def words(self, row: int) -> str:
        """The beginning of the description in force, cut between words; "" where there are none to ask for."""
        text = self.plan.tools[row].description.strip()
        if len(text) > ASKED:
            text = text[:ASKED].rpartition(" ")[0] or text[:ASKED]
        # Whoever wants this tool does not name the others that its text points to.
        text = " ".join(word for word in text.split() if not self._points(word, row))
        return text if has_words(text) else ""

    def _points(self, word: str, row: int) -> bool:
        """Whether WORD of a text is the name of another tool."""
        bare = word.strip(".,;:!?()[]{}`'\"*")
        return distinctive(bare) and any(other != row for other in self._engine.named(bare))

    def search(self, query: str, limit: int, allowed: Container[int] | None = None) -> Ranking:
        """What find_tools ranks, of all rows or of those ALLOWED."""
        return self._engine.search(query, limit, allowed)

    def spelled(self, query: str) -> frozenset[int]:
        """The rows that QUERY names, as a whole or by one of its words."""
        return frozenset(queries.named(queries.parse(query, self.terms), self._engine.named))

    def first(self, query: str) -> int | None:
        """The row that a search for QUERY puts first; None where it finds nothing."""
        hits = self.search(query, 1).hits
        return hits[0].row if hits else None

    @cached_property
    def most(self) -> Sequence[float]:
        """By row, more than any query of words can score there: it holds all of them, the best ones that it has."""
        shares: list[list[float]] = [[] for _ in self.plan.tools]
        for found in self.terms.values():
            rare = idf(len(found), len(shares))
            rows, weights = found.listed()
            for row, weight in zip(rows, weights, strict=True):
                shares[row].append(rare * share(weight))
        # Single words and joined ones are looked up apart, and coverage doubles a score at most.
        return [2 * (1 + KIN) * sum(nlargest(2 * queries.MAX_WORDS, each)) for each in shares]

    @cached_property
    def asked(self) -> tuple[queries.Query, ...]:
        """By row, the analysed words of its description."""
        return tuple(queries.parse(self.words(row), self.terms) for row in range(len(self.plan.tools)))

    @cached_property
    def rivals(self) -> tuple[frozenset[int], ...]:
        """By row, the others that may come before it when its own words are asked for."""
        return tuple(self._rivals(row) for row in range(len(self.plan.tools)))

    def covers(self, row: int, other: int) -> bool:
        """Whether the tool of ROW holds every word of the description of OTHER."""
        return all(row in self._held(word) for word in self.asked[other].words)

    def _rivals(self, row: int) -> frozenset[int]:
        query = self.asked[row]
        holders = sorted((self._held(word) for word in query.words), key=len)
        both: frozenset[int] = holders[0] if holders else frozenset()
        for each in holders[1:]:
            if len(both) < 2:
                break
            both &= each
        return (both | queries.named(query, self._engine.named)) - {row}

    def _held(self, word: str) -> frozenset[int]:
        if word not in self._holders:
            found = self.terms.get(word)
            self._holders[word] = frozenset(found.listed()[0] if found else ())
        return self._holders[word]
