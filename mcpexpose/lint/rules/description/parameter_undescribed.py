"""Arguments without a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="info", since="0.1.0", remembered="tool")
_NAMED = 6


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    schema = tool.raw.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not tool.planned or not isinstance(properties, dict):
        return
    bare = [
        name
        for name, value in properties.items()
        if isinstance(value, dict) and not value.keys() & {"description", "title", "$ref", "enum", "const"}
    ]
    if bare:
        more = f" and {len(bare) - _NAMED} more" if len(bare) > _NAMED else ""
        yield rule.finding(
            f"{shown(str(tool.id))} describes not all of its arguments: "
            f"{', '.join(shown(name, 40) for name in bare[:_NAMED])}{more}",
            (tool.id,),
            "Ask the server's makers for a line on each: a model guesses what nobody says.",
            tool.at("inputSchema", "properties", bare[0]),
            details={"parameters": [shown(name, 80) for name in bare]},
        )
