"""`mcpexpose explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options
from mcpexpose.cli.tool import Tool

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable
    from pathlib import Path

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.finding import Location, Place
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Plan, PlannedTool, ToolDecision
    from mcpexpose.report.explain import Explanation
    from mcpexpose.workspace import Workspace


@click.command("explain")
@click.argument("tool", type=Tool(), metavar="SERVER/TOOL")
@options.plan
@options.formats(("text", "json"))
@options.config
def command(
    tool: ToolId,
    bundle: Path | None,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Why a tool is as it is: every layer that had a say on each axis, winner and losers, with file and line.

    It is for the operator, so hidden and denied tools are explained as well. A bundle (--plan) holds neither those, nor
    losers and lines: of what it holds it names the winner of each axis.

    \b
    Example:
      mcpexpose explain github/delete_repository
    """
    from mcpexpose.report.explain import render_json, render_text

    if bundle is not None:
        held = given.plan(bundle, config, catalogs, now)
        explanation, trouble = _of_bundle(held, tool), _not_in_bundle(bundle, tool)
    else:
        workspace = given.workspace(config, catalogs, now)
        explanation = _explanation(workspace, tool)
        trouble = unknown(workspace, tool) if explanation is None else ""
    if explanation is None:
        console.say(f"mcpexpose: {trouble}")
        return exits.USAGE
    if form == "json":
        console.out_machine(render_json(explanation))
    else:
        console.out(render_text(explanation, console.screen()))
    return exits.OK


def _explanation(workspace: Workspace, tool: ToolId) -> Explanation | None:
    compiled = workspace.compiled
    decision = next((decision for decision in compiled.decisions if decision.id == tool), None)
    if decision is None:
        return None
    planned = next((planned for planned in compiled.plan.tools if planned.id == tool), None)
    return _explained(decision, planned, compiled.plan, workspace.locate)


def _of_bundle(held: HostPlan, tool: ToolId) -> Explanation | None:
    """From plan.json: the winners, without losers and places."""
    from mcpexpose.model.plan import ToolDecision

    row = held.row(tool)
    if row is None:
        return None
    planned = held.plan.tools[row]
    decision = ToolDecision(
        id=tool,
        alias=planned.alias,
        exposure=planned.exposure,
        policy_state=planned.policy_state,
        side_effect=planned.side_effect,
        approval=planned.approval,
        groups=planned.groups,
        description=planned.description,
        tokens=planned.tokens,
        in_plan=True,
        left_out_by=None,
        because=planned.because,
    )
    return _explained(decision, planned, held.plan, lambda place: None)


def _explained(
    decision: ToolDecision, planned: PlannedTool | None, plan: Plan, locate: Callable[[Place], Location | None]
) -> Explanation:
    from mcpexpose.report.explain import Explanation

    name = str(decision.id)
    reaching = [profile for profile in plan.profiles if name in profile.tools]
    return Explanation(
        decision,
        planned,
        profiles=tuple(profile.name for profile in reaching),
        declared_in=tuple(profile.name for profile in plan.profiles if name in profile.default_tools),
        locate=locate,
        unattended=tuple(profile.name for profile in reaching if profile.unattended),
    )


def _not_in_bundle(bundle: Path, tool: ToolId) -> str:
    from mcpexpose.model.text import shown

    return (
        f"{shown(console.name_of(bundle))} holds no tool {shown(str(tool))}; whether it is hidden, denied or not there "
        "at all, explain tells from the config, without --plan"
    )


def unknown(workspace: Workspace, tool: ToolId) -> str:
    """Why there is nothing to explain, and the nearest name."""
    from mcpexpose.config.nearest import meant
    from mcpexpose.model.text import shown

    config = workspace.config
    server = config.mcp_servers.get(tool.server) if config else None
    if server is None:
        near = meant(tool.server, config.mcp_servers if config else ())
        hint = f"; did you mean {shown(near)}?" if near else ""
        return f"{shown(workspace.name)} has no server {shown(tool.server)}{hint}"
    if not server.enabled:
        return f"{shown(tool.server)} is switched off (enabled = false), so none of its tools is there"
    if tool.server not in workspace.catalogs:
        return f"{shown(tool.server)} has no usable catalog: mcpexpose lint says why, mcpexpose capture gets one"
    known = [decision.id.name for decision in workspace.compiled.decisions if decision.id.server == tool.server]
    near = meant(tool.name, known)
    hint = f"; did you mean {shown(tool.server)}/{shown(near)}?" if near else ""
    return f"{shown(tool.server)} has no tool {shown(tool.name)} in its catalog ({len(known):,} captured){hint}"
