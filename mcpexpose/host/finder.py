"""One search of a session: checks what a model sent, ranks within its pool, and says why nothing was found."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcpexpose.model.answer import Match, Ranking
from mcpexpose.surface.declarations import LIMIT_MAX, QUERY_MAX

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.answer import SearchReason
    from mcpexpose.surface.planned import Planned


class Reach:
    """Which rows a search may give: the profile's, of the servers that are there."""

    def __init__(self, rows: Planned, pool: Sequence[int] | frozenset[int], away: Container[str] = ()) -> None:
        """POOL are the rows of the profile, a range for all of them; AWAY are servers that are not there."""
        self._pool = pool
        self._servers = [(server, span) for server, _, span in rows.servers() if server not in away] if away else None
        self._rows = rows

    @cached_property
    def allowed(self) -> frozenset[int] | None:
        """The rows, for an engine; None where it is the whole plan."""
        if self._servers is None:
            return None if isinstance(self._pool, range) else frozenset(self._pool)
        pool = self._pool
        return frozenset(row for _, span in self._servers for row in span if row in pool)

    @cached_property
    def outside(self) -> frozenset[int]:
        """Rows of servers that are there, which the profile does not reach."""
        if isinstance(self._pool, range):
            return frozenset()
        pool = self._pool
        return frozenset(row for _, span in self._there() for row in span if row not in pool)

    def servers(self) -> list[str]:
        """Those with a row in reach."""
        allowed = self.allowed
        return [server for server, span in self._there() if allowed is None or any(row in allowed for row in span)]

    def _there(self) -> list[tuple[str, range]]:
        return [(server, span) for server, _, span in self._rows.servers()] if self._servers is None else self._servers


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
    if any(plan.freshness(server).state != "fresh" for server in reach.servers()):
        return "not-fresh"
    return "nothing-matched"


def matches(plan: HostPlan, ranking: Ranking, declared: Container[int]) -> tuple[Match, ...]:
    """The hits as a host sees them. Raises BundleRefused where a definition was changed."""
    found = []
    for hit in ranking.hits:
        tool = plan.tool(hit.row)
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
