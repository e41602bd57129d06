"""A literal credential in what a server says of its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.secrets import find_in_prose
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if not tool.wanted:
        return
    for text in context.texts(tool):
        found = find_in_prose(text.text) if len(text.text) >= 12 else ()
        if found:
            kinds = list(dict.fromkeys(secret.kind for secret in found))
            yield rule.finding(
                f"{shown(str(tool.id))} has what looks like a {' and a '.join(kinds)} in its {shown(text.field)}",
                (tool.id,),
                "If it is one, whoever issued it must know; every model that meets the tool reads it.",
                tool.at(*text.place),
                details={"kinds": kinds},
            )
