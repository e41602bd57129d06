"""One open connection to a server: calls with their results raw, its list, and what it says of itself.

Lives on the loop of `connections`. A link that ended is not mended: the next call opens another one.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpexpose.client.connect import connected
from mcpexpose.client.era import Handshake, patience
from mcpexpose.client.stderr import StderrTail
from mcpexpose.client.tap import Tap
from mcpexpose.client.telling import CLOSED, SessionGone, leaves, told
from mcpexpose.client.web import HttpStatus
from mcpexpose.model.calling import CallTrouble, ConnectionLost, NotSent, ResultTooLarge, ResultUnreadable

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mcp import ClientSession

    from mcpexpose.client.target import Launch, Target

MODERN = "2026-07-28"
MAX_PAGES = 1_000
_LISTEN_AGAIN_S = 1.0


@dataclass(eq=False)
class Pending:
    """A call that was sent, and what came of it, raw."""

    result: dict[str, Any] | None = None
    trouble: CallTrouble | None = None
    sent: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    """Arguments that go into headers too: from the pinned schema, since the SDK is given no list to learn it from."""
    number: str | int | None = None
    """Its id on the connection, once it was sent."""
    heard: bool = False
    """An error came over the connection in place of its answer."""


_current: ContextVar[Pending | None] = ContextVar("mcpexpose_call", default=None)


class CallTap(Tap):
    """Keeps results of `tools/call` raw too, and gives the SDK an empty one in place of each."""

    def __init__(self, on_fault: Callable[[str], None]) -> None:
        super().__init__(on_fault)
        self.calls: dict[str | int, Pending] = {}

    def outgoing(self, item: Any) -> None:
        super().outgoing(item)
        message = item.message
        pending = _current.get()
        if pending is not None and getattr(message, "method", None) == "tools/call":
            pending.sent, pending.number = True, message.id
            self.calls[message.id] = pending
            if pending.headers:
                item.metadata.headers.update(pending.headers)

    def incoming(self, item: Any) -> Any:
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCError, JSONRPCResponse

        from mcpexpose.client.child import LineTooLong

        if isinstance(item, LineTooLong):
            self.spoil(ResultTooLarge("it is longer than what is read of one"))
            return super().incoming(item)
        if isinstance(item, Exception):
            answered = self._of_unreadable(item)
            return super().incoming(item) if answered is None else answered
        message = item.message
        if isinstance(message, JSONRPCError):
            if message.id is not None and (refused := self.calls.pop(message.id, None)) is not None:
                refused.heard = True
            return item
        if not isinstance(message, JSONRPCResponse) or message.id not in self.calls:
            return super().incoming(item)
        self.calls.pop(message.id).result = message.result
        return SessionMessage(_empty(message.id), item.metadata)

    def spoil(self, trouble: CallTrouble) -> None:
        """The connection ends under all calls that are open. Of one alone it is known what happened to it."""
        for pending in self.calls.values():
            pending.trouble = trouble if len(self.calls) == 1 else ConnectionLost("the connection ended")

    def _of_unreadable(self, error: Exception) -> Any:
        """An answer to a call that cannot be read: only that call suffers. None where it is no such answer."""
        from mcp.shared.message import SessionMessage

        from mcpexpose.client.tap import line_of

        line = line_of(error) or ""
        # The id stands near the front or near the end; what is in between may be anything.
        for text in (line[:300], line[-300:]):
            for found in re.finditer(r'"id"\s*:\s*("[^"]{0,60}"|\d{1,18})', text):
                number: str | int = found[1].strip('"') if found[1].startswith('"') else int(found[1])
                if number in self.calls:
                    self.calls.pop(number).trouble = ResultUnreadable("it is no JSON-RPC that can be read")
                    return SessionMessage(_empty(number))
        if line:
            self.spoil(ResultUnreadable("it is no JSON-RPC that can be read"))
        return None


def _empty(number: str | int) -> Any:
    """A result that the SDK takes for whole, of either era."""
    from mcp_types import JSONRPCResponse

    result = {"content": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    return JSONRPCResponse(jsonrpc="2.0", id=number, result=result)


@dataclass(eq=False)
class Link:
    """The connection as `run` keeps it. Every method runs on the loop that runs it."""

    target: Target
    launch: Launch
    on_changed: Callable[[], None]
    on_missed: Callable[[], None]
    """Called when what the server said may have gone unheard for a while."""
    ready: asyncio.Future[ClientSession]
    """The session once it is there; NotSent where it does not come."""
    ended: bool = False
    retired: bool = False
    """It takes no new calls, and ends with its last one."""
    _stop: asyncio.Event | None = None
    _tap: CallTap | None = None
    _status: HttpStatus = field(default_factory=HttpStatus)
    _listing: asyncio.Lock | None = None

    async def run(self) -> None:
        """Open, serve until `stop` or the connection's end, close."""
        import asyncio

        from mcpexpose.client.connect import quiet

        self._stop, self._listing = asyncio.Event(), asyncio.Lock()
        transport = self.target.transport
        wait = patience(transport.startup_timeout_s)
        first = Handshake("old" if transport.kind == "sse" else "either", wait)
        try:
            with StderrTail() as stderr, quiet():
                again = await self._serve(stderr, first)
                if again is not None:
                    await self._serve(stderr, again)
        except Exception as error:
            self._fail(type(error).__name__)
        finally:
            self.ended = True
            self._fail("it was closed")

    async def _serve(self, stderr: StderrTail, handshake: Handshake) -> Handshake | None:
        """One process or connection; the handshake to try with another one, where this one wants that."""
        import asyncio

        assert self._stop is not None
        faults: list[str] = []
        stop = self._stop
        self._status.on_too_large = self._cut_off

        def broken(sentence: str) -> None:
            faults.append(sentence)
            stop.set()

        tap = self._tap = CallTap(broken)
        limit = self.target.transport.startup_timeout_s
        opened = False
        try:
            async with asyncio.timeout(limit) as opening:
                async with connected(
                    self.launch,
                    self.target.transport.kind,
                    tap,
                    stderr,
                    self._status,
                    handshake,
                    limit_s=max(limit, self.target.transport.tool_timeout_s),
                    on_message=self._hear,
                    on_end=stop.set,
                ) as session:
                    if handshake.spoiled:
                        return Handshake("new", handshake.patience_s)
                    opened = True
                    opening.reschedule(None)
                    async with asyncio.TaskGroup() as group:
                        listening = group.create_task(self._listen(session))
                        if not self.ready.done():
                            self.ready.set_result(session)
                        await stop.wait()
                        listening.cancel()
        except Exception as error:
            if opened or self._stop.is_set():
                return None
            if self.target.transport.kind == "stdio" and handshake.era == "either" and _ended_early(error):
                # A server of before 2026-07-28 may end at the first message that is no `initialize`.
                return Handshake("new" if handshake.both else "old", handshake.patience_s)
            raise
        return None

    def _fail(self, why: str) -> None:
        if not self.ready.done():
            self.ready.set_exception(NotSent(f"there is no connection to the server: {why}"))
            self.ready.exception()  # nobody may be waiting

    def stop(self) -> None:
        if self._stop is not None:
            self._stop.set()

    def retire(self) -> None:
        """The next call shall open another connection; those that are under way may end."""
        self.retired = True
        if self._tap is None or not self._tap.calls:
            self.stop()

    def _cut_off(self, number: str | int) -> None:
        if self._tap is not None and (pending := self._tap.calls.get(number)) is not None:
            pending.trouble = ResultTooLarge("it is longer than what is read of one")

    async def _hear(self, message: Any) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self.on_changed()

    async def _listen(self, session: ClientSession) -> None:
        """On the 2026-07-28 revision, a subscription; before it, notifications come by themselves."""
        if (session.protocol_version or "") < MODERN:
            return
        import asyncio

        from mcp.client.subscriptions import listen

        again = False
        while True:
            try:
                # What it tells comes to `_hear` as well, as every notification does.
                async with listen(session, tools_list_changed=True) as subscription:
                    if again:  # nothing is told twice, so nobody knows what was told in between
                        self.on_missed()
                    again = True
                    async for _ in subscription:
                        pass
            except Exception:  # it offers none, or dropped it: the age of the catalog still counts
                if self._stop is None or self._stop.is_set():
                    return
            await asyncio.sleep(_LISTEN_AGAIN_S)
            if not await self._offers_listening(session):
                return

    async def _offers_listening(self, session: ClientSession) -> bool:
        capabilities = session.server_capabilities
        return bool(capabilities and capabilities.tools and capabilities.tools.list_changed)

    # requests

    async def call(self, tool: str, arguments: Any, renew: Callable[[], None], mirrored: Any = None) -> dict[str, Any]:
        """The raw result. MIRRORED is the schema of a tool with `x-mcp-header`. Raises what `model.calling` names."""
        from mcp_types import CallToolRequest, CallToolRequestParams
        from pydantic import TypeAdapter

        session = await self._session()
        pending = Pending(headers=self._mirrored(session, mirrored, arguments))

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            renew()

        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=dict(arguments)))
        token = _current.set(pending)
        try:
            await session.send_request(request, TypeAdapter(Any), progress_callback=on_progress)
        except Exception as error:
            if pending.result is None and pending.trouble is None:
                pending.trouble = self._told(error, pending)
        except BaseException:
            if self.target.transport.kind != "stdio":
                # The SDK posts its cancellation before anything else, and would wait for a network that is gone.
                self.retire()
            raise
        finally:
            _current.reset(token)
            self._done(pending)
        if pending.trouble is not None:
            raise pending.trouble
        if pending.result is None:
            raise ConnectionLost("the connection ended")
        return pending.result

    def _mirrored(self, session: ClientSession, schema: Any, arguments: Any) -> dict[str, str]:
        """Headers that a server of 2026-07-28 demands over HTTP, and refuses a call without."""
        if schema is None or self.target.transport.kind != "http" or (session.protocol_version or "") < MODERN:
            return {}
        from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map

        if find_invalid_x_mcp_header(schema) is not None:
            return {}
        return mcp_param_headers(x_mcp_header_map(schema), arguments)

    def _done(self, pending: Pending) -> None:
        self._status.forget(pending.number)
        if self._tap is None:
            return
        if pending.number is not None and self._tap.calls.get(pending.number) is pending:
            del self._tap.calls[pending.number]
        if self.retired and not self._tap.calls:
            self.stop()

    async def list_tools(self) -> list[Any]:
        """All entries of all pages, raw. Raises CallTrouble."""
        from mcp_types import PaginatedRequestParams

        session = await self._session()
        assert self._tap is not None
        assert self._listing is not None
        entries: list[Any] = []
        cursor: str | None = None
        seen: set[str] = set()
        async with self._listing:  # pages arrive in the order in which they are asked for
            for _ in range(MAX_PAGES):
                try:
                    params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
                    await session.list_tools(params=params)
                except Exception as error:
                    raise self._told(error, Pending()) from None
                page = self._tap.pages.pop()
                self._tap.pages.clear()
                tools, cursor = page.get("tools"), page.get("nextCursor")
                if not isinstance(tools, list) or not isinstance(cursor, str | None):
                    raise ResultUnreadable("its answer holds no list of tools")
                entries += tools
                if len(entries) > self.target.max_tools:
                    raise ResultTooLarge("it lists too many tools")
                if cursor is None:
                    return entries
                if cursor in seen:
                    raise ResultUnreadable("its pages lead in a circle")
                seen.add(cursor)
        raise ResultTooLarge("its list of tools has too many pages")

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be asked of it."""
        return self.ended or self.retired or (self._stop is not None and self._stop.is_set())

    async def _session(self) -> ClientSession:
        import asyncio

        session: ClientSession = await asyncio.shield(self.ready)
        if self.is_over:
            raise NotSent("the connection to the server is closing")
        return session

    def _told(self, error: BaseException, pending: Pending) -> CallTrouble:
        found = told(error, self._status, pending.number, self.target.transport.kind, heard=pending.heard)
        if isinstance(found, SessionGone):
            self.retire()
        return found


def _ended_early(error: BaseException) -> bool:
    from mcp import MCPError

    return any(isinstance(leaf, MCPError) and leaf.error.code == CLOSED for leaf in leaves(error))
