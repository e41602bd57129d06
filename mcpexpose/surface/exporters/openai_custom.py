"""OpenAI Responses: your host executes the tool_search and answers with the definitions.

https://developers.openai.com/api/docs/guides/tools-tool-search, "Client-executed tool search"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.exporters.openai import LIMITS, function
from mcpexpose.surface.fitting import Fitting
from mcpexpose.surface.offered import Offered

if TYPE_CHECKING:
    from collections.abc import Container

    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.offered import Surface


def export(surface: Surface) -> Export:
    """Deferred tools are in no request: they come with the answer to a search, and stay in the history."""
    fitting = Fitting(LIMITS)
    fitting.told(surface.tools)
    search = [
        {"type": "tool_search", "execution": "client", "description": each.description, "parameters": each.schema}
        for each in fitting.search_tool(surface)
    ]
    direct = [function(each) for each in fitting.tools(surface.at("first"))]
    fitting.tools(surface.to_find)  # what an answer will lose of them
    value: dict[str, Any] = {"tools": [*search, *direct]}
    if surface.prompt_section:
        value = {"instructions": surface.prompt_section, **value}
    return Export("openai-custom", value, in_order(fitting.losses))


def answer(found: Answer, call_id: str, first: Container[str] = ()) -> dict[str, Any]:
    """A `tool_search_output` item with the definitions of all matches but those of request 1, which has them already;
    an empty list where there is none.
    """
    fitting = Fitting(LIMITS)
    loading = [match for match in found.matches if match.tool.alias not in first]
    loaded = fitting.tools(Offered(match.tool, match.definition, "found") for match in loading)
    return {
        "type": "tool_search_output",
        "call_id": call_id,
        "execution": "client",
        "status": "completed",
        "tools": [{**function(each), "defer_loading": True} for each in loaded],
    }
