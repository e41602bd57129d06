"""What request 1 declares, by row: the one place that decides it, for a host's plan and for previews alike."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from mcpexpose.surface.prompt import prompt_section

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from mcpexpose.surface.planned import Planned


def first_rows(planned: Planned, profile: str | None, selected: Iterable[int] = ()) -> tuple[int, ...]:
    """Rows declared from request 1, sorted by alias: direct ones, the profile's default tools, and SELECTED.

    What the profile does not reach is not among them, selected or not.
    """
    chosen = {*planned.direct(), *planned.defaults(profile), *selected}
    pool = planned.pool(profile)
    reached = chosen.intersection(pool) if profile is not None else chosen
    return tuple(sorted(reached, key=planned.alias))


def has_search(planned: Planned, profile: str | None, declared: Container[int]) -> bool:
    """Whether the search tool is declared: where the profile reaches a tool that request 1 does not declare."""
    return any(row not in declared for row in planned.pool(profile))


def servers_section(planned: Planned, profile: str | None, declared: Container[int], away: Container[str] = ()) -> str:
    """The prompt section: a line for each server with a reachable tool that request 1 does not declare.

    Servers that are AWAY have none.
    """
    pool = planned.pool(profile)
    return prompt_section(
        (server, summary)
        for server, summary, rows in planned.servers()
        if server not in away and any(row not in declared for row in _within(pool, rows))
    )


def _within(pool: Sequence[int], rows: range) -> Iterable[int]:
    """Those of ROWS that are in POOL, which ascends."""
    if isinstance(pool, range):
        return rows
    return pool[bisect_left(pool, rows.start) : bisect_left(pool, rows.stop)]
