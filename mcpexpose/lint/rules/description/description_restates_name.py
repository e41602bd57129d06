"""A text that says what the name said already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SMALL = frozenset(
    ["a", "an", "the", "of", "for", "to", "in", "on", "by", "with", "and", "or", "all", "this", "that", "your", "from"]
)


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    text = tool.decision.description
    if not tool.planned or len(text) > 200:
        return
    said = {_stem(word.lower()) for word in re.findall(r"\w+", text)} - _SMALL
    if not said:
        return
    name = {_stem(piece.lower()) for piece in _PIECES.findall(f"{tool.id.name} {tool.id.server}")}
    if said <= name:
        yield rule.finding(
            f"the description of {shown(str(tool.id))} says no more than its name",
            (tool.id,),
            "Say when it is the right tool, and what it gives: those are the words that people search by.",
            tool.at("description"),
        )


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word
