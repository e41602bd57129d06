"""One search of a session: checks what a model sent, ranks within its pool, and says why nothing was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.answer import Match, Ranking
from mcpexpose.surface.declarations import LIMIT_MAX, QUERY_MAX

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.answer import SearchReason


@dataclass(frozen=True, slots=True)
class Reach:
    """Which rows a search may give: the profile's, of the servers that are there."""

    rows: frozenset[int]
    allowed: frozenset[int] | None
    """The same for an engine; None where it is the whole plan."""
    outside: frozenset[int]
    """Rows of servers that are there, which the profile does not reach."""

    @classmethod
    def of(cls, there: Iterable[int], pool: frozenset[int], size: int) -> Reach:
        """Of the rows THERE, in a plan of SIZE rows, those in the profile's POOL."""
        every = frozenset(there)
        rows = every & pool
        return cls(rows, None if len(rows) == size else rows, every - rows)


def refused_query(query: Any, limit: Any) -> SearchReason:
    """Why what the model sent is no search; "" where it is one. Nothing is coerced."""
    if not isinstance(query, str) or not query.strip():
        return "search-query-empty"
    if len(query) > QUERY_MAX:
        return "search-query-too-long"
    return "" if limit is None or _whole(limit) is not None else "search-limit-invalid"


def effective_limit(limit: Any, default: int) -> int:
    """A limit that `refused_query` let pass, cut to 20; DEFAULT for None."""
    return min(_whole(limit) or default, LIMIT_MAX)


def _whole(limit: Any) -> int | None:
    """LIMIT as a positive whole number, 5.0 among them since JSON has no other 5; None for anything else."""
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return None
    if isinstance(limit, float) and not (math.isfinite(limit) and limit.is_integer()):
        return None
    return int(limit) if limit >= 1 else None


def rank(plan: HostPlan, query: str, limit: int, reach: Reach) -> Ranking:
    """The ranking among the rows in reach; where it is empty, the reason knows of those outside and of freshness."""
    ranking = plan.search(query, limit, reach.allowed)
    if ranking.hits or ranking.reason not in ("", "nothing-matched"):
        return ranking
    return Ranking((), ranking.terms, False, _why_nothing(plan, query, reach), 0)


def _why_nothing(plan: HostPlan, query: str, reach: Reach) -> SearchReason:
    if reach.outside and plan.search(query, 1, reach.outside).hits:
        return "outside-profile"
    if any(plan.freshness(server).state != "fresh" for server in {plan.plan.tools[row].server for row in reach.rows}):
        return "not-fresh"
    return "nothing-matched"


def matches(plan: HostPlan, ranking: Ranking, declared: Container[int]) -> tuple[Match, ...]:
    """The hits as a host sees them. Raises BundleRefused where a definition was changed."""
    found = []
    for hit in ranking.hits:
        tool = plan.plan.tools[hit.row]
        found.append(
            Match(
                tool=tool,
                score=hit.score,
                revision=plan.servers[tool.server].revision,
                declared=hit.row in declared,
                fresh=plan.freshness(tool.server).state == "fresh",
                weak=ranking.weak,
                definition=plan.definition(hit.row),
            )
        )
    return tuple(found)
