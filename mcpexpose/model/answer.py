"""What a search gives: ranked hits of an engine, and the answer that a model reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mcpexpose.model.plan import PlannedTool
from mcpexpose.model.records import dataclass

SearchReason = Literal[
    "",
    "search-query-empty",
    "search-query-too-long",
    "search-limit-invalid",
    "nothing-matched",
    "outside-profile",
    "not-fresh",
    "below-min-match",
]
"""Why there is no match; "" where there is one. The first three are refusals of the query itself."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked document."""

    row: int
    """Row of the tool in the plan."""
    score: float
    """The third sort key: BM25F x (1 + coverage), x .85 where verbs clash; printed with two decimals."""
    exact: bool
    """The first sort key: a word of the query names it."""
    covered: bool
    """The second: every word of the query is in it."""
    terms: tuple[str, ...]
    """The query's terms that it holds, after analysis, in the query's order."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """An engine's answer."""

    hits: tuple[Hit, ...]
    terms: tuple[str, ...]
    """The query after analysis, mended words in place of those that no document has."""
    weak: bool
    """The best match is poor."""
    reason: SearchReason
    total: int
    """How many of the allowed tools matched, whatever the limit; a lower bound where long postings were cut."""


@dataclass(frozen=True, slots=True)
class Match:
    """One entry of an answer, as a host sees it."""

    tool: PlannedTool
    score: float
    revision: str
    declared: bool
    """It was declared already, and is not activated again."""
    fresh: bool
    weak: bool
    definition: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `find_tools` returns: `.text` for the model, the rest for the host."""

    text: str
    matches: tuple[Match, ...]
    added: tuple[str, ...]
    """Aliases that are declared from the next request on, in order."""
    reason: SearchReason
    weak: bool
