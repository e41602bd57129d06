"""A definition that costs more than most whole servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")

TOKENS = 4_000
VALUES = 250


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    if not tool.planned:
        return
    if tool.decision.tokens > TOKENS:
        yield rule.finding(
            f"the definition of {shown(str(tool.id))} is {tool.decision.tokens:,} tokens; most are under 500",
            (tool.id,),
            "Ask for a leaner schema, or keep it deferred and out of profiles that do not need it.",
            tool.at("inputSchema"),
            details={"tokens": tool.decision.tokens, "limit": TOKENS},
        )
    if (count := _longest_enum(tool.raw.get("inputSchema"))) > VALUES:
        yield rule.finding(
            f"{shown(str(tool.id))} lists {count:,} values in one enum; {VALUES} are plenty",
            (tool.id,),
            "Ask for a tool that looks the value up, in place of a list that every conversation pays for.",
            tool.at("inputSchema"),
            details={"values": count, "limit": VALUES},
        )


def _longest_enum(schema: Any) -> int:
    longest, stack = 0, [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            listed = value.get("enum")
            longest = max(longest, len(listed) if isinstance(listed, list) else 0)
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return longest
