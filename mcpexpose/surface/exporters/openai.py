"""OpenAI Responses: deferred functions in a namespace a server, found by the vendor's tool_search.

https://developers.openai.com/api/docs/guides/tools-tool-search
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.text import cut, first_line
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Declared, Fitting, with_description
from mcpexpose.surface.prompt import SUMMARY_MAX
from mcpexpose.surface.wording import plain

if TYPE_CHECKING:
    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.offered import Surface

LIMITS = "openai-responses"


def export(surface: Surface) -> Export:
    """Namespaces say what the prompt section would. What was found stays in its namespace: the history holds it."""
    fitting = Fitting(LIMITS)
    fitting.told(surface.tools)
    direct = [function(each) for each in fitting.tools(surface.at("first"))]
    namespaces: list[dict[str, Any]] = []
    to_find = surface.to_find
    for server in surface.servers:
        members = fitting.tools(each for each in to_find if each.tool.server == server.id)
        if members:
            namespaces.append(
                {
                    "type": "namespace",
                    "name": fitting.label(server.id),
                    "description": summary(server),
                    "tools": [{**function(each), "defer_loading": True} for each in members],
                }
            )
    if namespaces:
        fitting.lose("ranking-replaced", "", f"{count(namespaces)} tools are searched by tool_search")
    search = [{"type": "tool_search"}] if namespaces else []
    return Export("openai", {"tools": [*search, *direct, *namespaces]}, in_order(fitting.losses))


def function(declared: Declared) -> dict[str, Any]:
    """Not strict: that takes schemas of another kind, and would fill in what the model left out."""
    return {
        "type": "function",
        "name": declared.name,
        **with_description(declared),
        "parameters": declared.schema,
        "strict": False,
    }


def summary(server: PlannedServer) -> str:
    """The line about a server that the prompt section has; its id where there is none."""
    return cut(plain(first_line(server.summary)), SUMMARY_MAX) or cut(plain(server.id), SUMMARY_MAX)


def count(namespaces: list[dict[str, Any]]) -> int:
    return sum(len(each["tools"]) for each in namespaces)
