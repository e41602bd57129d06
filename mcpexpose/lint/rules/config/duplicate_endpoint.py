"""Two ids, one command or address."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholeConfig
from mcpexpose.model.canonical import digest
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WholeConfig)
def check(subject: WholeConfig, context: Context) -> Iterator[Finding]:
    # The same program under another account is another endpoint, so variables and headers count; timeouts do not.
    groups: dict[str, list[str]] = defaultdict(list)
    assert context.resolved is not None
    for name, transport in sorted(context.resolved.transports.items()):
        groups[digest(to_json(replace(transport, startup_timeout_s=0.0, tool_timeout_s=0.0)))].append(name)
    for names in groups.values():
        for other in names[1:]:
            yield rule.finding(
                f"{shown(other)} is reached as {shown(names[0])} is: the model gets every tool twice",
                (other, names[0]),
                "Keep one of them, or tell their environments apart.",
                context.place("mcp_servers", other),
                related=(context.place("mcp_servers", names[0]),),
            )
