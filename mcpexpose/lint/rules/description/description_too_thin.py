"""A text of a word or two."""

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
_LETTERS = 24


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    text = tool.decision.description.strip()
    words = re.findall(r"\w+", text)
    # Without blanks between words there is no counting them.
    if not tool.planned or not text.isascii() or not words or len(words) > 2 or len(text) > _LETTERS:
        return
    name = {piece.lower() for piece in _PIECES.findall(tool.id.name)}
    if {word.lower() for word in words} <= name:
        return  # told as one that restates its name
    yield rule.finding(
        f'the description of {shown(str(tool.id))} is no more than "{shown(text)}"',
        (tool.id,),
        "Say when it is the right tool, and what it gives.",
        tool.at("description"),
    )
