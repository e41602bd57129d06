"""A server with deferred tools and no summary: the model cannot know that they exist (X07)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Server
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import first_line, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    if first_line(server.table.description or ""):
        return
    count = _deferred(server, context)
    if count == 0:
        return
    tools = "deferred tools" if count is None else f"{count} deferred tool{'s' if count > 1 else ''}"
    yield rule.finding(
        f"{shown(server.id)} has {tools} and no description, so the model sees only its id",
        (server.id,),
        'Say in one line what it is for: `description = "…"`; or declare the tools with `exposure = "direct"`.',
        server.place,
        details={"deferred": count},
    )


def _deferred(server: Server, context: Context) -> int | None:
    """How many tools of it are deferred; None where that is not known, because nothing was captured yet."""
    if server.id in context.catalogs and context.compiled is not None:
        tools = context.tools_by_server.get(server.id, ())
        return sum(tool.planned and tool.decision.exposure is Exposure.DEFERRED for tool in tools)
    setting = server.table.exposure or context.config.exposure.default
    return None if setting == "deferred" and server.table.allow_patterns != () else 0
