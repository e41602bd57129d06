"""Reads along between a transport and the SDK, so that what a server listed is had raw, whatever it is.

The SDK drops fields that it does not know, and refuses a whole page for one tool that it cannot validate. So it is
given an empty page in place of each `tools/list` result, and the result itself is kept.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcpexpose.client.child import MAX_LINE_BYTES, LineTooLong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

_LIST = "tools/list"
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_MAX_STRAY_LINES = 10_000


class Tap:
    """What went over one connection. `on_fault` is called with a sentence when nothing more can be had of it."""

    def __init__(self, on_fault: Callable[[str], None]) -> None:
        self.pages: list[dict[str, Any]] = []
        """The raw `tools/list` results, in the order of arrival."""
        self._on_fault = on_fault
        self._asked: dict[str | int, bool] = {}  # id of a list request: does it belong to the 2026-07-28 revision
        self._stray = 0

    @asynccontextmanager
    async def around(self, transport: AbstractAsyncContextManager[Any]) -> AsyncIterator[tuple[Any, Any]]:
        """TRANSPORT, read along."""
        async with transport as (read, write):
            yield _Read(read, self), _Write(write, self)

    def outgoing(self, item: Any) -> None:
        message = item.message
        if getattr(message, "method", None) == _LIST and (number := getattr(message, "id", None)) is not None:
            meta = (message.params or {}).get("_meta") or {}
            self._asked[number] = _VERSION_KEY in meta

    def incoming(self, item: Any) -> Any:
        """What the SDK gets instead of ITEM; None where it gets nothing."""
        if isinstance(item, LineTooLong):
            self._on_fault(f"it wrote a line of more than {MAX_LINE_BYTES // 1024**2} MiB to stdout")
            return None
        if isinstance(item, Exception):
            return self._unreadable(item)
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCResponse

        message = item.message
        if not isinstance(message, JSONRPCResponse) or message.id not in self._asked:
            return item
        self.pages.append(message.result)
        empty: dict[str, Any] = {"tools": []}
        if self._asked.pop(message.id):
            empty |= {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        page = JSONRPCResponse(jsonrpc="2.0", id=message.id, result=empty)
        return SessionMessage(page, item.metadata)

    def _unreadable(self, error: Exception) -> Exception | None:
        """A line that is no message. Servers that print to stdout are forgiven, up to a bound; a broken message is not.

        Its request would wait for an answer that never comes.
        """
        line = line_of(error)
        if line is None:
            return error
        self._stray += 1
        if line.lstrip().startswith("{") and '"jsonrpc"' in line:
            self._on_fault("it sent a message that cannot be read as JSON-RPC")
        elif self._stray > _MAX_STRAY_LINES:
            self._on_fault(f"it wrote more than {_MAX_STRAY_LINES:,} lines to stdout that are no JSON-RPC")
        return None


def line_of(error: Exception) -> str | None:
    """The text that the SDK could not parse; None for an error of another kind."""
    from pydantic import ValidationError

    if isinstance(error, UnicodeDecodeError):
        return error.object.decode("utf-8", "replace")
    if not isinstance(error, ValidationError):
        return None
    given = error.errors(include_url=False, include_context=False)[0].get("input")
    if isinstance(given, bytes):
        return given.decode("utf-8", "replace")
    if isinstance(given, dict) and "jsonrpc" in given:  # JSON of another shape, yet meant as a message
        return '{"jsonrpc"'
    return given if isinstance(given, str) else ""


class _Read:
    """The reading half, as the SDK uses one."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        while True:
            item = self._tap.incoming(await self._inner.receive())
            if item is not None:
                return item

    def __aiter__(self) -> _Read:
        return self

    async def __anext__(self) -> Any:
        while True:
            item = self._tap.incoming(await self._inner.__anext__())
            if item is not None:
                return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Read:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        done: bool | None = await self._inner.__aexit__(*error)
        return done


class _Write:
    """The writing half."""

    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    async def send(self, item: Any) -> None:
        self._tap.outgoing(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _Write:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        done: bool | None = await self._inner.__aexit__(*error)
        return done
