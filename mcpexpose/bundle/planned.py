"""Whether a plan holds together: what the rest of the host takes for granted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.bundle import layout
from mcpexpose.model.plan import PLAN_FORMAT, SEARCH_TOOL
from mcpexpose.model.policy import Exposure, PolicyState
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding
    from mcpexpose.model.plan import Plan, PlannedTool

_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def check_plan(plan: Plan, definitions_size: int) -> Finding | None:
    """What is wrong with the plan of a bundle whose definitions.bin has that many bytes; None where nothing is."""
    if plan.format != PLAN_FORMAT:
        return layout.other_version("plan format", plan.format, PLAN_FORMAT, plan.tool_version)
    ids = [tool.id for tool in plan.tools]
    if ids != sorted(set(ids)):
        return layout.damaged(layout.PLAN, "has its tools twice, or not in order")
    servers = [server.id for server in plan.servers]
    if servers != sorted(set(servers)) or {tool.server for tool in plan.tools} != set(servers):
        return layout.damaged(layout.PLAN, "has its servers twice, not in order, or not all")
    aliases = {SEARCH_TOOL}
    at = 0
    for tool in plan.tools:
        if finding := check_tool(tool, definitions_size):
            return finding
        if tool.alias.casefold() in aliases:
            return layout.damaged(layout.PLAN, f"gives {_name(tool)} no alias of its own")
        aliases.add(tool.alias.casefold())
        if tool.offset != at:
            return layout.damaged(layout.PLAN, f"has a wrong place for the definition of {_name(tool)}")
        at += tool.length + 1
    if at != definitions_size:
        return layout.damaged(layout.DEFINITIONS, "has another length than plan.json says")
    known = {str(tool.id) for tool in plan.tools}
    for profile in plan.profiles:
        if not set(profile.default_tools) <= set(profile.tools) <= known:
            return layout.damaged(
                layout.PLAN, f"has a profile {shown(profile.name, 80)} of tools that it does not hold"
            )
    return None


def check_tool(tool: PlannedTool, definitions_size: int) -> Finding | None:
    """What is wrong with one tool of such a plan, whatever the others are; None where nothing is."""
    if _ALIAS.fullmatch(tool.alias) is None or tool.alias.casefold() == SEARCH_TOOL:
        return layout.damaged(layout.PLAN, f"gives {_name(tool)} no alias of its own")
    if tool.exposure is Exposure.HIDDEN or tool.policy_state is PolicyState.DENIED:
        return layout.damaged(layout.PLAN, f"holds {_name(tool)}, which no model may meet")
    if tool.offset < 0 or tool.length < 2 or tool.offset + tool.length >= definitions_size:
        return layout.damaged(layout.PLAN, f"has a wrong place for the definition of {_name(tool)}")
    return None


def _name(tool: PlannedTool) -> str:
    return shown(str(tool.id), 200)
