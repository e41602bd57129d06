"""`mcpexpose lock`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import complete, console, exits, given, options
from mcpexpose.model.errors import PlanRefused

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from mcpexpose.model.changes import Changes
    from mcpexpose.model.finding import Finding
    from mcpexpose.model.lock import Lock
    from mcpexpose.workspace import Workspace


@click.command("lock")
@click.argument("servers", nargs=-1, metavar="[SERVER]...", shell_complete=complete.servers)
@click.option("--check", is_flag=True, help="Write nothing; end with 3 where the lock differs, and say in what.")
@options.formats(("text", "json"))
@options.config
def command(
    servers: tuple[str, ...],
    check: bool,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Accept the current catalogs as reviewed: write mcpexpose.lock beside the config.

    From then on a definition that a server changes is the error catalog-drift, and no plan is written, until it is
    accepted here. SERVER accepts that one alone. Nothing else writes the lock.

    \b
    Examples:
      mcpexpose lock
      mcpexpose lock --check
    """
    workspace = given.workspace(config, catalogs, now)
    _refuse(workspace, servers, check=check)
    changes = _changes(workspace, servers)
    unusable = _unusable(workspace, servers)
    if unusable and not check and not any(server in workspace.catalogs for server in servers or workspace.servers):
        raise PlanRefused("there is no catalog to accept, so no lock is written: mcpexpose capture gets them", unusable)
    lock = workspace.relocked(servers)
    written = not check and workspace.write_lock(lock)
    _put(form, workspace, lock, changes, unusable, check=check, written=written)
    differs = changes is None or changes.differs
    return exits.combine(
        [exits.FINDINGS if unusable else exits.OK, exits.DIFFERS if check and differs else exits.OK],
    )


def _refuse(workspace: Workspace, servers: tuple[str, ...], *, check: bool) -> None:
    """Where there is nothing to lock or check. Raises PlanRefused, UsageError."""
    from mcpexpose.catalog.lockfile import is_newer
    from mcpexpose.config.nearest import meant
    from mcpexpose.model.text import shown

    assert workspace.compiled  # raises where the config is none
    for server in servers:
        if server not in workspace.servers:
            near = meant(server, workspace.servers)
            hint = f'; did you mean "{shown(near)}"?' if near else ""
            raise click.UsageError(f'the config has no enabled server "{shown(server)}"{hint}')
    trouble = workspace.located(workspace.lock_trouble)
    if trouble and (check or is_newer(trouble)):
        raise PlanRefused("the lock cannot be read, and stays as it is", trouble)
    if trouble:
        console.say(f"mcpexpose: {trouble[0].message}; it is replaced, so nothing says what changed since")


def _changes(workspace: Workspace, servers: tuple[str, ...]) -> Changes | None:
    """What is accepted or differs; None where there was no lock to compare with."""
    from mcpexpose.catalog.since import accepted

    if workspace.drift is None:
        return None
    changes = accepted(workspace.drift, workspace.catalogs)
    if not servers:
        return changes
    kept = tuple(each for each in changes.changes if each.subject.partition("/")[0] in servers)
    return dataclasses.replace(changes, changes=kept)


def _unusable(workspace: Workspace, servers: tuple[str, ...]) -> tuple[Finding, ...]:
    """Why a server's catalog cannot be accepted."""
    from mcpexpose.report.findings import in_order

    lost = [server for server in servers or workspace.servers if server not in workspace.catalogs]
    found = [each for each in workspace.findings_of_catalogs if each.subjects and each.subjects[0] in lost]
    return in_order(workspace.located(found))


def _put(
    form: str,
    workspace: Workspace,
    lock: Lock,
    changes: Changes | None,
    unusable: tuple[Finding, ...],
    *,
    check: bool,
    written: bool,
) -> None:
    from mcpexpose.report import changes as report
    from mcpexpose.report.findings import FindingsReport
    from mcpexpose.report.findings_concise import render
    from mcpexpose.report.findings_json import as_json

    if form == "json":
        from mcpexpose.report.jsonout import dump

        value = {
            "version": 1,
            "differs": changes is None or changes.differs,
            "written": written,
            "changes": report.as_json(changes),
            "findings": [as_json(finding) for finding in unusable],
        }
        console.put(form, dump(value))
        return
    screen = console.screen()
    name = console.name_of(workspace.lock_path)
    lines = [screen.text(f"{name}: {_state(lock, changes, check=check, written=written)}")]
    if changes is not None and changes.differs:
        lines += ["", *report.lines(changes, screen, head=None if check else "  ACCEPTED")]
    if check and changes is not None and changes.differs:
        lines += ["", "Read it; mcpexpose lock accepts it."]
    console.out("\n".join(lines) + "\n")
    if unusable:
        console.say(render(FindingsReport(unusable), screen).rstrip("\n"))


def _state(lock: Lock, changes: Changes | None, *, check: bool, written: bool) -> str:
    from mcpexpose.report.words import count

    held = f"{count(len(lock.servers), 'server')}, {count(sum(len(s.tools) for s in lock.servers.values()), 'tool')}"
    if check and changes is None:
        return "is not there, so nothing was reviewed; mcpexpose lock writes it"
    if check:
        assert changes is not None
        return "differs from the catalogs" if changes.differs else f"is up to date ({held})"
    return f"written ({held})" if written else f"is up to date ({held})"
