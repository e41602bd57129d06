"""A tool that came since the lock, and that nothing in the config names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler.patterns import compiled, problem
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Server
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    locked = context.lock.servers.get(server.id) if context.lock else None
    if locked is None:
        return
    named = [*(server.table.allow_patterns or ()), *server.table.tools]
    patterns = [compiled(pattern) for pattern in named if problem(pattern) is None]
    for tool in context.tools_by_server.get(server.id, ()):
        if tool.id.name in locked.tools or not tool.wanted:
            continue
        if not any(pattern.matches(tool.id.name) for pattern in patterns):
            yield rule.finding(
                f"{shown(str(tool.id))} came since the lock, and no allow entry and no tool table of "
                f"{shown(server.id)} names it: it is {tool.decision.exposure} by default alone",
                (tool.id,),
                "Name what is wanted in an allow list, or give it a tool table; then `mcpexpose lock`.",
                tool.place,
                related=(server.place,),
            )
