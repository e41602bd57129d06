"""Two server ids that a reader, or a host, takes for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.confusable import skeleton
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholeConfig
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WholeConfig)
def check(subject: WholeConfig, context: Context) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for name in sorted(subject.config.written):
        other = first.setdefault(skeleton(name).replace("-", "_"), name)
        if other != name:
            yield rule.finding(
                f"{shown(name)} and {shown(other)} look alike",
                (name, other),
                "Give one of them a name that nobody mixes up: hosts fold case and separators, and people do too.",
                context.place("mcp_servers", name),
                related=(context.place("mcp_servers", other),),
            )
