"""`mcpexpose runs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, options

if TYPE_CHECKING:
    from mcpexpose.host.ledger import OpenRun


@click.command("runs")
@click.option("--settle", "key", metavar="KEY", help="Close this one: you looked what the server did.")
@click.option(
    "--as",
    "outcome",
    type=click.Choice(["completed", "not-completed"]),
    help="What became of it; goes with --settle.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The host's record, its `Ledger(FILE)`. [runs.sqlite in the state folder of this user]",
)
@options.formats(("text", "json"))
def command(key: str | None, outcome: str | None, store: Path | None, form: str) -> int:
    """Calls that were sent and of which nobody knows whether they were carried out. An equal call is refused until
    somebody looked, and settled them here.

    Exits with 1 while there are open calls. A call that is on its way right now is among them.

    \b
    Examples:
      mcpexpose runs
      mcpexpose runs --store runs.sqlite
      mcpexpose runs --settle 3f2a91c0d4e85b76 --as not-completed
    """
    from mcpexpose.host.ledger import Ledger
    from mcpexpose.model.errors import InputMissing
    from mcpexpose.model.text import shown

    if (key is None) != (outcome is None):
        raise click.UsageError("--settle KEY and --as completed|not-completed go together")
    if store is not None and not store.is_file():
        raise InputMissing(f"{shown(console.name_of(store))} is not there")
    ledger = Ledger(store)
    try:
        runs = ledger.open_runs()
        if key is not None:
            runs = (_settled(ledger, runs, key, str(outcome)),)
    finally:
        ledger.close()
    if form == "json":
        from mcpexpose.model.jsonform import to_json
        from mcpexpose.report.jsonout import dump

        console.out_machine(dump({"settled" if key is not None else "runs": to_json(runs)}))
    elif key is None:
        name = shown(console.name_of(ledger.path))
        console.out(_table(runs) if runs else f"no call is open in {name}\n")
        if not ledger.path.is_file():
            console.say(f"{name} is not there; --store FILE reads the record of a host that keeps it elsewhere")
    return exits.FINDINGS if runs and key is None else exits.OK


def _settled(ledger: object, runs: tuple[OpenRun, ...], key: str, outcome: str) -> OpenRun:
    from mcpexpose.host.ledger import Ledger

    assert isinstance(ledger, Ledger)
    from mcpexpose.model.text import shown

    found = [run for run in runs if run.key.startswith(key)] if len(key) >= 8 else []
    if len(found) != 1 or ledger.settle(found[0].key) is None:
        raise click.UsageError(f"no open call has the key {shown(key, 40)!r}; `mcpexpose runs` lists them")
    console.say(f"settled as {outcome}: {shown(found[0].server)}/{shown(found[0].tool)} of {found[0].at}")
    return found[0]


def _table(runs: tuple[OpenRun, ...]) -> str:
    from mcpexpose.report.screen import Column, table

    screen = console.screen()
    rows = [
        [run.key, screen.text(f"{run.server}/{run.tool}"), run.at, screen.text(run.run_id), run.state] for run in runs
    ]
    columns = [Column("KEY"), Column("TOOL", least=20), Column("SENT"), Column("RUN", least=8), Column("STATE")]
    return "\n".join(table(columns, rows, screen, indent=0)) + "\n"
