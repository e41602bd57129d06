"""OpenAI Chat Completions: direct functions and find_tools; what was found is declared next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Declared, Fitting, with_description

if TYPE_CHECKING:
    from collections.abc import Container

    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.offered import Surface

LIMITS = "openai"


def export(surface: Surface) -> Export:
    fitting = Fitting(LIMITS)
    tools = [function(each) for each in fitting.declared(surface)]
    value: dict[str, Any] = {"tools": tools}
    if surface.prompt_section:
        value = {"messages": [{"role": "system", "content": surface.prompt_section}], **value}
    return Export("openai-chat", value, in_order(fitting.losses))


def answer(found: Answer, call_id: str, first: Container[str] = ()) -> dict[str, Any]:
    """The message that answers the call."""
    return {"role": "tool", "tool_call_id": call_id, "content": found.text}


def function(declared: Declared) -> dict[str, Any]:
    told = {"name": declared.name, **with_description(declared), "parameters": declared.schema}
    return {"type": "function", "function": told}
