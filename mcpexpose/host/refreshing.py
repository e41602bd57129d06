"""Asking a server for its list again: one at a time, bursts together, and another plan where the list is another."""

from __future__ import annotations

import inspect
import logging
import threading
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mcpexpose.model.catalog import Catalog, revision_of
from mcpexpose.model.entry import entry_fault
from mcpexpose.model.event import Event

if TYPE_CHECKING:
    import concurrent.futures

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.host.runtime import Runtime
    from mcpexpose.model.plan import PlannedServer

_log = logging.getLogger(__name__)

ROUNDS = 2
"""Lists of one refresh: one, and one more for what changed while it was read."""
_GATHER_S = 0.05
"""From a notification to the list, so that a burst is one."""
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
"""Between refreshes of a server that never stops to change; each pause is twice the one before."""


class _Refreshes:
    """Those that are running in a runtime."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: dict[str, concurrent.futures.Future[bool]] = {}
        self.background: set[str] = set()


_all: WeakKeyDictionary[Runtime, _Refreshes] = WeakKeyDictionary()
_making = threading.Lock()


def _of(runtime: Runtime) -> _Refreshes:
    with _making:
        if runtime not in _all:
            _all[runtime] = _Refreshes()
        return _all[runtime]


def hear(runtime: Runtime, server: str) -> None:
    """A server said that its list changed: it is stale from now on, and asked soon where the host can."""
    runtime.heard[server] = runtime.heard.get(server, 0) + 1
    runtime.step(server, lambda watch: watch.changed())
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
    connections.spawn(lambda: _in_background(runtime, server))


async def _in_background(runtime: Runtime, server: str) -> None:
    import asyncio

    refreshes, pause = _of(runtime), _GATHER_S
    runtime.step(server, lambda watch: watch.wanted())
    while True:
        await asyncio.sleep(pause)
        came = runtime.latest is not None and await refresh(runtime.latest, server)
        with refreshes.lock:
            # What cannot be reached is asked again by the next call, not for ever.
            if not came or runtime.watch(server).is_settled:
                refreshes.background.discard(server)
                return
        pause = min(max(_PAUSE_S, 2 * pause), _LONGEST_PAUSE_S)


async def refresh(plan: HostPlan, server: str) -> bool:
    """Whether a list came. Joins a refresh that is running; never raises for what servers do."""
    import asyncio
    import concurrent.futures

    runtime = plan.runtime
    refreshes = _of(runtime)
    with refreshes.lock:
        running = refreshes.running.get(server)
        mine: concurrent.futures.Future[bool] = concurrent.futures.Future()
        if running is None:
            refreshes.running[server] = mine
    if running is not None:
        return await asyncio.shield(asyncio.wrap_future(running))
    came = False
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
    runtime = plan.runtime
    known = plan.servers.get(server)
    if known is None:
        return False
    outcome = "failed"
    runtime.step(server, lambda watch: watch.wanted())
    for _ in range(ROUNDS):
        runtime.step(server, lambda watch: watch.begun())
        try:
            tools = await _list(runtime, known)
            revision = revision_of(server, tools)
        except BaseException as error:
            runtime.step(server, lambda watch: watch.failed())
            if not isinstance(error, Exception):
                raise
            _log.info("the tools of a server could not be listed again: %s", type(error).__name__)
            outcome = "failed"
            break
        runtime.confirm(server, tuple(str(tool["name"]) for tool in tools))
        runtime.step(server, lambda watch, revision=revision: watch.ended(revision))  # type: ignore[misc]
        outcome = "unchanged" if revision == known.revision else "changed"
        if revision != known.revision:
            runtime.catalogs[server] = _catalog(known, tools, revision, runtime.now())
        if runtime.watch(server).is_settled:
            break
    if outcome == "changed":
        await _replan(plan)
    runtime.keep(Event("refresh", runtime.now(), "", server=server, revision=known.revision, outcome=outcome))
    return outcome != "failed"


async def _list(runtime: Runtime, server: PlannedServer) -> list[Any]:
    """The server's tools, raw; what is no tool is left out, as a capture leaves it out."""
    import asyncio

    if runtime.refresh is not None:
        given = runtime.refresh(server.id)
        entries: list[Any] = list(await given if inspect.isawaitable(given) else given)
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


async def _replan(plan: HostPlan) -> None:
    """Put a plan of the newer lists in this one's place, where the host can compile."""
    import asyncio

    runtime = plan.runtime
    if runtime.recompile is None:
        return
    try:
        compiled = await asyncio.to_thread(runtime.recompile, dict(runtime.catalogs))
    except Exception as error:
        _log.warning("the plan could not be compiled again, its changed servers stay out: %s", type(error).__name__)
        return
    plan.newest.succeed(compiled)
