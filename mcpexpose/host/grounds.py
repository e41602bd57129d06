"""What a plan means for one session: its profile, what that reaches, what request 1 declares. Exchanged as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.names import ToolId
from mcpexpose.model.records import dataclass
from mcpexpose.surface import request

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from mcpexpose.host.plan import HostPlan


@dataclass(frozen=True, slots=True)
class Grounds:
    """Rows are of this plan and of no other."""

    plan: HostPlan
    profile: str | None
    pool: range | frozenset[int]
    """Rows that the profile reaches; a range for all of them."""
    first: tuple[int, ...]
    """Rows declared from request 1, in the order of declaration."""
    has_search: bool

    @classmethod
    def of(cls, plan: HostPlan, profile: str | None, selected: Iterable[int] = ()) -> Grounds:
        """Raises SelectionRefused for a profile that the plan does not have."""
        pool = pool_of(plan, profile)
        first = request.first_rows(plan.rows, profile, selected)
        return cls(plan, profile, pool, first, request.has_search(plan.rows, profile, frozenset(first)))

    @classmethod
    def following(
        cls, plan: HostPlan, profile: str | None, selected: Iterable[str], first: Iterable[str], *, has_search: bool
    ) -> tuple[Grounds, tuple[str, ...]]:
        """The grounds in PLAN of a session that began with another one and declared FIRST from request 1, and the tools
        that PLAN declares directly and the session did not: they are appended to what was found, so that the list of
        tools stays a stable prefix (G13). SELECTED is the host's choice; HAS_SEARCH: the search tool was declared.

        Raises SelectionRefused for a profile that PLAN does not have.
        """
        pool = pool_of(plan, profile)
        wanted = request.first_rows(plan.rows, profile, rows_of(plan, pool, selected))
        kept = tuple(dict.fromkeys(rows_of(plan, pool, first)))
        added = tuple(str(plan.rows.id(row)) for row in wanted if row not in kept)
        has_search = has_search or request.has_search(plan.rows, profile, frozenset(kept))
        return cls(plan, profile, pool, kept, has_search), added

    @property
    def unattended(self) -> bool:
        """Whether the profile is one of runs that nobody watches. Raises BundleRefused where plan.json was changed."""
        return self.plan.rows.unattended(self.profile)

    def rows(self, names: Iterable[str]) -> list[int | None]:
        """Rows of `server/tool` names; None for one that this plan or profile does not give."""
        rows = (self.plan.row(ToolId(*name.partition("/")[::2])) for name in names)
        return [row if row in self.pool else None for row in rows]


def pool_of(plan: HostPlan, profile: str | None) -> range | frozenset[int]:
    """Rows that the profile reaches. Raises SelectionRefused for a profile that the plan does not have."""
    pool = plan.rows.pool(profile)
    return pool if isinstance(pool, range) else frozenset(pool)


def rows_of(plan: HostPlan, pool: Container[int], names: Iterable[str]) -> list[int]:
    """Those of NAMES, `server/tool`, that are in POOL."""
    rows = (plan.row(ToolId(*name.partition("/")[::2])) for name in names)
    return [row for row in rows if row is not None and row in pool]
