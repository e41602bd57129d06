"""Anthropic Messages API: the same; your host answers find_tools with tool_reference blocks.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool, "Custom tool search implementation"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface.exporters.anthropic import declared, request, tool
from mcpexpose.surface.fitting import Fitting
from mcpexpose.surface.offered import Offered

if TYPE_CHECKING:
    from collections.abc import Container

    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.exported import Export
    from mcpexpose.surface.offered import Surface


def export(surface: Surface) -> Export:
    fitting = Fitting("anthropic")
    direct, deferred = declared(surface, fitting)
    search = [tool(each) for each in fitting.search_tool(surface)]
    return request(surface, "anthropic-custom", fitting, [*search, *direct, *deferred])


def answer(found: Answer, call_id: str, first: Container[str] = ()) -> dict[str, Any]:
    """A `tool_result` block with references to deferred tools of the request; the text where there are none.

    A reference to a tool that the export left out would fail the request, so it has none.
    """
    fitting = Fitting("anthropic")
    loading = [match for match in found.matches if match.tool.alias not in first]
    named = [fitting.tool(Offered(match.tool, match.definition, "found")) for match in loading]
    blocks: list[dict[str, Any]] = [{"type": "tool_reference", "tool_name": each.name} for each in named if each]
    return {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": blocks or [{"type": "text", "text": found.text}],
    }
