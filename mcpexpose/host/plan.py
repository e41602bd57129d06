"""A plan as a host holds it: loaded once, immutable, shared by all sessions and threads."""

from __future__ import annotations

import json
import threading
import time
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol

from mcpexpose.bundle.read import Bundle, open_bundle
from mcpexpose.host.rows import RowsOfPlan, Servers, Tools
from mcpexpose.host.runtime import Runtime
from mcpexpose.host.session import Session
from mcpexpose.model.errors import McpexposeError, UsageRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from mcpexpose.bundle.rows import Rows
    from mcpexpose.host.clock import Clock
    from mcpexpose.model.answer import Ranking
    from mcpexpose.model.freshness import Freshness
    from mcpexpose.model.manifest import Manifest
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Compiled, Limits, Plan, PlannedServer, PlannedTool
    from mcpexpose.search.explain import Explainer
    from mcpexpose.toolschema.validate import Checker

PublicKey = str | bytes | PathLike[str]
EngineName = Literal["table", "whoosh"]


class Engine(Protocol):
    """What ranks tools for a query."""

    def search(self, query: str, limit: int | None, allowed: Container[int] | None) -> Ranking:
        """Ranks the allowed rows of the plan; all of them for None."""
        ...

    def explainer(self, definitions: Sequence[Mapping[str, Any]], synonyms: Mapping[str, Sequence[str]]) -> Explainer:
        """What explains its rankings; see `search.answering.Engine`."""
        ...


class Source(Protocol):
    """Where a plan and what belongs to it come from: a bundle, or a compile that was never written."""

    @property
    def plan(self) -> Plan:
        """All of it; a bundle reads it when it is asked for."""
        ...

    @property
    def rows(self) -> Tools:
        """The tools, each read when it is asked for."""
        ...

    def definition(self, row: int) -> dict[str, Any]:
        """The definition of the tool in that row of the plan, a new value each time."""
        ...

    def engine(self) -> Engine:
        """Opens a search engine over the plan; called once, on the first search."""
        ...


def load_plan(
    path: str | Path,
    *,
    expected_digest: str | None = None,
    public_key: PublicKey | None = None,
    clock: Clock | None = None,
    engine: EngineName = "table",
    runtime: Runtime | None = None,
) -> HostPlan:
    """The plan in the bundle at PATH, checked; needs no server, and connects to none.

    With EXPECTED_DIGEST the manifest must have that digest; with PUBLIC_KEY (Ed25519: 32 bytes, their base64, or PEM)
    it must be signed. CLOCK gives the time, with a zone, that freshness is judged by. ENGINE "whoosh" searches the
    index instead of the table, with equal answers, slower. RUNTIME says where events go and how calls are carried; what
    follows this plan shares it. Raises InputMissing where there is no plan, and BundleRefused where it is damaged,
    unsafe to read, of another version, or not signed as demanded; UsageRefused for an engine that is none.
    """
    if engine not in ("table", "whoosh"):
        raise UsageRefused(f"there is no engine {str(engine)[:40]!r}; there are: table, whoosh")
    bundle = open_bundle(path, expected_digest=expected_digest, public_key=public_key)
    return HostPlan(BundleSource(bundle, expected_digest, public_key, engine), clock, runtime)


class BundleSource:
    """A plan that was read from disk."""

    def __init__(
        self,
        bundle: Bundle,
        expected_digest: str | None = None,
        public_key: PublicKey | None = None,
        engine: EngineName = "table",
    ) -> None:
        self.bundle = bundle
        self.engine_name = engine
        self.expected_digest = expected_digest
        self.public_key = public_key

    @property
    def plan(self) -> Plan:
        return self.bundle.plan

    @property
    def rows(self) -> Rows:
        return self.bundle.rows

    def definition(self, row: int) -> dict[str, Any]:
        return self.bundle.definition(row)

    def engine(self) -> Engine:
        if self.engine_name == "whoosh":
            from mcpexpose.search.engine import open_engine

            return open_engine(self.bundle.files, self.bundle.plan)
        from mcpexpose.search.table import open_table

        return open_table(self.bundle.table, self.rows.size, self.rows.search.min_match)


class CompiledSource:
    """A plan that was compiled and not written: previews over it answer as a host over its bundle will."""

    def __init__(self, plan: Plan, definitions: Sequence[bytes]) -> None:
        self.plan = plan
        self.rows = RowsOfPlan(plan)
        self._definitions = definitions

    def definition(self, row: int) -> dict[str, Any]:
        return dict(json.loads(self._definitions[row]))

    def engine(self) -> Engine:
        from mcpexpose.search.engine import in_memory

        return in_memory(self._definitions, self.plan)


