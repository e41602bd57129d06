"""Connections that a host keeps open, on a thread and a loop of their own: any thread and any loop may call.

Nothing starts before the first call, and no SDK is imported before it. Each server has one connection; one that ended
is opened anew by the next call, and no call is ever sent twice.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mcpexpose.client.target import BadAddress, BadHeader, Target, launch
from mcpexpose.model.calling import NotSent
from mcpexpose.model.text import shown
from mcpexpose.model.transport import ReferenceSyntax, Transport, UnsetVariable

if TYPE_CHECKING:
    import asyncio
    import concurrent.futures
    from collections.abc import Callable, Coroutine, Mapping

    from mcpexpose.client.link import Link

_CLOSE_S = 15.0
_WAYS = 1
"""Connections of a server that stay beside its latest one, where plans of one host reach it in different ways."""


class Request(Protocol):
    """A call, as the gate lets it pass."""

    @property
    def server(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def arguments(self) -> Mapping[str, Any]: ...
    @property
    def transport(self) -> Transport: ...
    @property
    def progress(self) -> Callable[[], None]: ...
    @property
    def mirrored(self) -> Mapping[str, Any] | None: ...


class Connections:
    """Starts the servers of a plan, and calls their addresses, when they are first needed.

    BASE is the folder that relative paths of the config start from. References are filled in from ENVIRON. TRANSPORTS
    stand in for a plan's own, by server id: a plan keeps no literal credential. Close it, or leave it to the exit.
    """

    def __init__(
        self,
        *,
        base: str | Path | None = None,
        environ: Mapping[str, str] | None = None,
        transports: Mapping[str, Transport] | None = None,
        max_tools: int = 2_000,
    ) -> None:
        self.on_changed: Callable[[str], None] = _nobody
        self.on_reopened: Callable[[str], None] = _nobody
        """Called when a server is connected to once more: what it said in between nobody heard."""
        self._base = Path(base) if base is not None else Path()
        self._environ = os.environ if environ is None else environ
        self._transports = dict(transports or {})
        self._max_tools = max_tools
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._closed = False
        self._links: dict[str, list[Link]] = {}
        """By server, the latest last: a plan that came later may know another way to it."""
        self._tasks: dict[Link, asyncio.Task[None]] = {}
        self._secrets: dict[str, tuple[str, ...]] = {}

    def call(self, request: Request) -> concurrent.futures.Future[dict[str, Any]]:
        """The raw result of one `tools/call`. The future raises what `model.calling` names; cancelling it gives up."""
        return self._submit(self._call(request))

    def list_tools(self, server: str, transport: Transport) -> concurrent.futures.Future[list[Any]]:
        """What the server lists now, all pages, raw. The future raises CallTrouble."""
        return self._submit(self._list(server, transport))

    def open(self, server: str, transport: Transport) -> concurrent.futures.Future[None]:
        """Connect now, so that the server's notifications are heard. The future raises NotSent."""
        return self._submit(self._open(server, transport))

    def secrets(self, server: str) -> tuple[str, ...]:
        """Values that were filled in for the server: to be struck out of whatever is shown."""
        return self._secrets.get(server, ())

    def spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run WORK on the loop of the connections."""
        self._submit(work())

    def close(self) -> None:
        """End all connections, gently first. What is open then is lost."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or self._pid != os.getpid():
            return
        import asyncio

        if thread is not threading.current_thread():
            with contextlib.suppress(TimeoutError, RuntimeError):
                asyncio.run_coroutine_threadsafe(self._end_all(), loop).result(_CLOSE_S)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_CLOSE_S)

    def __enter__(self) -> Connections:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # on the loop

    async def _call(self, request: Request) -> dict[str, Any]:
        link = self._link(request.server, request.transport)
        return await link.call(request.tool, request.arguments, request.progress, request.mirrored)

    async def _list(self, server: str, transport: Transport) -> list[Any]:
        import asyncio

        async with asyncio.timeout(transport.startup_timeout_s):
            return await self._link(server, transport).list_tools()

    async def _open(self, server: str, transport: Transport) -> None:
        import asyncio

        await asyncio.shield(self._link(server, transport).ready)

    def _link(self, server: str, transport: Transport) -> Link:
        import asyncio

        from mcpexpose.client.link import Link

        transport = self._transports.get(server, transport)
        known = self._links.setdefault(server, [])
        for each in known:
            if not each.is_over and _same_way(each.target.transport, transport):
                return each
        target = Target(server, transport, self._max_tools, self._base)
        try:
            started = launch(target, self._environ)
        except (UnsetVariable, ReferenceSyntax, BadHeader, BadAddress) as error:
            raise NotSent(f"{shown(server)} cannot be reached: {shown(str(error))}") from None
        # Those of an earlier way to it too: a call may still be under way there.
        self._secrets[server] = tuple(dict.fromkeys((*self._secrets.get(server, ()), *started.secrets)))
        loop = asyncio.get_running_loop()
        link = Link(
            target, started, lambda: self.on_changed(server), lambda: self.on_reopened(server), loop.create_future()
        )
        task = self._tasks[link] = loop.create_task(link.run())
        task.add_done_callback(lambda done: self._tasks.pop(link, None))
        again = bool(known)
        known[:] = [each for each in known if not each.is_over]
        while len(known) > _WAYS:
            known.pop(0).retire()
        known.append(link)
        if again:
            self.on_reopened(server)
        return link

    async def _end_all(self) -> None:
        import asyncio

        running = dict(self._tasks)
        for link in running:
            link.stop()
        if running:
            await asyncio.wait(running.values(), timeout=_CLOSE_S)
        mine = asyncio.current_task()
        rest = [task for task in asyncio.all_tasks() if task is not mine]
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=1)

    def _submit(self, work: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        import asyncio

        try:
            loop = self._running()
        except NotSent:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, loop)

    def _running(self) -> asyncio.AbstractEventLoop:
        import asyncio
        import atexit

        with self._lock:
            if self._closed:
                raise NotSent("the connections are closed")
            if self._loop is not None and self._pid == os.getpid():
                return self._loop
            self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
            self._links, self._tasks = {}, {}  # those of the process that we are a fork of are not ours
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="mcpexpose", daemon=True)
            self._thread.start()
            atexit.register(_close, weakref.ref(self))
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    import asyncio

    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _close(connections: weakref.ref[Connections]) -> None:
    """At exit, where nobody closed it before."""
    if (left := connections()) is not None:
        left.close()


def _same_way(one: Transport, other: Transport) -> bool:
    """Whether both lead to the same server, whatever their time limits are."""
    return one is other or replace(one, tool_timeout_s=0.0, startup_timeout_s=0.0) == replace(
        other, tool_timeout_s=0.0, startup_timeout_s=0.0
    )


def _nobody(server: str) -> None:
    """Until somebody wants to hear."""
