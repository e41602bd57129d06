"""Why a tool stands where it stands: each word of the query, what it gave, and the fields that it was found in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.search import documents, ranking
from mcpexpose.search import query as queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.search.postings import Postings


@dataclass(frozen=True, slots=True)
class TermShare:
    """What one term of the query gave."""

    term: str
    idf: float
    gain: float
    """Its part of the BM25F sum."""
    fields: tuple[str, ...]
    """Of `documents.FIELDS`, those that hold it; none for an operator's synonym."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one tool was ranked for one query."""

    score: float
    exact: bool
    covered: bool
    bm25f: float
    kin: float
    """What related words gave where the query's own were missing, already made a tenth."""
    coverage: float
    clash: bool
    shares: tuple[TermShare, ...]
    """Of the terms that it holds, in the query's order; identifiers as a whole last."""
    missing: tuple[str, ...]


def explain(text: str, row: int, definition: Mapping[str, Any], postings: Postings) -> Explanation:
    """How the document of ROW, made from DEFINITION, was ranked for TEXT, which is a query that can be searched."""
    query = queries.parse(text, postings)
    asked = ranking.ask(query, postings)
    exact = (row,) if any(row in postings.named(name) for name in query.names) else ()
    (found,), met = ranking.scores((row,), exact, asked, query.words, postings)
    got = ranking.Scored._make(found)
    held = {field: {token.term for token in tokens} for field, tokens in documents.of(definition).items()}
    shares = []
    for one in asked:
        if one.postings is not None and (share := one.postings.shares((row,))[0]):
            fields = tuple(field for field in documents.FIELDS if one.term in held.get(field, ()))
            shares.append(TermShare(one.term, one.idf, one.idf * share, fields))
    missing = tuple(term for term, holds in met if not holds[0])
    return Explanation(
        got.score,
        got.exact,
        got.covered,
        got.bm25f,
        ranking.KIN * got.kin,
        got.coverage,
        got.clash,
        tuple(shares),
        missing,
    )
