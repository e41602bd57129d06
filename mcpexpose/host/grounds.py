"""What a plan means for one session: its profile, what that reaches, what request 1 declares. Exchanged as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.names import ToolId
from mcpexpose.model.records import dataclass
from mcpexpose.surface import request

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    def after(self, plan: HostPlan, profile: str | None, selected: Iterable[str]) -> tuple[Grounds, tuple[str, ...]]:
        """The same session's grounds in a plan that took over, and the tools that it declares directly and this one
        did not: they are appended to what was found, so that the list of tools stays a stable prefix (G13).

        Raises SelectionRefused for a profile that PLAN does not have.
        """
        pool = pool_of(plan, profile)
        chosen = [row for name in selected if (row := plan.row(ToolId(*name.partition("/")[::2]))) is not None]
        wanted = request.first_rows(plan.rows, profile, [row for row in chosen if row in pool])
        before = [plan.row(self.plan.rows.id(row)) for row in self.first]
        kept = tuple(row for row in before if row is not None and row in pool)
        added = tuple(str(plan.rows.id(row)) for row in wanted if row not in kept)
        has_search = self.has_search or request.has_search(plan.rows, profile, frozenset(kept))
        return Grounds(plan, profile, pool, kept, has_search), added

    @property
    def unattended(self) -> bool:
        """Whether the profile is one of runs that nobody watches. Raises BundleRefused where plan.json was changed."""
        return self.plan.rows.unattended(self.profile)

    def rows(self, names: Iterable[str]) -> list[int | None]:
        """Rows of `server/tool` names; None for one that this plan or profile does not give."""
        rows: list[int | None] = []
        for name in names:
            row = self.plan.row(ToolId(*name.partition("/")[::2]))
            rows.append(row if row in self.pool else None)
        return rows


def pool_of(plan: HostPlan, profile: str | None) -> range | frozenset[int]:
    """Rows that the profile reaches. Raises SelectionRefused for a profile that the plan does not have."""
    pool = plan.rows.pool(profile)
    return pool if isinstance(pool, range) else frozenset(pool)
