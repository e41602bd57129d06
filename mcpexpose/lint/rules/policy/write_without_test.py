"""A server whose tools change things, and of which no policy test asserts anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler import patterns
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholeConfig
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="info", since="0.1.0")


@rule.on(WholeConfig)
def check(subject: WholeConfig, context: Context) -> Iterator[Finding]:
    if context.tests is None:
        return
    servers = sorted(name for name, table in subject.config.mcp_servers.items() if table.enabled)
    changing = {server: tools for server in servers if (tools := _changing(server, context))}
    tests = context.tests() if changing else None
    if tests is None:
        return
    named = [pair for each in tests for text in each.test.named if (pair := patterns.of_tools(text))]
    bare = {server: tools for server, tools in changing.items() if not _asserted(server, tools, context, named)}
    if not bare:
        return
    if not tests:
        servers = sorted(bare)
        verb = "has a tool that may change things" if len(servers) == 1 else "have tools that may change things"
        yield rule.finding(
            f"{_names(servers)} {verb}, and there is no policy test",
            servers,
            "Say in a *.expose.toml beside the config what no model is to see, and what asks; mcpexpose test runs it.",
            context.place("mcp_servers", servers[0]),
        )
        return
    for server, tools in bare.items():
        first = shown(str(tools[0]), 120)
        what = first if len(tools) == 1 else f"{len(tools):,} tools"
        yield rule.finding(
            f"{what} may change things, and no policy test speaks of {shown(server, 80)}",
            (server,),
            f'Assert side_effect or approval of "{first}", or not_visible of what no model is to meet.',
            context.place("mcp_servers", server),
        )


def _changing(server: str, context: Context) -> list[ToolId]:
    """Its tools that a model may meet and that are not read_only; without a catalog, what the config says of them."""
    if server not in context.catalogs:
        tables = context.config.mcp_servers[server].tools
        return [ToolId(server, name) for name, table in tables.items() if table.side_effect in ("write", "destructive")]
    return [
        tool.id
        for tool in context.tools_by_server.get(server, ())
        if tool.planned and tool.decision.side_effect is not SideEffect.READ_ONLY
    ]


def _asserted(server: str, tools: Sequence[ToolId], context: Context, named: Sequence[patterns.ToolPattern]) -> bool:
    """Whether a test speaks of a tool of SERVER that is not read_only, one that no model meets among them."""
    changing = set(tools)
    changing.update(
        tool.id
        for tool in context.tools_by_server.get(server, ())
        if tool.decision.side_effect is not SideEffect.READ_ONLY
    )
    return any(pattern.meets(tool) for pattern in named for tool in changing)


def _names(servers: Sequence[str]) -> str:
    names = [shown(server, 80) for server in servers[:5]]
    more = len(servers) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")
