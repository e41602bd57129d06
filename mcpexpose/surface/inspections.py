"""What a model reads when it inspects a tool: the whole definition and what a call means, as one line of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface import wording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.plan import PlannedTool


def inspection_text(tool: PlannedTool, revision: str, definition: Mapping[str, Any], *, fresh: bool) -> str:
    """The definition in full, nothing cut; `fresh` stands in it only where it is false."""
    told: dict[str, Any] = {
        "name": tool.alias,
        "server": tool.server,
        "tool": tool.name,
        "revision": revision,
        "policy_state": tool.policy_state.value,
        "side_effect": tool.side_effect.value,
    }
    if not fresh:
        told["fresh"] = False
    told["description"] = definition.get("description") or ""
    told["inputSchema"] = definition["inputSchema"]
    if "outputSchema" in definition:
        told["outputSchema"] = definition["outputSchema"]
    return wording.compact(told)


def unknown_tool_text(server: str, tool: str) -> str:
    """The one answer for a tool that is hidden, denied, switched off or not there; it tells which of them to nobody."""
    return unknown_name_text(f"{server}/{tool}")


def unknown_name_text(name: str) -> str:
    """The same for a name that a model called, and that is no alias of the plan."""
    return f"There is no tool {wording.compact(name[:200])} here. Search with find_tools for what there is."


def outside_profile_text(server: str, tool: str) -> str:
    """The answer for a tool that the session's profile does not reach."""
    asked = wording.compact(f"{server}/{tool}"[:200])
    return f"The tool {asked} may not be used for this task."
