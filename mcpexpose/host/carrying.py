"""A request on its way: through the host's own callable or our connections, within a time that progress renews."""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any

from mcpexpose.host.arguments import copied
from mcpexpose.host.outcome import Carried
from mcpexpose.host.threads import in_own_thread
from mcpexpose.model.calling import CallTrouble, ConnectionLost, NotSent, ServerError

if TYPE_CHECKING:
    from mcpexpose.host.arguments import Arguments
    from mcpexpose.host.gate import Located
    from mcpexpose.host.outcome import Through
    from mcpexpose.host.runtime import Runtime

LONGEST = 20
"""A call that reports progress may take so many times its limit, and no longer."""


class SilentServer(CallTrouble):
    """No answer came in time."""


async def carry(runtime: Runtime, located: Located, arguments: Arguments, through: Through | None) -> Any:
    """The raw result. Raises what `model.calling` names, SilentServer, and what cancels a task."""
    import asyncio

    limit = located.server.transport.tool_timeout_s
    loop = asyncio.get_running_loop()
    end = loop.time() + LONGEST * limit
    try:
        async with asyncio.timeout(limit) as time:
            told = threading.Event()

            def renew() -> None:
                told.clear()
                if not time.expired():
                    time.reschedule(min(loop.time() + limit, end))

            def progress() -> None:
                if not told.is_set():  # of a flood of reports the loop hears one at a time
                    told.set()
                    loop.call_soon_threadsafe(renew)

            carried = Carried(
                located.tool.server,
                located.tool.name,
                copied(arguments.value),
                located.server.revision,
                located.server.transport,
                limit,
                progress,
                located.checker.mirrored,
            )
            if through is not None:
                return await _through(through, carried)
            assert runtime.connections is not None
            return await asyncio.wrap_future(runtime.connections.call(carried))
    except TimeoutError:
        raise SilentServer("no answer came in time") from None


async def connect(runtime: Runtime, located: Located) -> None:
    """Have the connection there before the call's time begins. Raises NotSent."""
    import asyncio

    if runtime.connections is None:
        raise NotSent("the host has no way to call")
    opening = runtime.connections.open(located.tool.server, located.server.transport)
    try:
        await asyncio.wait_for(asyncio.wrap_future(opening), 2 * located.server.transport.startup_timeout_s)
    except TimeoutError:
        raise NotSent("the server did not start in time") from None


async def _through(through: Through, carried: Carried) -> Any:
    try:
        if inspect.iscoroutinefunction(through) or inspect.iscoroutinefunction(type(through).__call__):
            return await through(carried)
        given = await in_own_thread(through, carried)
        return await given if inspect.isawaitable(given) else given
    except (CallTrouble, TimeoutError):
        raise
    except Exception as error:
        raise _told(error) from error


def _told(error: Exception) -> CallTrouble:
    """A carrier's own exception: the SDK's for an answer that is an error, else a connection that was lost."""
    data = getattr(error, "error", None)
    code, message = getattr(data, "code", None), getattr(data, "message", None)
    if isinstance(code, int) and isinstance(message, str):
        from mcpexpose.client.telling import is_stand_in

        if code == -32001:
            return SilentServer("no answer came in time")
        if code != -32000 and not is_stand_in(message):
            return ServerError(code, message)
    import logging

    # A fault of the host's own code would look like one of the network; its text may hold anything.
    log = logging.getLogger(__name__)
    log.warning("a carrier raised %s, which counts as a lost connection", type(error).__name__)
    log.debug("what a carrier raised", exc_info=error)
    return ConnectionLost(f"the carrier raised {type(error).__name__}")
