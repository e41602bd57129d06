"""`mcpexpose explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options
from mcpexpose.cli.tool import Tool

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from mcpexpose.model.names import ToolId
    from mcpexpose.report.explain import Explanation
    from mcpexpose.workspace import Workspace


@click.command("explain")
@click.argument("tool", type=Tool(), metavar="SERVER/TOOL")
@options.formats(("text", "json"))
@options.config
def command(tool: ToolId, form: str, config: Path | None, catalogs: Path | None, now: datetime.datetime | None) -> int:
    """Why a tool is as it is: every layer that had a say on each axis, winner and losers, with file and line.

    It is for the operator, so hidden and denied tools are explained as well.

    \b
    Example:
      mcpexpose explain github/delete_repository
    """
    from mcpexpose.report.explain import render_json, render_text

    workspace = given.workspace(config, catalogs, now)
    explanation = _explanation(workspace, tool)
    if explanation is None:
        console.say(f"mcpexpose: {unknown(workspace, tool)}")
        return exits.USAGE
    if form == "json":
        console.out_machine(render_json(explanation))
    else:
        console.out(render_text(explanation, console.screen()))
    return exits.OK


def _explanation(workspace: Workspace, tool: ToolId) -> Explanation | None:
    from mcpexpose.report.explain import Explanation

    compiled = workspace.compiled
    decision = next((decision for decision in compiled.decisions if decision.id == tool), None)
    if decision is None:
        return None
    name = str(tool)
    return Explanation(
        decision=decision,
        tool=next((planned for planned in compiled.plan.tools if planned.id == tool), None),
        profiles=tuple(profile.name for profile in compiled.plan.profiles if name in profile.tools),
        declared_in=tuple(profile.name for profile in compiled.plan.profiles if name in profile.default_tools),
        locate=workspace.locate,
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
