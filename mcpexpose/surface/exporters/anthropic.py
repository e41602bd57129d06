"""Anthropic Messages API: all tools; deferred ones, by defer_loading, are found by the vendor's BM25 search.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Declared, Fitting, with_description

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.surface.offered import Surface

BM25 = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}


def export(surface: Surface) -> Export:
    return hosted(surface, "anthropic", BM25)


def hosted(surface: Surface, target: str, search: dict[str, str]) -> Export:
    """With SEARCH, one of the vendor's two. What a session found stays deferred: the history holds its reference."""
    fitting = Fitting("anthropic")
    return messages(surface, target, fitting, [dict(search)] if surface.to_find else [])


def messages(surface: Surface, target: str, fitting: Fitting, search: Sequence[dict[str, Any]]) -> Export:
    """The request's part: SEARCH, direct tools by alias, then all others, deferred. The order does not change while a
    session goes on, so the cached prefix holds.
    """
    fitting.told(surface.tools)
    direct = [tool(each) for each in fitting.tools(surface.at("first"))]
    room = fitting.room("deferred-tools")
    kept = fitting.tools(surface.to_find, room=room, of="the deferred part of a request")
    deferred = [{**tool(each), "defer_loading": True} for each in kept]
    if deferred and any(each["name"].startswith("tool_search_tool_") for each in search):
        fitting.lose("ranking-replaced", "", f"{len(deferred)} tools are searched by {search[0]['name']}")
    value: dict[str, Any] = {"tools": [*(search if deferred else []), *direct, *deferred]}
    if surface.prompt_section and deferred:
        value = {"system": surface.prompt_section, **value}
    return Export(target, value, in_order(fitting.losses))


def tool(declared: Declared) -> dict[str, Any]:
    return {"name": declared.name, **with_description(declared), "input_schema": declared.schema}
