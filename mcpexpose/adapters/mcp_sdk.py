"""The clients of the MCP SDK that a host has open already, as the way by which calls go and lists come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.calling import NotSent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp import Client, ClientSession

    from mcpexpose.host.outcome import Carried
    from mcpexpose.host.plan import HostPlan

MAX_PAGES = 1_000


class SdkClients:
    """Open clients by server id, on the loop of whoever calls: `session.call(…, through=clients.through)` and
    `Runtime(refresh=clients.refresh)`. A host may add and take out clients in CLIENTS as servers come and go.
    """

    def __init__(self, clients: Mapping[str, Client | ClientSession]) -> None:
        self.clients = clients
        self._learned: dict[str, Any] = {}

    async def through(self, request: Carried) -> Any:
        """Carries one call; its result as the server sent it, which the SDK would judge and the gate does."""
        from mcp_types import CallToolRequest, CallToolRequestParams
        from pydantic import TypeAdapter

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            request.progress()

        session = self._session(request.server)
        if request.mirrored is not None and self._learned.get(request.server) is not session:
            await self._learn(session)
            self._learned[request.server] = session
        params = CallToolRequestParams(name=request.tool, arguments=dict(request.arguments))
        return await session.send_request(
            CallToolRequest(params=params), TypeAdapter(Any), progress_callback=on_progress
        )

    async def refresh(self, server: str) -> list[dict[str, Any]]:
        """What the server lists now, all pages, raw."""
        from mcp_types import ListToolsRequest, PaginatedRequestParams
        from pydantic import TypeAdapter

        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(MAX_PAGES):
            request = ListToolsRequest(params=PaginatedRequestParams(cursor=cursor) if cursor is not None else None)
            page: Any = await self._session(server).send_request(request, TypeAdapter(Any))
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return tools
            if cursor in seen:
                break
            seen.add(cursor)
        raise NotSent("the pages of its list have no end")

    async def _learn(self, session: Any) -> None:
        """From a list the client learns which arguments go into HTTP headers too; a call without them is refused."""
        from mcp_types import PaginatedRequestParams

        page = await session.list_tools()
        for _ in range(MAX_PAGES):
            if page.next_cursor is None:
                return
            page = await session.list_tools(params=PaginatedRequestParams(cursor=page.next_cursor))

    def _session(self, server: str) -> Any:
        client = self.clients.get(server)
        if client is None:
            raise NotSent("the host has no client for this server")
        session: Any = client
        return getattr(session, "session", session)


def hearing(plan: HostPlan, server: str) -> Callable[[Any], Awaitable[None]]:
    """A `message_handler` for the client of SERVER: a list that changed makes the server stale at once (G08).

    On revision 2026-07-28 a server tells only who listens: keep `client.listen(tools_list_changed=True)` open as well.
    """

    async def hear(message: Any) -> None:
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            plan.newest.list_changed(server)

    return hear
