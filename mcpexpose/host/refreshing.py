"""Asking a server for its list again: one at a time, bursts together, and another plan where the list is another."""

from __future__ import annotations

import inspect
import logging
import math
import os
import threading
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mcpexpose.host.drift import compare, worst
from mcpexpose.host.threads import in_own_thread, in_thread
from mcpexpose.model.calling import NotSent
from mcpexpose.model.catalog import Catalog, revision_of
from mcpexpose.model.entry import entry_fault
from mcpexpose.model.errors import BundleRefused
from mcpexpose.model.event import Event

if TYPE_CHECKING:
    import concurrent.futures

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.host.runtime import Runtime
    from mcpexpose.model.plan import Plan, PlannedServer

_log = logging.getLogger(__name__)

ROUNDS = 2
"""Lists of one refresh: one, and one more for what changed while it was read."""
_GATHER_S = 0.05
"""From a notification to the list, so that a burst is one."""
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
"""Between refreshes of a server that never stops to change; each pause is twice the one before."""
_CALM_S = 10.0
"""And so long, after its last pause, a server has to be quiet until the next change is looked at without one."""
_PATIENCE = 2
"""A list may take so many times as long as the server's start may, whoever asks for it."""


class _Refreshes:
    """Those that are running in a runtime."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.lock = threading.Lock()
        self.running: dict[str, concurrent.futures.Future[bool | None]] = {}
        self.background: set[str] = set()
        self.paused: dict[str, tuple[float, float]] = {}
        """When the last refresh in the background ended, and the pause before it."""
        self.servers: dict[str, PlannedServer] = {}
        """Those that a plan had once: one that listed no tools may list some again."""
        self.compiling = threading.Lock()

    def pause(self, server: str) -> float:
        """Before the next refresh in the background."""
        ended, before = self.paused.get(server, (-math.inf, 0.0))
        if time.monotonic() - ended > before + _CALM_S:
            return _GATHER_S
        return longer(before)


def longer(pause: float) -> float:
    """The pause after PAUSE."""
    return min(max(_PAUSE_S, 2 * pause), _LONGEST_PAUSE_S)


_all: WeakKeyDictionary[Runtime, _Refreshes] = WeakKeyDictionary()
_making = threading.Lock()


def _of(runtime: Runtime) -> _Refreshes:
    with _making:
        known = _all.get(runtime)
        if known is None or known.pid != os.getpid():
            if known is not None:  # what the process that we are a fork of was asking for never comes here
                runtime.give_up()
            known = _all[runtime] = _Refreshes()
        return known


def hear(runtime: Runtime, server: str) -> None:
    """A server said that its list changed: it is stale from now on, and asked soon where the host can."""
    runtime.heard[server] = runtime.heard.get(server, 0) + 1
    runtime.changed(server)
    ask_soon(runtime, server)


def ask_soon(runtime: Runtime, server: str) -> None:
    """Have the server's list asked for in the background, where the host can."""
    connections, refreshes = runtime.connections, _of(runtime)
    if connections is None:
        return
    with refreshes.lock:
        if server in refreshes.background:
            return
        refreshes.background.add(server)
    try:
        connections.spawn(lambda: _in_background(runtime, server))
    except NotSent:  # they are closed: the next call says so
        with refreshes.lock:
            refreshes.background.discard(server)


async def _in_background(runtime: Runtime, server: str) -> None:
    import asyncio

    refreshes = _of(runtime)
    pause = refreshes.pause(server)
    runtime.step(server, lambda watch: watch.wanted())
    while True:
        await asyncio.sleep(pause)
        came = runtime.latest is not None and await refresh(runtime.latest, server)
        with refreshes.lock:
            # What cannot be reached is asked again by the next call, not for ever.
            if not came or runtime.watch(server).is_settled:
                refreshes.background.discard(server)
                refreshes.paused[server] = (time.monotonic(), pause)
                return
        pause = longer(pause)


async def refresh(plan: HostPlan, server: str) -> bool:
    """Whether a list came. Joins a refresh that is running, and asks once more where a change overtook that one; never
    raises for what servers do.
    """
    import asyncio
    import concurrent.futures

    runtime = plan.runtime
    refreshes = _of(runtime)
    mine: concurrent.futures.Future[bool | None] = concurrent.futures.Future()
    overtaken = False
    while True:
        with refreshes.lock:
            running = refreshes.running.setdefault(server, mine)
        if running is mine:
            break
        came = await asyncio.shield(asyncio.wrap_future(running))
        if came is None:
            continue  # whoever asked gave up before it came
        if not came or overtaken or runtime.watch(server).is_settled:
            return came
        overtaken = True  # its lists were begun before the last change; one more is asked for, and no more than that
    came = None
    try:
        came = await _rounds(plan, server)
    finally:
        with refreshes.lock:
            del refreshes.running[server]
        mine.set_result(came)
    return came


