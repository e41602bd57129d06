"""An allowlist that leaves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Server
from mcpexpose.model.policy import PolicyState
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    allow = server.table.allow_patterns
    tools = context.tools_by_server.get(server.id, ())
    if (
        allow is None
        or (allow and not tools)
        or any(tool.decision.policy_state is not PolicyState.DENIED for tool in tools)
    ):
        return
    key = server.table.allow_key
    what = "is empty" if not allow else "leaves nothing that deny does not take"
    yield rule.finding(
        f"{key} of {shown(server.id)} {what}, so none of its tools is exposed",
        (f"{server.id}:{key}",),
        "Name what is allowed, take the list out to allow all, or set `enabled = false`.",
        server.key(key),
    )
