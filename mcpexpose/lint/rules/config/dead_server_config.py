"""Rules for the tools of a server that no model will meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholeConfig
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="info", since="0.1.0")


@rule.on(WholeConfig)
def check(subject: WholeConfig, context: Context) -> Iterator[Finding]:
    for name, table in sorted(subject.config.mcp_servers.items()):
        ruled = table.tools or table.allow_patterns is not None or table.deny_patterns
        lifted = any(tool.exposure not in (None, "hidden") for tool in table.tools.values())
        state = "disabled" if not table.enabled else "hidden" if table.exposure == "hidden" and not lifted else ""
        if ruled and state:
            yield rule.finding(
                f"{shown(name)} is {state}, so its lists and tool tables decide nothing",
                (name,),
                "Take them out, or let the server speak.",
                context.place("mcp_servers", name),
            )
