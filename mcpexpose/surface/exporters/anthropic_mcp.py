"""Anthropic MCP connector: the vendor connects to the servers; toolsets allow what the plan allows.

https://platform.claude.com/docs/en/agents-and-tools/mcp-connector, revision mcp-client-2025-11-20
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.policy import PolicyState
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.exporters.anthropic import BM25
from mcpexpose.surface.fitting import Fitting
from mcpexpose.surface.hosted import address
from mcpexpose.surface.prompt import prompt_section

if TYPE_CHECKING:
    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.exported import LossKind
    from mcpexpose.surface.offered import Surface

BETA = "mcp-client-2025-11-20"


def export(surface: Surface) -> Export:
    """A tool that a server adds later is off until a plan allows it. What must be approved is off: nobody would ask."""
    fitting = Fitting("anthropic")
    servers: list[dict[str, Any]] = []
    toolsets: list[dict[str, Any]] = []
    searched: list[PlannedServer] = []
    for server in surface.servers:
        configs = _configs(surface, server, fitting)
        if not configs or (reached := _server(server, fitting)) is None:
            continue
        servers.append(reached)
        toolsets.append(
            {
                "type": "mcp_toolset",
                "mcp_server_name": reached["name"],
                "default_config": {"enabled": False},
                "configs": configs,
            }
        )
        if any(each["defer_loading"] for each in configs.values()):
            searched.append(server)
    search = [dict(BM25)] if searched else []
    value: dict[str, Any] = {"mcp_servers": servers, "tools": [*search, *toolsets]}
    if searched:
        fitting.lose("ranking-replaced", "", f"deferred tools are searched by {BM25['name']}")
        value = {"system": prompt_section((each.id, each.summary) for each in searched), **value}
    return Export("anthropic-mcp", value, in_order(fitting.losses), {"anthropic-beta": BETA})


def _configs(surface: Surface, server: PlannedServer, fitting: Fitting) -> dict[str, dict[str, bool]]:
    configs = {}
    for each in surface.of(server.id):
        if each.tool.policy_state is not PolicyState.ALLOWED:
            fitting.lose("tool-left-out", each, "a call must be approved, and the connector asks nobody")
            continue
        configs[each.tool.name] = {"enabled": True, "defer_loading": each.stage != "first"}
        if each.tool.replaced_description_digest:
            fitting.lose("description-dropped", each, "the config's description is not told")
    return configs


def _server(server: PlannedServer, fitting: Fitting) -> dict[str, Any] | None:
    found = address(server, fitting, https=True)
    if found is None:
        return None
    for name in found.headers:
        kind: LossKind = "credential-left-out" if name.lower() == "authorization" else "header-dropped"
        fitting.lose(kind, server.id, f"the header {name} is not sent: the connector takes a bearer token alone")
    fitting.lose("alias-dropped", server.id, "its tools go by their names on the server")
    fitting.lose("definition-not-pinned", server.id, f"the plan was made at revision {server.revision[:12]}")
    entry = {"type": "url", "name": fitting.label(server.id), "url": found.url}
    return {**entry, "authorization_token": found.token} if found.token else entry
