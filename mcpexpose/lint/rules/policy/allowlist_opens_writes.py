"""A star in an allowlist, on a server whose tools change things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Server
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    allow = server.table.allow_patterns or ()
    changing = [
        str(tool.id)
        for tool in context.tools_by_server.get(server.id, ())
        if tool.planned and tool.decision.side_effect is not SideEffect.READ_ONLY
    ]
    for n, entry in enumerate(allow):
        if entry and not entry.strip("*") and changing:
            key = server.table.allow_key
            yield rule.finding(
                f'{key} "{entry}" of {shown(server.id)} lets in {len(changing)} tools that are not read_only, '
                "and whatever the server adds tomorrow",
                (f"{server.id}:{key}[{n}]",),
                "Name the tools that are wanted; a list of names is what a review can read.",
                server.key(key, n),
                details={"tools": changing[:20]},
            )
