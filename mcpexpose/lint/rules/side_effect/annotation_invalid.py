"""Hints that are no booleans, or that are spelled in a way that nobody reads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_FOLDED = {form: hint for hint in _HINTS for form in (hint.lower(), hint.lower().removesuffix("hint"))}


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    annotations = tool.raw.get("annotations")
    if not tool.wanted or annotations is None:
        return
    advice = "It is not counted; have the server mended, and say the class in the config until then."
    if not isinstance(annotations, dict):
        message = f"{shown(str(tool.id))} has annotations that are no object"
        yield rule.finding(message, (tool.id,), advice, tool.at("annotations"))
        return
    for key, value in annotations.items():
        if key in _HINTS:
            if value is not None and not isinstance(value, bool):
                message = f"{shown(str(tool.id))} has a {key} that is neither true nor false"
                yield rule.finding(message, (tool.id,), advice, tool.at("annotations", key), details={"hint": key})
        elif hint := _FOLDED.get("".join(char for char in key if char.isalnum()).lower()):
            message = f"{shown(str(tool.id))} has the hint {shown(key, 40)}, which nobody reads; it is called {hint}"
            details = {"hint": shown(key, 40), "suggests": [hint]}
            place = replace(tool.at("annotations", key), on="key")
            yield rule.finding(message, (tool.id,), advice, place, details=details)