class HostPlan:
    """A loaded plan, made by `load_plan`. Nothing changes it: `reload` gives another one."""

    def __init__(self, source: Source, clock: Clock | None = None, runtime: Runtime | None = None) -> None:
        self._source = source
        self.runtime = runtime if runtime is not None else Runtime()
        if clock is not None or runtime is None:
            self.runtime.use_clock(clock)
        self._loaded = time.monotonic()
        self._successor: HostPlan | None = None
        self._checkers: dict[tuple[int, str], Checker | None] = {}
        self._engine: Engine | None = None
        self._opening = threading.Lock()
        self._servers = Servers(source.rows)
        self.runtime.latest = self

    @property
    def plan(self) -> Plan:
        """All that plan.json holds. A bundle's is read here, whole, on first use: sessions and searches do without.

        Raises BundleRefused where plan.json was changed.
        """
        return self._source.plan

    @property
    def rows(self) -> Tools:
        """The tools, their servers and profiles, each read when it is asked for."""
        return self._source.rows

    @property
    def limits(self) -> Limits:
        """The config's `[limits]` and `[freshness]`."""
        return self._source.rows.limits

    def tool(self, row: int) -> PlannedTool:
        """What the plan says of the tool in that row. Raises BundleRefused where it was changed."""
        return self._source.rows.tool(row)

    @property
    def manifest(self) -> Manifest | None:
        """The bundle's manifest; None for a plan that was never written."""
        return self._source.bundle.manifest if isinstance(self._source, BundleSource) else None

    @property
    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles, sorted."""
        return tuple(sorted(self._source.rows.profiles()))

    @property
    def servers(self) -> Mapping[str, PlannedServer]:
        """The servers of which the plan holds a tool, by id."""
        return self._servers

    def session(
        self,
        profile: str | None = None,
        tools: Iterable[str | ToolId] | None = None,
        *,
        run_id: str | None = None,
        route: str | None = None,
        state: Mapping[str, Any] | None = None,
        answer_only: bool = False,
    ) -> Session:
        """A session: what one run of a model is told, may find and may call.

        PROFILE is the kind of task; None reaches every tool of the plan. TOOLS (`server/tool` or aliases) are declared
        from request 1. RUN_ID and ROUTE are the host's own words for the run and for the model's route; they stand in
        events and grant nothing. STATE, from `Session.state`, resumes or forks a session; arguments given beside it
        win. ANSWER_ONLY is for hosts that cannot change the declared tools: searches activate nothing. Raises
        SelectionRefused for a profile or a tool that the plan does not give, and for a state that is none.
        """
        return Session(
            self, profile=profile, tools=tools, run_id=run_id, route=route, state=state, answer_only=answer_only
        )

    def reload(self, on_refused: Callable[[McpexposeError], None] | None = None) -> HostPlan:
        """The plan that now stands at the same place; this one where it is the same, gone or bad.

        Every byte of another bundle is checked first, which takes its time where it is large.
        A refused bundle is logged as a warning and handed to ON_REFUSED. Sessions keep the plan that they began with:
        resume one on the new plan with `session(state=…)`.
        """
        source = self._source
        if not isinstance(source, BundleSource):
            return self
        try:
            bundle = open_bundle(
                source.bundle.path, expected_digest=source.expected_digest, public_key=source.public_key
            )
            if bundle.manifest.digest != source.bundle.manifest.digest:
                bundle.check()  # a good plan is given up for a whole one only
        except McpexposeError as error:
            import logging

            logging.getLogger(__name__).warning("the plan was not reloaded, the last good one stays: %s", error)
            if on_refused:
                on_refused(error)
            return self
        if bundle.manifest.digest == source.bundle.manifest.digest:
            return self
        return HostPlan(
            BundleSource(bundle, source.expected_digest, source.public_key, source.engine_name), None, self.runtime
        )

    def freshness(self, server: str) -> Freshness:
        """What the server's catalog is worth now. Raises KeyError for a server of which the plan holds no tool."""
        return self.runtime.freshness(self._servers[server], self.limits.max_age_s, self._loaded)

    def list_changed(self, server: str) -> None:
        """The host heard that the server's list changed: its tools are refused until a refresh gives the same list."""
        from mcpexpose.host.refreshing import hear

        hear(self.runtime, server)

    async def refresh(self, server: str) -> bool:
        """Ask for the server's list again, by the runtime's way; whether one came. Joins a refresh that is running.

        The same revision makes the server fresh; another one makes another plan where the runtime can compile.
        """
        from mcpexpose.host.refreshing import refresh

        return await refresh(self, server)

    @property
    def newest(self) -> HostPlan:
        """This plan, or the one that took its place while the host runs; sessions go on with that."""
        plan = self
        while plan._successor is not None:
            plan = plan._successor
        if plan is not self:  # what came in between is of use to nobody
            self._successor = plan
        return plan

    def succeed(self, compiled: Compiled, *, warm: bool = False) -> HostPlan:
        """Put COMPILED in the place of the newest plan, at once for all sessions; the plan that it makes.

        WARM opens its search engine before that, which takes its time, so that no search has to wait for it.
        """
        made = HostPlan(CompiledSource(compiled.plan, compiled.definitions), None, self.runtime)
        if warm:
            try:
                _ = made.engine
            except BaseException:
                self.runtime.latest = self.newest
                raise
        while True:
            plan = self.newest
            with plan._opening:
                if plan._successor is None:
                    plan._successor = made
                    return made

    def checker(self, row: int, which: Literal["inputSchema", "outputSchema"]) -> Checker | None:
        """What holds values against a schema of the tool in that row; None where it has no such schema."""
        key = (row, which)
        if key not in self._checkers:
            from mcpexpose.toolschema.validate import Checker

            schema = self.definition(row).get(which)
            self._checkers[key] = None if schema is None else Checker(schema)
        return self._checkers[key]

    def row(self, tool: ToolId) -> int | None:
        """The tool's row in the plan, or None."""
        return self._source.rows.row(tool)

    def row_of_alias(self, alias: str) -> int | None:
        """The row of the tool that a model calls ALIAS, or None."""
        return self._source.rows.row_of_alias(alias) if isinstance(alias, str) else None

    def definition(self, row: int) -> dict[str, Any]:
        """The definition of the tool in that row, a new value each time. Raises BundleRefused where it was changed."""
        return self._source.definition(row)

    @property
    def engine(self) -> Engine:
        """What ranks its tools; opened on first use. Raises BundleRefused where the index was changed."""
        with self._opening:
            if self._engine is None:
                self._engine = self._source.engine()
            return self._engine

    def search(self, query: str, limit: int, allowed: Container[int] | None) -> Ranking:
        """What the engine says. Raises BundleRefused where the index was changed."""
        return self.engine.search(query, limit, allowed)
