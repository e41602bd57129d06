"""HTTP+SSE, which the protocol replaced in March 2025."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    if server.table.transport == "sse":
        yield rule.finding(
            f"{shown(server.id)} is reached over HTTP+SSE, which the protocol has deprecated",
            (f"{server.id}:transport",),
            "Ask the server's makers for a streamable HTTP address, and take `transport` out.",
            server.key("transport"),
        )
