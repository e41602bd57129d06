"""`mcpexpose inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options
from mcpexpose.cli.tool import Tool

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from mcpexpose.model.names import ToolId


@click.command("inspect")
@click.argument("tool", type=Tool(), metavar="SERVER/TOOL")
@options.profile
@options.plan
@options.formats(("text", "json"))
@options.config
def command(
    tool: ToolId,
    profile: str | None,
    bundle: Path | None,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """The definition that a host hands out at inspection, at the plan's revision.

    Hidden, denied, switched-off and unknown tools get one and the same answer here, as they do from a host; why a tool
    is not to be had, explain says.

    \b
    Example:
      mcpexpose inspect github/create_issue
    """
    from mcpexpose.host.inspector import Refused
    from mcpexpose.report.inspection import render_json, render_text

    held = given.plan(bundle, config, catalogs, now)
    answer = held.session(profile).inspect(tool.server, tool.name)
    if isinstance(answer, Refused):
        console.say(f"mcpexpose: {console.screen().text(answer.text)}")
        if bundle is None:
            console.say(f"So answers a host; why: mcpexpose explain {console.screen().text(str(tool))}")
        return exits.USAGE
    row = held.row(tool)
    assert row is not None
    planned, server = held.tool(row), held.servers[tool.server]
    if form == "json":
        console.out_machine(render_json(planned, server, answer.definition))
    else:
        console.out(render_text(planned, server, answer.definition, console.screen()))
    return exits.OK
