"""Opens one connection: a child's pipes, streamable HTTP, or the old HTTP+SSE."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from mcp import Client

    from mcpexpose.client.stderr import StderrTail
    from mcpexpose.client.tap import Tap
    from mcpexpose.client.target import Launch

_MAX_EVENT_BYTES = 64 * 1024 * 1024
Era = Literal["auto", "legacy"]


class HttpStatus:
    """The HTTP error that the last posted message got, if it got one: the SDK says the same of most of them."""

    def __init__(self) -> None:
        self.code: int | None = None

    async def note(self, response: Any) -> None:
        if response.request.method == "POST":
            self.code = response.status_code if response.status_code >= 400 else None


@asynccontextmanager
async def connected(
    launch: Launch, kind: str, tap: Tap, stderr: StderrTail, status: HttpStatus, *, timeout_s: float, era: Era = "auto"
) -> AsyncIterator[Client]:
    """A client whose handshake is done; TAP reads along. Raises whatever the SDK raises; closing ends the child.

    With ERA "auto" the server is asked for the 2026-07-28 revision first, then greeted as before it.
    """
    from mcp import Client
    from mcp_types import Implementation

    from mcpexpose import __version__

    transport = _transport(launch, kind, stderr, status, timeout_s)
    client = Client(
        tap.around(transport),
        mode=era,
        read_timeout_seconds=timeout_s,
        cache=None,
        client_info=Implementation(name="mcpexpose", version=__version__),
    )
    async with client:
        yield client


def _transport(launch: Launch, kind: str, stderr: StderrTail, status: HttpStatus, timeout_s: float) -> Any:
    if kind == "stdio":
        from mcp import StdioServerParameters
        from mcp.client.stdio import stdio_client

        parameters = StdioServerParameters(
            command=launch.command, args=list(launch.args), env=dict(launch.env), cwd=launch.cwd
        )
        return stdio_client(parameters, errlog=stderr.file)
    if kind == "http":
        return _streamable_http(launch, status, timeout_s)
    return _sse(launch, status, timeout_s)


@asynccontextmanager
async def _streamable_http(launch: Launch, status: HttpStatus, timeout_s: float) -> AsyncIterator[Any]:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        _http_client(launch, status, timeout_s) as client,
        streamable_http_client(launch.url, http_client=client, max_sse_event_size=_MAX_EVENT_BYTES) as streams,
    ):
        yield streams


@asynccontextmanager
async def _sse(launch: Launch, status: HttpStatus, timeout_s: float) -> AsyncIterator[Any]:
    from mcp.client.sse import sse_client

    def factory(headers: Any = None, timeout: Any = None, auth: Any = None) -> Any:
        return _http_client(launch, status, timeout_s)

    async with sse_client(launch.url, httpx_client_factory=factory) as streams:
        yield streams


def _http_client(launch: Launch, status: HttpStatus, timeout_s: float) -> Any:
    import httpx2

    return httpx2.AsyncClient(
        headers=dict(launch.headers),
        timeout=httpx2.Timeout(timeout_s),
        event_hooks={"response": [status.note]},
    )


@contextmanager
def quiet() -> Iterator[None]:
    """The SDK logs what it cannot parse, raw and to stderr: not while this lasts."""
    loggers = [logging.getLogger(name) for name in ("mcp", "httpx2", "httpcore2")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
