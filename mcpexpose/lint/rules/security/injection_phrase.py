"""Words that command the model instead of describing the tool."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", audit=True, remembered="tool")

_PHRASES = re.compile(
    r"\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+|the\s+)?(?:previous|prior|above|earlier|other)\b"
    r"|\bdo\s+not\s+(?:tell|inform|mention|reveal|show)\b.{0,40}\buser\b"
    r"|\bwithout\s+(?:telling|informing|asking)\s+the\s+user\b"
    r"|\b(?:always|must)\s+(?:call|use|run|invoke)\s+this\s+(?:tool\s+)?(?:first|before)\b"
    # A tag alone may be a placeholder: `--secret <secret>`.
    r"|<important>|<(?P<tag>secret|hidden|instructions?)>(?=[\s\S]{0,4000}</(?P=tag)>)",
    re.IGNORECASE,
)


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    for text in context.texts(tool) if tool.planned else ():
        if not text.identifier and _PHRASES.search(text.text):
            yield rule.finding(
                f"{shown(str(tool.id))} gives the model orders in its {shown(text.field)}",
                (tool.id,),
                "Read it as a stranger's words, and replace the text in the config where it does more than describe.",
                tool.at(*text.place),
            )
            return
