"""OpenAI Responses, hosted MCP: the vendor connects; allowed_tools and require_approval by the plan.

https://developers.openai.com/api/docs/guides/tools-connectors-mcp
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.policy import PolicyState
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.exporters.openai import LIMITS, summary
from mcpexpose.surface.fitting import Fitting
from mcpexpose.surface.hosted import address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.offered import Offered, Surface


def export(surface: Surface) -> Export:
    """A server is deferred as a whole as soon as one of its tools is: to defer more is stricter, to declare is not."""
    fitting = Fitting(LIMITS)
    tools = [
        entry for server in surface.servers if (entry := _entry(server, surface.of(server.id), fitting)) is not None
    ]
    if any(each["defer_loading"] for each in tools):
        fitting.lose("ranking-replaced", "", "deferred tools are searched by tool_search")
        tools = [{"type": "tool_search"}, *tools]
    return Export("openai-mcp", {"tools": tools}, in_order(fitting.losses))


def _entry(server: PlannedServer, tools: Sequence[Offered], fitting: Fitting) -> dict[str, Any] | None:
    found = address(server, fitting, https=False)
    if found is None or not tools:
        return None
    deferred = any(each.stage != "first" for each in tools)
    for each in tools:
        if deferred and each.stage == "first":
            fitting.lose("direct-deferred", each, "its server is deferred as a whole")
        if each.tool.replaced_description_digest:
            fitting.lose("description-dropped", each, "the config's description is not told")
    fitting.lose("alias-dropped", server.id, "its tools go by their names on the server")
    fitting.lose("definition-not-pinned", server.id, f"the plan was made at revision {server.revision[:12]}")
    entry = {
        "type": "mcp",
        "server_label": fitting.label(server.id),
        "server_description": summary(server),
        "server_url": found.url,
        "allowed_tools": [each.tool.name for each in tools],
        "require_approval": _approval(tools),
        "defer_loading": deferred,
    }
    if found.token:
        entry["authorization"] = found.token
    if found.headers:
        entry["headers"] = dict(found.headers)
    return entry


def _approval(tools: Sequence[Offered]) -> str | dict[str, Any]:
    """What is in neither list is asked for, as the vendor does by itself."""
    free = [each.tool.name for each in tools if each.tool.policy_state is PolicyState.ALLOWED]
    asked = [each.tool.name for each in tools if each.tool.policy_state is not PolicyState.ALLOWED]
    if not free:
        return "always"
    never = {"never": {"tool_names": free}}
    return {"always": {"tool_names": asked}, **never} if asked else never
