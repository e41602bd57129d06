"""What a plan means for one session: its profile, what that reaches, what request 1 declares. Exchanged as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.model.names import ToolId
from mcpexpose.surface import view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.plan import PlannedProfile


@dataclass(frozen=True, slots=True)
class Grounds:
    """Rows are of this plan and of no other."""

    plan: HostPlan
    profile: PlannedProfile | None
    pool: frozenset[int]
    """Rows that the profile reaches."""
    first: tuple[int, ...]
    """Rows declared from request 1, in the order of declaration."""
    has_search: bool

    @classmethod
    def of(cls, plan: HostPlan, profile: str | None, selected: Iterable[int] = ()) -> Grounds:
        """Raises SelectionRefused for a profile that the plan does not have."""
        found = view.find_profile(plan.plan, profile)
        first = view.first_rows(plan.plan, found, selected)
        has_search = view.has_search(plan.plan, found, frozenset(first))
        return cls(plan, found, frozenset(view.reachable(plan.plan, found)), first, has_search)

    def after(self, plan: HostPlan, profile: str | None, selected: Iterable[str]) -> tuple[Grounds, tuple[str, ...]]:
        """The same session's grounds in a plan that took over, and the tools that it declares directly and this one
        did not: they are appended to what was found, so that the list of tools stays a stable prefix (G13).

        Raises SelectionRefused for a profile that PLAN does not have.
        """
        found = view.find_profile(plan.plan, profile)
        pool = frozenset(view.reachable(plan.plan, found))
        chosen = [row for name in selected if (row := plan.row(ToolId(*name.partition("/")[::2]))) is not None]
        wanted = view.first_rows(plan.plan, found, [row for row in chosen if row in pool])
        before = [plan.row(self.plan.plan.tools[row].id) for row in self.first]
        kept = tuple(row for row in before if row is not None and row in pool)
        added = tuple(str(plan.plan.tools[row].id) for row in wanted if row not in kept)
        has_search = self.has_search or view.has_search(plan.plan, found, frozenset(kept))
        return Grounds(plan, found, pool, kept, has_search), added

    def rows(self, names: Iterable[str]) -> list[int | None]:
        """Rows of `server/tool` names; None for one that this plan or profile does not give."""
        rows: list[int | None] = []
        for name in names:
            row = self.plan.row(ToolId(*name.partition("/")[::2]))
            rows.append(row if row in self.pool else None)
        return rows
