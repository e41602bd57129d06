"""One run of a model over a plan: what it is told, what it found, what it may inspect. Only ever adds (F06)."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.host import finder, inspector
from mcpexpose.host.selection import STATE_VERSION, SessionState, read_state, select
from mcpexpose.model.answer import Answer
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Exposure
from mcpexpose.surface import request
from mcpexpose.surface.answers import answer_text, nothing_text
from mcpexpose.surface.declarations import declaration, search_tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.host.inspector import Inspection, Refused
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
        self._plan = plan
        pool = plan.rows.pool(profile)
        self._pool = pool if isinstance(pool, range) else frozenset(pool)
        self._lock = threading.Lock()
        self._reached: tuple[tuple[str, ...], finder.Reach] | None = None
        chosen = select(plan, self._pool, profile, tools or ())
        kept = self._rows(earlier.selected) if earlier and tools is None else ()
        selected = chosen | {row for row in kept if row is not None}
        self._first = request.first_rows(plan.rows, profile, selected)
        self._has_search = request.has_search(plan.rows, profile, frozenset(self._first))
        self._state = SessionState(
            version=STATE_VERSION,
            run_id=run_id or (earlier.run_id if earlier else os.urandom(16).hex()),
            route=route if route is not None or earlier is None else earlier.route,
            profile=profile,
            answer_only=answer_only or (earlier is not None and earlier.answer_only),
            selected=earlier.selected
            if earlier and tools is None
            else tuple(sorted(str(plan.rows.id(row)) for row in chosen)),
            activated=earlier.activated if earlier else (),
            unavailable=earlier.unavailable if earlier else (),
        )

    @property
    def plan(self) -> HostPlan:
        """The plan that this session began with; a reload does not change it."""
        return self._plan

    @property
    def profile(self) -> str | None:
        return self._state.profile

    @property
    def run_id(self) -> str:
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
        return tuple(name for name, row in zip(names, self._rows(names), strict=True) if row is None)

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
        """The definitions for the next request: the search tool, those of request 1 by alias, then what was found.

        Raises BundleRefused where a definition was changed on disk.
        """
        state = self._state
        rows = self._there(state, (*self._first, *self._activated(state)))
        search = [search_tool(self._plan.rows.search.limit)] if self._has_search else []
        return search + [declaration(self._plan.definition(row)) for row in rows]

    def prompt_section(self) -> str:
        """The `# MCP servers` section for the system prompt; "" where no server has tools to be searched for.

        What searches activate changes nothing in it, so it stays the same from request to request.
        """
        away = frozenset(self._state.unavailable)
        return request.servers_section(self._plan.rows, self.profile, frozenset(self._first), away)

    def find_tools(self, query: str, limit: int | None = None, form: Form = "full", *, activate: bool = True) -> Answer:
        """Answers a model's search, and declares the deferred tools that it found from the next request on.

        What a model may get wrong (no words, too many, a limit that is none) is answered with its reason and is no
        exception. FORM "compact" gives small descriptors for a host that goes through `inspect`; without ACTIVATE, or
        in an answer-only session, nothing is declared. Raises BundleRefused where index or definitions were changed.
        """
        if reason := finder.refused_query(query, limit):
            return Answer(nothing_text(reason), (), (), reason, False)
        plan = self._plan
        reach = self._reach(self._state)
        ranking = finder.rank(plan, query, finder.effective_limit(limit, plan.rows.search.limit), reach)
        with self._lock:
            declared = frozenset(self._first) | set(self._activated(self._state))
            matches = finder.matches(plan, ranking, declared)
            added: list[str] = []
            if activate and not self._state.answer_only:
                new = [match.tool for match in matches if not match.declared]
                added = [tool.alias for tool in new if tool.exposure is Exposure.DEFERRED]
                known = (*self._state.activated, *(str(tool.id) for tool in new))
                self._state = replace(self._state, activated=tuple(dict.fromkeys(known)))
        text = answer_text(matches, added, ranking.reason, ranking.weak, form)
        return Answer(text, matches, tuple(added), ranking.reason if not matches else "", ranking.weak)

    def lookup(self, alias: str) -> ToolId | None:
        """The (server, tool) that a model calls ALIAS; None where the plan has none. An alias is never taken apart."""
        row = self._plan.row_of_alias(alias)
        return None if row is None else self._plan.rows.id(row)

    def inspect(self, server: str, tool: str) -> Inspection | Refused:
        """The whole definition of one tool at the plan's revision, or one refusal for all that there is not (G03).

        Raises BundleRefused where the definition was changed on disk.
        """
        row = self._plan.row(ToolId(server, tool)) if isinstance(server, str) and isinstance(tool, str) else None
        if row is None or server in self._state.unavailable:
            return inspector.unknown_tool(str(server), str(tool))
        if row not in self._pool:
            return inspector.outside_profile(server, tool)
        return inspector.inspect(self._plan, row)

    def state(self) -> dict[str, Any]:
        """What `HostPlan.session(state=…)` needs to resume this session, or to fork it: a JSON value, no secrets."""
        return self._state.to_json()

    def _rows(self, names: Iterable[str]) -> list[int | None]:
        """Rows of `server/tool` names; None for one that this plan or profile does not give."""
        rows: list[int | None] = []
        for name in names:
            row = self._plan.row(ToolId(*name.partition("/")[::2]))
            rows.append(row if row in self._pool else None)
        return rows

    def _activated(self, state: SessionState) -> list[int]:
        first = frozenset(self._first)
        return [row for row in self._rows(state.activated) if row is not None and row not in first]

    def _reach(self, state: SessionState) -> finder.Reach:
        """Kept from search to search, since it changes only when a server comes or goes."""
        kept = self._reached
        if kept is None or kept[0] != state.unavailable:
            kept = (state.unavailable, finder.Reach(self._plan.rows, self._pool, frozenset(state.unavailable)))
            self._reached = kept
        return kept[1]

    def _there(self, state: SessionState, rows: Iterable[int]) -> list[int]:
        away = frozenset(state.unavailable)
        return [row for row in rows if self._plan.rows.server_of(row) not in away]
