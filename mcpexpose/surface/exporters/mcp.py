"""MCP: a tools/list result, with hints by the plan's classes.

https://modelcontextprotocol.io/specification/2025-11-25/server/tools
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.policy import SideEffect
from mcpexpose.surface.declarations import SEARCH_SIDE_EFFECT
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Fitting

if TYPE_CHECKING:
    from collections.abc import Container

    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.offered import Offered, Surface

LIMITS = "mcp"


def export(surface: Surface) -> Export:
    """What a server of the plan lists: find_tools, then the declared tools."""
    fitting = Fitting(LIMITS)
    by_alias = {each.tool.alias: each for each in surface.at("first", "found")}
    tools = []
    for declared in fitting.declared(surface, outputs=False):
        told: dict[str, Any] = {
            "name": declared.name,
            "description": declared.description,
            "inputSchema": declared.schema,
        }
        offered = by_alias.get(declared.name)
        told |= {"annotations": hints(SEARCH_SIDE_EFFECT)} if offered is None else _more(offered, fitting)
        tools.append(told)
    if surface.prompt_section:
        fitting.lose("prompt-section-dropped", "", "a list of tools has no place for the servers section")
    return Export("mcp", {"tools": tools}, in_order(fitting.losses))


def answer(found: Answer, call_id: str, first: Container[str] = ()) -> dict[str, Any]:
    """The result of the call; the protocol binds it to the request by the message's own id."""
    return {"content": [{"type": "text", "text": found.text}]}


def hints(effect: SideEffect) -> dict[str, bool]:
    """The class as annotations; unknown is handled as destructive."""
    if effect is SideEffect.READ_ONLY:
        return {"readOnlyHint": True}
    return {"readOnlyHint": False, "destructiveHint": effect is not SideEffect.WRITE}


def _more(offered: Offered, fitting: Fitting) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if offered.tool.title:
        told["title"] = offered.tool.title
    output = offered.definition.get("outputSchema")
    if isinstance(output, dict) and output.get("type") == "object":
        told["outputSchema"] = output
    elif output is not None:
        fitting.lose("output-schema-dropped", offered, "clients before 2026-07-28 take no output but an object's")
    annotations = hints(offered.tool.side_effect)
    if offered.tool.idempotent is not None:
        annotations["idempotentHint"] = offered.tool.idempotent
    return {**told, "annotations": annotations}
