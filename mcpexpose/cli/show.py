"""`mcpexpose show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options

if TYPE_CHECKING:
    import datetime
    from pathlib import Path


@click.command("show")
@options.profile
@options.plan
@options.formats(("text", "json"))
@options.config
def command(
    profile: str | None,
    bundle: Path | None,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Request 1 as the model gets it: servers section, declared tools, tokens.

    \b
    Example:
      mcpexpose show --profile ci
    """
    from mcpexpose.report.show import render_json, render_text
    from mcpexpose.surface.view import view

    held = given.plan(bundle, config, catalogs, now)
    seen = view(held.plan, held.definition, profile)
    window = held.plan.context_window
    if form == "json":
        console.out_machine(render_json(seen, window))
    else:
        console.out(render_text(seen, window, console.screen()))
    return exits.OK
