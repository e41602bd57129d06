"""Anthropic Messages API: all tools; deferred ones, by defer_loading, are found by the vendor's BM25 search.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Declared, Fitting, with_description

if TYPE_CHECKING:
    from mcpexpose.surface.offered import Surface

BM25 = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}


def export(surface: Surface) -> Export:
    return hosted(surface, "anthropic", BM25)


def hosted(surface: Surface, target: str, search: dict[str, str]) -> Export:
    """With SEARCH, one of the vendor's two. What a session found stays deferred: the history holds its reference."""
    fitting = Fitting("anthropic")
    direct, deferred = declared(surface, fitting)
    if deferred:
        fitting.lose("ranking-replaced", "", f"{len(deferred)} tools are searched by {search['name']}")
    return request(surface, target, fitting, [*([dict(search)] if deferred else []), *direct, *deferred])


def declared(surface: Surface, fitting: Fitting) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Direct tools, and all others, deferred, each by alias: the order stays while a session goes on."""
    fitting.told(surface.tools)
    direct = [tool(each) for each in fitting.tools(surface.at("first"))]
    room = fitting.room("deferred-tools")
    kept = fitting.tools(surface.to_find, room=room, of="the deferred part of a request")
    return direct, [{**tool(each), "defer_loading": True} for each in kept]


def request(surface: Surface, target: str, fitting: Fitting, tools: list[dict[str, Any]]) -> Export:
    """The request's part with TOOLS."""
    section = {"system": surface.prompt_section} if surface.prompt_section else {}
    return Export(target, {**section, "tools": tools}, in_order(fitting.losses))


def tool(declared: Declared) -> dict[str, Any]:
    return {"name": declared.name, **with_description(declared), "input_schema": declared.schema}
