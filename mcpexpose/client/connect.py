"""Opens one connection: a child's pipes, streamable HTTP, or the old HTTP+SSE."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from mcpexpose.client.child import MAX_LINE_BYTES
from mcpexpose.client.web import http_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from mcp import ClientSession

    from mcpexpose.client.era import Handshake
    from mcpexpose.client.stderr import StderrTail
    from mcpexpose.client.tap import Tap
    from mcpexpose.client.target import Launch
    from mcpexpose.client.web import HttpStatus


@asynccontextmanager
async def connected(
    launch: Launch,
    kind: str,
    tap: Tap,
    stderr: StderrTail,
    status: HttpStatus,
    handshake: Handshake,
    *,
    limit_s: float,
    on_message: Any = None,
    on_end: Callable[[], None] | None = None,
) -> AsyncIterator[ClientSession]:
    """A session whose handshake is done; TAP reads along. Raises whatever the SDK raises; closing ends the child.

    No request of it has a time limit of its own: the caller's holds for all together. ON_MESSAGE gets the server's
    notifications, ON_END is called when the connection ends by itself.
    """
    from mcp import ClientSession
    from mcp_types import Implementation

    from mcpexpose import __version__

    async with (
        tap.around(_transport(launch, kind, stderr, status, limit_s)) as (read, write),
        ClientSession(
            dispatcher=_patient(read, write, on_end),
            message_handler=on_message,
            client_info=Implementation(name="mcpexpose", version=__version__),
        ) as session,
    ):
        await handshake.agree(session)
        yield session


def _patient(read: Any, write: Any, on_end: Callable[[], None] | None) -> Any:
    """The SDK's dispatcher, but for the ten seconds after which it stops to wait for `server/discover`."""
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

    class Patient(JSONRPCDispatcher[Any]):
        async def send_raw_request(self, method: str, params: Any, opts: Any = None, **more: Any) -> dict[str, Any]:
            waiting: Any = {**(opts or {}), "timeout": None}
            return await super().send_raw_request(method, params, waiting, **more)

        async def run(self, *args: Any, **more: Any) -> None:
            try:
                await super().run(*args, **more)
            finally:
                if on_end is not None:
                    on_end()

    return Patient(read, write)


def _transport(launch: Launch, kind: str, stderr: StderrTail, status: HttpStatus, limit_s: float) -> Any:
    if kind == "http":
        return _streamable_http(launch, status, limit_s)
    if kind == "sse":
        return _sse(launch, status, limit_s)
    if sys.platform != "win32":
        from mcpexpose.client.child import child

        return child(launch, stderr.file)
    # Only the SDK knows how to end all processes of a job there.
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=launch.command, args=list(launch.args), env=dict(launch.env), cwd=launch.cwd
    )
    return stdio_client(parameters, errlog=stderr.file)


@asynccontextmanager
async def _streamable_http(launch: Launch, status: HttpStatus, limit_s: float) -> AsyncIterator[Any]:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        http_client(launch, status, limit_s) as client,
        streamable_http_client(launch.url, http_client=client, max_sse_event_size=MAX_LINE_BYTES) as streams,
    ):
        yield streams


@asynccontextmanager
async def _sse(launch: Launch, status: HttpStatus, limit_s: float) -> AsyncIterator[Any]:
    from mcp.client.sse import sse_client

    def factory(headers: Any = None, timeout: Any = None, auth: Any = None) -> Any:
        return http_client(launch, status, limit_s)

    async with sse_client(launch.url, httpx_client_factory=factory) as streams:
        yield streams


_LOGGERS = ("mcp", "httpx2", "httpcore2")
_quiet_lock = threading.Lock()
_levels: list[int] = []
"""Of the loggers as they were, while somebody wants them quiet."""
_quiet = 0


@contextmanager
def quiet() -> Iterator[None]:
    """The SDK logs what it cannot parse, raw and to stderr: not while this lasts, for anybody."""
    global _quiet
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    with _quiet_lock:
        _quiet += 1
        if _quiet == 1:
            _levels[:] = [logger.level for logger in loggers]
            for logger in loggers:
                logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        with _quiet_lock:
            _quiet -= 1
            if _quiet == 0:
                for logger, level in zip(loggers, _levels, strict=True):
                    logger.setLevel(level)
