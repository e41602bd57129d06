"""A server that nobody answers for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Server
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    if not (server.table.owner or "").strip():
        yield rule.finding(
            f"{shown(server.id)} has no owner",
            (server.id,),
            'Name the people who answer for it: `owner = "…"`.',
            server.place,
        )
