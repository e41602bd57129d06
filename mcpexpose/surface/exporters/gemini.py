"""Gemini generateContent: direct functions and find_tools, as declarations, with parametersJsonSchema.

https://ai.google.dev/api/caching#FunctionDeclaration
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.plan import SEARCH_TOOL
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Declared, Fitting, with_description

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from mcpexpose.model.answer import Answer
    from mcpexpose.surface.offered import Surface

LIMITS = "gemini-json-schema"


def export(surface: Surface) -> Export:
    return content(surface, "gemini", LIMITS, lambda each: {"parametersJsonSchema": each.schema})


def content(surface: Surface, target: str, limits: str, parameters: Callable[[Declared], dict[str, Any]]) -> Export:
    """The request's part; PARAMETERS gives what a declaration says of its parameters."""
    fitting = Fitting(limits)
    declarations = [
        {"name": each.name, **with_description(each), **parameters(each)} for each in fitting.declared(surface)
    ]
    value: dict[str, Any] = {"tools": [{"functionDeclarations": declarations}] if declarations else []}
    if surface.prompt_section:
        value = {"systemInstruction": {"parts": [{"text": surface.prompt_section}]}, **value}
    return Export(target, value, in_order(fitting.losses))


def answer(found: Answer, call_id: str, first: Container[str] = ()) -> dict[str, Any]:
    """The part that answers the call; CALL_ID is its `id`, "" where it had none."""
    told: dict[str, Any] = {"name": SEARCH_TOOL, "response": {"output": found.text}}
    return {"functionResponse": {"id": call_id, **told} if call_id else told}
