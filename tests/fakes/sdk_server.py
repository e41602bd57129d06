"""A real server of the MCP SDK over stdio: `python sdk_server.py [--old] PAGE_SIZE NAME...` lists tools of these names.

With --old it is one of before 2026-07-28, which does not know `server/discover`.
"""

from __future__ import annotations

import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage


def build(names: list[str], page_size: int) -> Server[Any]:
    """A low-level server, paged, with instructions and a lifetime for its list."""

    async def on_list_tools(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        at = int(params.cursor) if params and params.cursor is not None else 0
        tools = [
            types.Tool(name=name, description=f"Does {name}", input_schema={"type": "object"}, _meta={"x/y": 1})
            for name in names[at : at + page_size]
        ]
        after = at + page_size
        return types.ListToolsResult(tools=tools, next_cursor=str(after) if after < len(names) else None)

    async def on_call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])

    return Server(
        "sdk",
        version="7",
        instructions="Looks things up. Ask it often.",
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        cache_hints={"tools/list": CacheHint(ttl_ms=60_000, scope="public")},
    )


async def refuse_discover(read: Any, write: Any, onward: Any) -> None:
    """Hand on what comes, but for what only the new era knows."""
    async with onward:
        async for item in read:
            if getattr(item.message, "method", None) == "server/discover":
                error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="Method not found")
                await write.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=item.message.id, error=error)))
            else:
                await onward.send(item)


async def main() -> None:
    old, words = sys.argv[1] == "--old", [word for word in sys.argv[1:] if word != "--old"]
    server = build(words[1:], int(words[0]))
    async with stdio_server() as (read, write), anyio.create_task_group() as group:
        if old:
            onward, filtered = anyio.create_memory_object_stream[Any](0)
            group.start_soon(refuse_discover, read, write, onward)
            read = filtered
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