def is_quiet(runtime: Runtime) -> bool:
    """Whether no list is being asked for, nor about to be."""
    refreshes = _of(runtime)
    with refreshes.lock:
        return not refreshes.running and not refreshes.background


async def _rounds(plan: HostPlan, server: str) -> bool:
    runtime, refreshes = plan.runtime, _of(plan.runtime)
    newest = plan.newest
    planned = newest.servers.get(server)
    known = planned or plan.servers.get(server) or refreshes.servers.get(server)
    if known is None:
        return False
    refreshes.servers[server] = known
    pinned = known.revision
    if planned is None and server in runtime.catalogs:  # the plan has none of its tools
        pinned = str(runtime.catalogs[server].revision)
    outcome, drift = "failed", None
    runtime.step(server, lambda watch: watch.wanted())
    for _ in range(ROUNDS):
        runtime.step(server, lambda watch: watch.begun())
        try:
            tools = await _list(runtime, known)
            revision = await in_thread(revision_of, server, tools)
            catalog = _catalog(known, tools, revision, runtime.now())
            runtime.confirm(server, tuple(str(tool["name"]) for tool in tools))
        except BaseException as error:
            runtime.step(server, lambda watch: watch.failed())
            if not isinstance(error, Exception):
                raise
            _log.info("the tools of a server could not be listed again: %s", type(error).__name__)
            outcome = "failed"
            break
        runtime.step(server, lambda watch, revision=revision: watch.ended(revision))  # type: ignore[misc]
        outcome = "unchanged" if revision == pinned else "changed"
        # What was listed last is what a later compile goes by, for whatever server that is.
        runtime.catalogs[server] = catalog
        if runtime.watch(server).is_settled:
            break
    if outcome == "changed":
        drift = await in_thread(_drift, newest, server)
        await in_own_thread(_replan, newest)
    event = Event("refresh", runtime.now(), "", server=server, revision=pinned, outcome=outcome, drift=drift)
    runtime.keep(event)
    return outcome != "failed"


def _drift(plan: HostPlan, server: str) -> str | None:
    """The worst that changed on the plan's tools of the server; what it is in full, the runtime remembers."""
    try:
        changes = compare(plan, server, plan.runtime.catalogs[server].tools)
    except (BundleRefused, ValueError, RecursionError):
        return None
    plan.runtime.drifts[server] = changes
    return worst(changes)


async def _list(runtime: Runtime, server: PlannedServer) -> list[Any]:
    """The server's tools, raw; what is no tool is left out, as a capture leaves it out."""
    import asyncio

    ask = runtime.refresh
    async with asyncio.timeout(_PATIENCE * server.transport.startup_timeout_s):
        if ask is not None:
            if inspect.iscoroutinefunction(ask) or inspect.iscoroutinefunction(type(ask).__call__):
                given = await ask(server.id)  # type: ignore[misc]  # it was asked whether it is
            else:
                said = await in_own_thread(ask, server.id)
                given = await said if inspect.isawaitable(said) else said
            entries: list[Any] = list(given)
        elif runtime.connections is not None:
            entries = await asyncio.wrap_future(runtime.connections.list_tools(server.id, server.transport))
        else:
            raise LookupError("the host has no way to ask")
    return [entry for entry in entries if not entry_fault(entry)]


def _catalog(server: PlannedServer, tools: list[Any], revision: str, now: str) -> Catalog:
    return Catalog(
        server.id,
        tuple(tools),
        indices=tuple(range(len(tools))),
        captured_at=now,
        protocol=server.protocol,
        revision=revision,
    )


def _replan(plan: HostPlan) -> None:
    """Put a plan of the newer lists in this one's place, where the host can compile. One compile at a time: a later one
    knows all that an earlier one knew.
    """
    runtime = plan.runtime
    if runtime.recompile is None:
        return
    with _of(runtime).compiling:
        try:
            compiled = runtime.recompile(dict(runtime.catalogs))
            if _settings(compiled.plan) != _settings(plan.plan):
                _log.warning("the config is another now than that of the plan, so no plan was compiled from it")
                return
            plan.succeed(compiled, warm=True)
        except Exception as error:
            _log.warning("the plan could not be compiled again, its changed servers stay out: %s", type(error).__name__)


def _settings(plan: Plan) -> dict[str, str]:
    """What a plan was made from, but for catalogs. A bundle was reviewed, and signed perhaps; a file that somebody
    edited since was not.
    """
    return {name: value for name, value in plan.inputs.items() if not name.startswith("catalog ")}
