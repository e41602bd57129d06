"""One bare name on several servers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context, WholePlan
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")
_NAMED = 6


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    by_name: dict[str, list[CapturedTool]] = defaultdict(list)
    for tool in context.tools:
        if tool.planned:
            by_name[tool.id.name].append(tool)
    for name, tools in sorted(by_name.items()):
        if len(tools) < 2:
            continue
        servers = [tool.id.server for tool in tools]
        more = f" and {len(servers) - _NAMED} more" if len(servers) > _NAMED else ""
        listed = ", ".join(shown(server) for server in servers[:_NAMED]) + more
        yield rule.finding(
            f"{shown(name, 80)} is a tool of {len(servers)} servers: {listed}",
            (name, *(tool.id for tool in tools)),
            "Nothing is mixed up, since aliases hold the server; deny those that are not needed, or describe each.",
            tools[0].at("name"),
            related=[tool.at("name") for tool in tools[1:]],
            details={"servers": servers},
        )
