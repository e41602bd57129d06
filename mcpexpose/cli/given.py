"""What a command works on: the config at hand as a workspace, or a bundle; and how its files are named to people."""

from __future__ import annotations

import dataclasses
import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from mcpexpose.cli.console import name_of, say
from mcpexpose.cli.options import now_or
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Severity
from mcpexpose.model.struck import struck
from mcpexpose.model.text import shown
from mcpexpose.report.words import count

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.finding import Finding, Location, Place
    from mcpexpose.workspace import Workspace


def workspace(
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
    *,
    start: Path | None = None,
    made: bool = False,
) -> Workspace:
    """The workspace of the config that was named or is found. Raises InputMissing, NothingChecked.

    A folder of catalogs that is named has to be there, unless the command makes it (MADE).
    """
    from mcpexpose.config.discover import find
    from mcpexpose.workspace import Workspace

    path = find(start or Path.cwd(), config, os.environ)
    if catalogs is not None and not catalogs.is_dir() and (catalogs.exists() or not made):
        raise InputMissing(f"{shown(str(catalogs))} is {'no folder' if catalogs.exists() else 'not there'}")
    return Workspace(path, catalogs=catalogs, now=now_or(now))


def spare(
    reports: Iterable[Path], *workspaces: Workspace, bundle: Path | None = None, kept: Path | None = None
) -> None:
    """Raises UsageRefused where a report would be written over a file of a workspace, into a bundle, or over KEPT."""
    if reports := tuple(reports):
        from mcpexpose.cli.spared import spare

        spare(reports, *workspaces, bundle=bundle, kept=kept)


def plan(bundle: Path | None, config: Path | None, catalogs: Path | None, now: datetime.datetime | None) -> HostPlan:
    """The plan as a host holds it, of a bundle or of the config at hand; errors of the latter are counted on stderr."""
    from mcpexpose.host.plan import load_plan

    if bundle is not None:
        return load_plan(bundle, clock=(lambda: now) if now is not None else None)
    return compiled(workspace(config, catalogs, now), now)


def compiled(at_hand: Workspace, now: datetime.datetime | None) -> HostPlan:
    """The plan of a workspace as a host holds it; its errors are counted on stderr."""
    from mcpexpose.host.plan import CompiledSource, HostPlan

    clock = (lambda: now) if now is not None else None
    compiled = at_hand.compiled
    errors = sum(finding.severity is Severity.ERROR for finding in at_hand.findings)
    if errors:
        name = shown(name_of(at_hand.path))
        say(f"{name} has {count(errors, 'error')}; this is what is left. mcpexpose lint says more")
    return HostPlan(CompiledSource(compiled.plan, compiled.definitions), clock)


def held_up(workspace: Workspace) -> str:
    """Why nothing may be written from a workspace that is not `writable`."""
    if workspace.sound:
        return "it is not what was reviewed; read what changed, and `mcpexpose lock` accepts it"
    return f"{shown(name_of(workspace.path))} has errors"


def named(finding: Finding, workspace: Workspace) -> Finding:
    """FINDING with its files as people would type them from where they are, and without credentials."""
    return renamed(struck(finding, workspace.literals), lambda file: file_name(file, workspace))


def renamed(finding: Finding, name: Callable[[str], str]) -> Finding:
    """FINDING with other names of its files."""

    def moved(place: Place) -> Place:
        return dataclasses.replace(place, file=name(place.file))

    return dataclasses.replace(
        finding,
        location=finding.location and dataclasses.replace(finding.location, file=name(finding.location.file)),
        place=finding.place and moved(finding.place),
        related=tuple(moved(place) for place in finding.related),
    )


def at(location: Location | None, workspace: Workspace) -> Location | None:
    """The same for a place."""
    return location and dataclasses.replace(location, file=file_name(location.file, workspace))


def file_name(file: str, workspace: Workspace) -> str:
    """The same for a file by its name in findings; a shipped pack has no path here and keeps its name."""
    if not file or workspace.is_shipped(file):
        return file
    return posixpath.normpath(posixpath.join(name_of(workspace.folder), file))
