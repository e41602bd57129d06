"""One run of a model over a plan: what it is told, what it found, what it may inspect and call. Only adds (F06)."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from mcpexpose.host import finder, record
from mcpexpose.host.grounds import Grounds, pool_of, rows_of
from mcpexpose.host.selection import STATE_VERSION, SessionState, read_state, select
from mcpexpose.model.answer import Answer
from mcpexpose.model.errors import SelectionRefused
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Exposure
from mcpexpose.model.records import replace
from mcpexpose.model.text import shown
from mcpexpose.surface import request
from mcpexpose.surface.answers import answer_text, nothing_text
from mcpexpose.surface.declarations import declaration, search_tool
from mcpexpose.surface.refusals import audit_unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.host.gate import Handles, Located, Named
    from mcpexpose.host.inspector import Inspection, Refused
    from mcpexpose.host.ledger import Bound, Settlement
    from mcpexpose.host.outcome import Approve, Decision, Outcome, Reduce, Through
    from mcpexpose.host.plan import HostPlan
    from mcpexpose.surface.answers import Form


class Session:
    """Made by `HostPlan.session`. May be used by several threads; a fork is another session from this one's state."""

    def __init__(
        self,
        plan: HostPlan,
        *,
        profile: str | None = None,
        tools: Iterable[str | ToolId] | None = None,
        run_id: str | None = None,
        route: str | None = None,
        state: Mapping[str, Any] | None = None,
        answer_only: bool = False,
    ) -> None:
        earlier = read_state(state) if state is not None else None
        if profile is None and earlier:
            profile = earlier.profile
        self._lock = threading.Lock()
        self._reached: tuple[HostPlan, tuple[str, ...], finder.Reach] | None = None
        self._handles: Handles | None = None
        pool = pool_of(plan, profile)
        chosen = select(plan, pool, profile, tools or ())
        activated = earlier.activated if earlier else ()
        search_after = None
        selected = tuple(sorted(str(plan.rows.id(row)) for row in chosen))
        if earlier and tools is None:
            selected = earlier.selected
        if earlier and tools is None and earlier.first is not None and profile == earlier.profile:
            first, search = earlier.first, earlier.has_search
            self._grounds, added = Grounds.following(plan, profile, selected, first, has_search=search)
            search_after = _search_after(earlier, self._grounds)
            activated = tuple(dict.fromkeys((*activated, *added)))
        else:
            self._grounds = Grounds.of(plan, profile, rows_of(plan, pool, selected))
            first = tuple(str(plan.rows.id(row)) for row in self._grounds.first)
        self._state = SessionState(
            version=STATE_VERSION,
            run_id=run_id or (earlier.run_id if earlier else os.urandom(16).hex()),
            route=route if route is not None or earlier is None else earlier.route,
            profile=profile,
            answer_only=answer_only or (earlier is not None and earlier.answer_only),
            selected=selected,
            activated=activated,
            unavailable=earlier.unavailable if earlier else (),
            first=first,
            has_search=self._grounds.has_search,
            search_after=search_after,
        )
        plan.runtime.keep(record.event("load", plan, self._state, "ok"))

    @property
    def plan(self) -> HostPlan:
        """The plan that this session goes by. A reload does not change it; a recompile of the runtime does."""
        return self.grounds.plan

    @property
    def grounds(self) -> Grounds:
        """What the plan means for this session; of the plan's successor as soon as there is one."""
        grounds = self._grounds
        newest = grounds.plan.newest
        if newest is grounds.plan:
            return grounds
        with self._lock:
            if self._grounds.plan is not newest:
                try:
                    state = self._state
                    first, search = state.first or (), state.has_search
                    after, added = Grounds.following(newest, state.profile, state.selected, first, has_search=search)
                except SelectionRefused:  # its profile is gone: the old plan stays, and its changed server stale
                    return self._grounds
                known = tuple(dict.fromkeys((*state.activated, *added)))
                at = _search_after(state, after)
                self._state = replace(state, activated=known, has_search=after.has_search, search_after=at)
                self._grounds = after
            return self._grounds

    @property
    def handles(self) -> Handles:
        """The inspections that are good for a call."""
        from mcpexpose.host.gate import Handles

        with self._lock:
            if self._handles is None:
                self._handles = Handles()
            return self._handles

    @property
    def remembered(self) -> SessionState:
        """What `state` gives, as a value."""
        return self._state

    @property
    def unattended(self) -> bool:
        """Whether nobody can be asked: what needs an approval is refused."""
        return self.grounds.unattended

    @property
    def profile(self) -> str | None:
        """The kind of task; None reaches every tool of the plan."""
        return self._state.profile

    @property
    def run_id(self) -> str:
        """The host's word for the run, or 32 hexadecimal digits; stands in events."""
        return self._state.run_id

    @property
    def route(self) -> str | None:
        """By which gateway or model's route the run goes; recorded, and grants nothing (G17)."""
        return self._state.route

    @property
    def missing(self) -> tuple[str, ...]:
        """Tools, as `server/tool`, that the state names and that this plan or profile does not give; not declared."""
        state = self._state
        names = (*state.selected, *state.activated)
        return tuple(name for name, row in zip(names, self.grounds.rows(names), strict=True) if row is None)

    def set_available(self, server: str, available: bool) -> None:
        """Says whether a server is there. One that is not leaves search, the prompt section and the next request.

        All servers are taken to be there until somebody says otherwise; a server that the plan does not know is noted
        for the plan that does.
        """
        with self._lock:
            away = set(self._state.unavailable)
            (away.discard if available else away.add)(server)
            self._state = replace(self._state, unavailable=tuple(sorted(away)))

    def declared(self) -> list[dict[str, Any]]:
        """The definitions for the next request: the search tool, those of request 1 by alias, then what was found. A
        search tool that only a later plan has use for stands where it came.

        Raises BundleRefused where a definition was changed on disk.
        """
        grounds, first, found = self.declared_rows()
        made = [declaration(grounds.plan.definition(row)) for row in (*first, *found)]
        if grounds.has_search:
            at = 0
            if (after := self._state.search_after) is not None:
                earlier = replace(self._state, activated=self._state.activated[:after])
                at = len(first) + len(_there(grounds, earlier, _activated(grounds, earlier)))
            made.insert(at, search_tool(grounds.plan.rows.search.limit))
        return made

    def declared_rows(self) -> tuple[Grounds, list[int], list[int]]:
        """What the next request declares, as rows of the plan that it goes by: those of request 1 by alias, then what
        was found, in its order.
        """
        grounds, state = self.grounds, self._state
        return grounds, _there(grounds, state, grounds.first), _there(grounds, state, _activated(grounds, state))

    def prompt_section(self) -> str:
        """The `# MCP servers` section for the system prompt; "" where no server has tools to be searched for.

        What searches activate changes nothing in it, so it stays the same from request to request.
        """
        grounds, away = self.grounds, frozenset(self._state.unavailable)
        return request.servers_section(grounds.plan.rows, grounds.profile, frozenset(grounds.first), away)

    def find_tools(self, query: str, limit: int | None = None, form: Form = "full", *, activate: bool = True) -> Answer:
        """Answers a model's search, and declares the deferred tools that it found from the next request on.

        What a model may get wrong (no words, too many, a limit that is none) is answered with its reason and is no
        exception. FORM "compact" gives small descriptors for a host that goes through `inspect`; without ACTIVATE, or
        in an answer-only session, nothing is declared. Raises BundleRefused where index or definitions were changed.
        """
        clock = record.Clock()
        grounds = self.grounds
        plan = grounds.plan
        if reason := finder.refused_query(query, limit):
            plan.runtime.keep(record.event("search", plan, self._state, reason, clock, candidates=0))
            return Answer(nothing_text(reason), (), (), reason, False)
        reach = self._reach(grounds, self._state)
        ranking = finder.rank(plan, query, finder.effective_limit(limit, plan.rows.search.limit), reach)
        with self._lock:
            declared = frozenset(grounds.first) | set(_activated(grounds, self._state))
            matches = finder.matches(plan, ranking, declared)
            added: list[str] = []
            if activate and not self._state.answer_only:
                new = [match.tool for match in matches if not match.declared]
                added = [tool.alias for tool in new if tool.exposure is Exposure.DEFERRED]
                known = (*self._state.activated, *(str(tool.id) for tool in new))
                self._state = replace(self._state, activated=tuple(dict.fromkeys(known)))
        text = answer_text(matches, added, ranking.reason, ranking.weak, form)
        reason = ranking.reason if not matches else ""
        total = max(ranking.total, len(matches))
        plan.runtime.keep(record.event("search", plan, self._state, reason or "ok", clock, candidates=total))
        return Answer(text, matches, tuple(added), reason, ranking.weak)

    def lookup(self, alias: str) -> ToolId | None:
        """The (server, tool) that a model calls ALIAS; None where the plan has none. An alias is never taken apart."""
        plan = self.plan
        row = plan.row_of_alias(alias)
        return None if row is None else plan.rows.id(row)

    def inspect(self, server: str, tool: str) -> Inspection | Refused:
        """The whole definition of one tool at the plan's revision, or one refusal for all that there is not (G03).

        What it gives is the handle that a call takes. Raises BundleRefused where the definition was changed on disk.
        """
        from mcpexpose.host import inspector

        clock = record.Clock()
        grounds = self.grounds
        plan = grounds.plan
        found: Inspection | Refused
        named = ToolId(str(server), str(tool))
        row = plan.row(named) if isinstance(server, str) and isinstance(tool, str) else None
        if row is None or server in self._state.unavailable:
            found = inspector.unknown_tool(str(server), str(tool))
        elif row not in grounds.pool:
            found = inspector.outside_profile(server, tool)
        else:
            found = inspector.inspect(plan, row)
            self.handles.issue(found)
        outcome = found.outcome if isinstance(found, inspector.Refused) else "ok"
        plan.runtime.keep(record.of_tool("inspect", plan, self._state, named, outcome, clock))
        return found

    def check(self, tool: Named, arguments: Mapping[str, Any] | str | bytes) -> Decision:
        """Whether a call may be made now: Allow, Ask, or Refuse with the first reason that there is (G06).

        TOOL is what `inspect` gave, or a pair (server, tool) for the session's live inspection of it; ARGUMENTS are an
        object, or its JSON as the model wrote it. Arguments that do not fit void the inspection. Nothing is sent and no
        approval is used up. May take a second where a schema holds patterns that are slow to match.
        """
        from mcpexpose.host import gate, inspector, outcome

        clock = record.Clock()
        decision = self._decided(tool, arguments)
        named, plan = gate.tool_of(tool), self.plan
        event = record.of_tool("check", plan, self._state, named, decision.outcome, clock)
        kept = plan.runtime.keep(event, effects=record.has_effects(plan, named))
        if isinstance(decision, outcome.Allow) and not kept and record.has_effects(plan, named):
            text = audit_unavailable(named.server, named.name)
            return inspector.Refused("audit-unavailable", text, named.server, named.name, decision.revision)
        return decision

    def _decided(self, tool: Named, given: Mapping[str, Any] | str | bytes) -> Decision:
        from mcpexpose.host import gate, inspector

        located = self.locate(tool)
        if isinstance(located, inspector.Refused):
            return located
        arguments = gate.read(located, given)
        refused = arguments if isinstance(arguments, inspector.Refused) else gate.fit(located, arguments)
        if refused is not None:
            self.void(refused)
            return refused
        assert not isinstance(arguments, inspector.Refused)
        return gate.decide(located, arguments, self.plan.runtime.ledger, unattended=self.unattended)

    async def call(
        self,
        tool: Named,
        arguments: Mapping[str, Any] | str | bytes,
        *,
        approve: Approve | None = None,
        through: Through | None = None,
        reduce: Reduce | None = None,
    ) -> Outcome:
        """Check, send once, judge the result: Completed, Failed, Unknown, Quarantined or Refused. Never tries again.

        APPROVE is asked where somebody has to say yes and nobody did; THROUGH carries the call in place of the
        runtime's connections; REDUCE shortens a valid result. `text` of what it gives is for the model. The limit is
        the plan's `tool_timeout_sec` for the server, anew with each progress that the server reports. Where the task is
        cancelled, a call that may change something stays open until it is settled. Needs asyncio.
        """
        from mcpexpose.host.calls import call

        return await call(self, tool, arguments, approve, through, reduce)

    def approve(self, tool: Named, arguments: Mapping[str, Any] | str | bytes) -> bool:
        """Give one approval of exactly this call; False where it needs none. It is used once, by whichever process.

        Raises SelectionRefused where the session has no such tool or the arguments are no JSON object, and
        LedgerUnavailable.
        """
        located, bound = self._bound(tool, arguments)
        if located.runs_by_itself:
            return False
        runtime = self.plan.runtime
        runtime.ledger.grant(bound, self.run_id, runtime.now())
        event = record.of_tool("approve", self.plan, self._state, located.tool.id, "granted")
        runtime.keep(event, effects=located.effects)
        return True

    def settle(self, tool: Named, arguments: Mapping[str, Any] | str | bytes, outcome: Settlement) -> bool:
        """Say what became of a call whose completion was unknown; False where no such call is open (G11).

        Raises ValueError for another OUTCOME, SelectionRefused where the session has no such tool, and
        LedgerUnavailable.
        """
        if outcome not in ("completed", "not-completed"):  # it stands in the events
            raise ValueError("a call is settled as completed or not-completed")
        located, bound = self._bound(tool, arguments)
        done = self.plan.runtime.ledger.settle(bound.key) is not None
        if done:
            event = record.of_tool("settle", self.plan, self._state, located.tool.id, outcome)
            self.plan.runtime.keep(event, effects=True)
        return done

    def locate(self, tool: Named) -> Located | Refused:
        """The tool, where a call of it is not refused already whatever its arguments are."""
        from mcpexpose.host import gate

        return gate.locate(self.grounds, self._state.unavailable, self.handles, tool)

    def void(self, refused: Refused) -> None:
        """After invalid arguments the definition has to be inspected again before the next call (G09)."""
        if refused.reason == "invalid-arguments":
            self.handles.void(ToolId(refused.server, refused.tool))

    def _bound(self, tool: Named, given: Mapping[str, Any] | str | bytes) -> tuple[Located, Bound]:
        from mcpexpose.host import gate, inspector

        grounds, named = self.grounds, gate.tool_of(tool)
        row = grounds.plan.row(named)
        if row is None or row not in grounds.pool:
            raise SelectionRefused(f'the session has no tool "{shown(str(named), 200)}"')
        located = gate.Located(grounds, row, grounds.plan.tool(row), grounds.plan.servers[named.server])
        arguments = gate.read(located, given)
        if isinstance(arguments, inspector.Refused):
            raise SelectionRefused(f"the arguments are not valid; wanted: {arguments.wanted}")
        return located, located.bound(arguments)

    def state(self) -> dict[str, Any]:
        """What `HostPlan.session(state=…)` needs to resume this session, or to fork it: a JSON value, no secrets."""
        return self._state.to_json()

    def _reach(self, grounds: Grounds, state: SessionState) -> finder.Reach:
        """Kept from search to search, since it changes only when a server comes or goes."""
        kept = self._reached
        if kept is None or kept[0] is not grounds.plan or kept[1] != state.unavailable:
            reach = finder.Reach(grounds.plan.rows, grounds.pool, frozenset(state.unavailable))
            kept = (grounds.plan, state.unavailable, reach)
            self._reached = kept
        return kept[2]


def _search_after(state: SessionState, grounds: Grounds) -> int | None:
    """Where the search tool stands once GROUNDS follow STATE."""
    return len(state.activated) if grounds.has_search and not state.has_search else state.search_after


def _activated(grounds: Grounds, state: SessionState) -> list[int]:
    first = frozenset(grounds.first)
    # Each once, whatever a host kept: a request that declares a name twice is refused by providers.
    rows = dict.fromkeys(grounds.rows(state.activated))
    return [row for row in rows if row is not None and row not in first]


def _there(grounds: Grounds, state: SessionState, rows: Iterable[int]) -> list[int]:
    away = frozenset(state.unavailable)
    return [row for row in rows if grounds.plan.rows.server_of(row) not in away]
