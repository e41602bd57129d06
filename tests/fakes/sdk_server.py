"""A real server of the MCP SDK over stdio: `python sdk_server.py PAGE_SIZE NAME...` lists tools of these names."""

from __future__ import annotations

import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


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


async def main() -> None:
    server = build(sys.argv[2:], int(sys.argv[1]))
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
