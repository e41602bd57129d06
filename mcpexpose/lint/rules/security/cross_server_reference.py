"""A text that tells the model to use another server's tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.mentions import distinctive, tokens
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context, WholePlan
from mcpexpose.model.text import shown
from mcpexpose.search.analysis import name_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")
_CHOOSING = frozenset({"operation", "operations", "action", "command", "method"})
"""Arguments by which a tool is told which of several things to do; its text lists them."""


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    names: dict[str, list[CapturedTool]] = {}
    for tool in context.tools:
        for name in {tool.id.name} if distinctive(tool.id.name, 3) else set():
            names.setdefault(name, []).append(tool)
        names.setdefault(str(tool.id), []).append(tool)
        names.setdefault(tool.decision.alias, []).append(tool)
    for tool in context.tools:
        if not tool.planned:
            continue
        for word in sorted(tokens(tool.decision.description)):
            others = names.get(word, ())
            if others and all(other.id.server != tool.id.server for other in others):
                if word == others[0].id.name and _own(word, tool, context):
                    continue
                named = shown(str(others[0].id))
                yield rule.finding(
                    f"the description of {shown(str(tool.id))} names {named}, a tool of another server",
                    (tool.id, others[0].id),
                    "Ask why it should: a text that steers calls to other servers is how tools are shadowed.",
                    tool.at("description"),
                )
                break


def _own(word: str, tool: CapturedTool, context: Context) -> bool:
    """Whether a bare name is the tool's own: an operation that it does, a value that it takes, or a sibling's end."""
    schema = tool.raw.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(properties, dict) and not _CHOOSING.isdisjoint(properties):
        return True
    key = name_key(word)
    if any(name_key(sibling.id.name).endswith(key) for sibling in context.tools_by_server[tool.id.server]):
        return True
    return any(
        text.text == word or (text.field == "inputSchema" and word in tokens(text.text)) for text in context.texts(tool)
    )
