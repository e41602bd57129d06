"""An argument that asks for more than the task needs."""

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

_NAMES = re.compile(
    r"(?:full_?|entire_?|whole_?)?(?:conversation|chat)_?(?:history|log|context)|system_?prompt|side_?note"
    r"|tools?_?list|all_?(?:tools|messages)|(?:user_?)?(?:environment_?variables|env_?vars)",
    re.IGNORECASE,
)


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    schema = tool.raw.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name in properties if tool.planned and isinstance(properties, dict) else ():
        if _NAMES.fullmatch(name.replace("-", "_")):
            yield rule.finding(
                f"{shown(str(tool.id))} asks for {shown(name, 60)}",
                (f"{tool.id}#/properties/{name}",),
                "Find out what it is for: a model fills in what it is asked for.",
                tool.at("inputSchema", "properties", name),
            )
