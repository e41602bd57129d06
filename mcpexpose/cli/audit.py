"""`mcpexpose audit`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpexpose.cli import console, exits, options


@click.command("audit")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--plan",
    "bundle",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The bundle that the host loaded: which of its direct tools nobody called.",
)
@options.formats(("text", "json"))
def command(file: Path, bundle: Path | None, form: str) -> int:
    """Sum up the events that a host wrote: what was searched for in vain, what was refused and why, which calls have an
    unknown end, which deferred tools are used so often that they should be direct; with --plan, which direct ones never
    are.

    \b
    Example:
      mcpexpose audit events.jsonl --plan build/plan
    """
    from mcpexpose.model.errors import InputMissing
    from mcpexpose.model.text import shown
    from mcpexpose.report.audit import summarise, text

    direct: list[str] = []
    if bundle is not None:
        from mcpexpose.bundle.read import open_bundle
        from mcpexpose.model.policy import Exposure

        direct = [str(tool.id) for tool in open_bundle(bundle).plan.tools if tool.exposure is Exposure.DIRECT]
    if not file.exists():
        raise InputMissing(f"{shown(console.name_of(file))} is not there")
    try:
        with file.open("rb") as lines:
            audit = summarise(lines, direct)
    except OSError as error:
        raise InputMissing(f"{shown(console.name_of(file))} cannot be read: {error.strerror}") from error
    if form == "json":
        from mcpexpose.report.jsonout import dump

        console.out_machine(dump(audit.as_json()))
    else:
        console.out(text(audit, console.screen()))
    if audit.unreadable and not audit.events:
        console.say(f"mcpexpose: nothing was checked: no line of {shown(console.name_of(file))} is an event of a host")
        return exits.NOTHING_CHECKED
    return exits.OK
