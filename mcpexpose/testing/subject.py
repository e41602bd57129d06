"""What tests are held against: a plan as a host holds it, and, where it was compiled here, all that is not in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from mcpexpose.host import finder
from mcpexpose.model.policy import Exposure, PolicyState, SideEffect
from mcpexpose.model.text import shown
from mcpexpose.surface.declarations import LIMIT_MAX
from mcpexpose.surface.request import first_rows
from mcpexpose.surface.view import view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.answer import Ranking
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import PlannedProfile, PlannedTool, ToolDecision
    from mcpexpose.surface.view import View


@dataclass(frozen=True)
class Subject:
    """A plan, its name for people, and what is known beside it."""

    plan: HostPlan
    name: str
    decisions: Mapping[ToolId, ToolDecision] | None = None
    """Of every captured tool; None for a bundle, which does not know what it leaves out."""
    configured: Mapping[str, str] = field(default_factory=dict)
    """Server of the config to why it has no tools: "is switched off" …; "" where it has."""

    @cached_property
    def planned(self) -> Mapping[ToolId, PlannedTool]:
        """The tools of the plan, sorted."""
        return {tool.id: tool for tool in self.plan.plan.tools}

    @property
    def known(self) -> Mapping[ToolId, object]:
        """Every tool that a name or pattern may mean, sorted."""
        return self.planned if self.decisions is None else self.decisions

    @property
    def servers(self) -> Mapping[str, str]:
        """Every server that a name may mean; as `configured`."""
        return self.configured or dict.fromkeys(self.plan.servers, "")

    @cached_property
    def profiles(self) -> tuple[str, ...]:
        return self.plan.profiles

    def under(self, profile: str | None) -> Reached:
        """The plan as a session of PROFILE meets it. Raises SelectionRefused for one that there is not."""
        if profile not in self._reached:
            self._reached[profile] = Reached(self, profile)
        return self._reached[profile]

    @cached_property
    def _reached(self) -> dict[str | None, Reached]:
        return {}


class Reached:
    """A plan under one profile: what is declared, what is in reach, what a search gives."""

    def __init__(self, subject: Subject, profile: str | None) -> None:
        self.subject = subject
        self.profile = profile
        rows = subject.plan.rows
        self._pool = rows.pool(profile)
        ids = tuple(subject.planned)
        self.tools = frozenset(ids[row] for row in self._pool)
        """What a model under this profile sees or may find."""
        self.declared = frozenset(ids[row] for row in first_rows(rows, profile))
        """What request 1 tells."""
        self._ids = ids
        self._rankings: dict[str, Ranking] = {}

    def ranking(self, query: str) -> Ranking:
        """The 20 matches that a model may ask for at most; a smaller limit gives the first of them."""
        if query not in self._rankings:
            self._rankings[query] = finder.rank(self.subject.plan, query, LIMIT_MAX, self._reach)
        return self._rankings[query]

    def ranks(self, query: str) -> Mapping[ToolId, tuple[int, tuple[str, ...]]]:
        """Rank and held words of every tool that matches at all, for explanations."""
        plan = self.subject.plan
        hits = plan.search(query, max(len(self._ids), 1), self._reach.allowed).hits
        return {self._ids[hit.row]: (rank, hit.terms) for rank, hit in enumerate(hits, 1)}

    def tool(self, row: int) -> ToolId:
        return self._ids[row]

    @cached_property
    def view(self) -> View:
        """Request 1."""
        return view(self.subject.plan.plan, self.subject.plan.definition, self.profile)

    def briefly(self, tool: ToolId) -> str:
        """How a model stands to TOOL, in a word or two."""
        if tool in self.declared:
            return "direct"
        if tool in self.tools:
            return "deferred"
        if tool in self.subject.planned:
            return "out of reach"
        decision = (self.subject.decisions or {}).get(tool)
        if decision is None:
            return "not in the plan"
        return "denied" if decision.policy_state is PolicyState.DENIED else decision.left_out_by or "hidden"

    def state(self, tool: ToolId) -> str:
        """How a model stands to TOOL, to follow its name: "is deferred", "is denied by …"."""
        if tool in self.declared:
            return "is told in request 1"
        if tool in self.tools:
            return "is deferred, to be found and not told in request 1"
        if tool in self.subject.planned:
            return f"is out of reach of profile {shown(self.profile or '', 80)} for {self._outside(tool)}"
        decision = (self.subject.decisions or {}).get(tool)
        if decision is None:
            return "is not in the plan"
        if decision.left_out_by:
            return f"is left out of the plan by {decision.left_out_by}"
        why = next((each.key for each in decision.because if each.axis == "exposure"), "")
        by = f" by {shown(why, 120)}" if why else ""
        if decision.policy_state is PolicyState.DENIED:
            why = next((each.key for each in decision.because if each.axis == "policy_state"), why)
            return f"is denied by {shown(why, 120)}" if why else "is denied"
        return f"is hidden{by}" if decision.exposure is Exposure.HIDDEN else "is not in the plan"

    def _outside(self, tool: ToolId) -> str:
        """Whether its groups or its class keep a tool from the profile."""
        planned = self.subject.planned[tool]
        profile: PlannedProfile = next(each for each in self.subject.plan.plan.profiles if each.name == self.profile)
        if profile.groups is not None and not set(profile.groups) & set(planned.groups):
            return "its groups"
        return f"its class, {SideEffect(planned.side_effect).value}"

    @cached_property
    def _reach(self) -> finder.Reach:
        pool = self._pool
        return finder.Reach(self.subject.plan.rows, pool if isinstance(pool, range) else frozenset(pool))
