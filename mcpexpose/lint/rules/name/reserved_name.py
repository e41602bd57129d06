"""A tool called like a host's or a provider's own. The config room tells of a server's id that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.reserved import is_a_providers, is_own
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    own = is_own(tool.id.name)
    if not tool.planned or not (own or is_a_providers(tool.id.name)):
        return
    whose = "the host's own tools" if own else "a provider's own tools"
    yield rule.finding(
        f"{shown(str(tool.id))} is called like one of {whose}",
        (tool.id,),
        f"It answers to {tool.decision.alias} alone; describe it so that no model mixes the two up, or deny it.",
        tool.at("name"),
    )
