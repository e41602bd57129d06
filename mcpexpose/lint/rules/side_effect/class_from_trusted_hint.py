"""Classes that stand on the server's word alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context, Server
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.text import shown
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="info", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    if context.compiled is None:
        return
    tools = [tool for tool in context.tools_by_server.get(server.id, ()) if _stands_on_the_hint(tool)]
    if tools:
        have = "1 tool has its class" if len(tools) == 1 else f"{count(len(tools), 'tool')} have their classes"
        yield rule.finding(
            f"{have} because {shown(server.id)}, which is trusted, says so",
            [tool.id for tool in tools],
            "Write the class down where a later version of the server must not change it.",
            server.key("trust_annotations"),
        )


def _stands_on_the_hint(tool: CapturedTool) -> bool:
    decision = tool.decision
    if not tool.planned or decision.side_effect in (SideEffect.DESTRUCTIVE, SideEffect.UNKNOWN):
        return False
    return decision.declared_side_effect is None and decision.hint_side_effect is decision.side_effect_before_packs
