"""A real server of the MCP SDK: a desk of tickets that keeps what it did, with tools of all classes."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

TEXT = {"type": "string"}
CONFIG = """\
[mcp_servers.desk]
url = "{address}/mcp"
description = "Tickets of the service desk"
owner = "desk"
[mcp_servers.desk.tools.status]
exposure = "direct"
side_effect = "read_only"
[mcp_servers.desk.tools.find_ticket]
side_effect = "read_only"
[mcp_servers.desk.tools.count_tickets]
side_effect = "read_only"
[mcp_servers.desk.tools.open_ticket]
side_effect = "write"
"""
"""A config for it; `{address}` is where it listens."""


class Desk:
    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        """Of each call, where it came over HTTP."""
        self.bus = InMemorySubscriptionBus()
        self.tools = {
            tool.name: tool
            for tool in (
                types.Tool(
                    name="open_ticket",
                    description="Open a ticket about a fault",
                    input_schema={"type": "object", "properties": {"title": TEXT}, "required": ["title"]},
                ),
                types.Tool(
                    name="find_ticket",
                    description="Look a ticket up by its number",
                    # Names that frameworks have arguments of their own for.
                    input_schema={"type": "object", "properties": {"config": TEXT, "number": {"type": "integer"}}},
                ),
                types.Tool(
                    name="count_tickets",
                    description="Count the tickets that are open",
                    input_schema={"type": "object"},
                    output_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
                ),
                types.Tool(name="status", description="Health of the desk", input_schema={"type": "object"}),
            )
        }
        self.server: Server[Any] = Server(
            "desk",
            on_list_tools=self.on_list,
            on_call_tool=self.on_call,
            on_subscriptions_listen=ListenHandler(self.bus),
        )

    @property
    def app(self) -> Any:
        """Streamable HTTP, both eras."""
        return self.server.streamable_http_app()

    async def on_list(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self.tools.values()))

    async def on_call(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        self.calls.append((params.name, dict(params.arguments or {})))
        self.headers.append(dict(getattr(getattr(ctx, "request", None), "headers", {})))
        if params.name == "count_tickets":
            return types.CallToolResult(content=[], structured_content={"n": "many"})
        if params.name == "find_ticket" and (params.arguments or {}).get("number") == 0:
            return types.CallToolResult(content=[types.TextContent(type="text", text="no such ticket")], is_error=True)
        return types.CallToolResult(content=[types.TextContent(type="text", text=f"did {params.name}")])

    async def change(self) -> None:
        """Another tool, and whoever listens is told."""
        self.tools["new_one"] = types.Tool(name="new_one", description="New", input_schema={"type": "object"})
        await self.bus.publish(ToolsListChanged())
