"""`mcpexpose plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options
from mcpexpose.model.errors import BundleNotWritten

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping

    from mcpexpose.bundle.write import Step
    from mcpexpose.model.changes import Changes
    from mcpexpose.model.finding import Finding
    from mcpexpose.report.preview import CatalogState
    from mcpexpose.report.screen import Screen
    from mcpexpose.workspace import Workspace


@click.command("plan")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the bundle there, in one step.")
@click.option(
    "--against",
    "other",
    metavar="REF|DIR|FILE",
    help="Compare with a git commit, a bundle or a plan.json in place of the lock.",
)
@click.option("--detailed-exitcode", "detailed", is_flag=True, help="End with 3 where something changed for the model.")
@options.profile
@options.reports(options.PREVIEW_FORMATS)
@options.config
def command(
    out: Path | None,
    other: str | None,
    detailed: bool,
    profile: str | None,
    form: str,
    outputs: tuple[tuple[str, Path], ...],
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Compile; preview what the model is told, may find, or never meets.

    With --out the bundle is written for hosts to load. Where the config is at fault nothing is written, and the old
    bundle stays; what a server got wrong is left out, and the rest is written. Both end with 1. What changed since the
    lock is shown, sorted by risk; --against takes another side.

    \b
    Examples:
      mcpexpose plan --out build/plan
      mcpexpose plan --against origin/main --format markdown --detailed-exitcode
    """
    from mcpexpose.cli.linting import not_waived
    from mcpexpose.report.findings import in_order
    from mcpexpose.surface.view import find_profile

    workspace = given.workspace(config, catalogs, now)
    given.spare((path for _, path in outputs), workspace, bundle=out)
    _compile(workspace)
    if workspace.resolved is not None:
        find_profile(workspace.compiled.plan, profile)  # a profile that is not there is told before anything is written
    changes = _changes(workspace, other)
    # Written before it is shown, so that a bundle that could not be written stands among the findings of every format.
    written = _write(workspace, out) if out is not None else None
    failed = written if isinstance(written, BundleNotWritten) else None
    findings = in_order([*not_waived(workspace), *(failed.findings if failed else ())])
    render = _renderer(workspace, findings, profile, changes)
    console.put(form, render(form, console.screen()))
    for each, path in outputs:
        console.write_file(path, render(each, console.page()))
    if failed is not None:
        raise failed
    if written and form == "text":
        console.out(f"\n{written}\n")
    elif written:
        console.say(str(written))
    refused = exits.FINDINGS if out is not None and written is None else exits.OK
    if out is None and form == "text" and workspace.writable and console.chatty():
        console.say('\nNext: mcpexpose lint · mcpexpose search "…" · mcpexpose plan --out build/plan')
    return exits.combine([exits.of_findings(findings), refused, _difference(changes) if detailed else exits.OK])


_NEXT: Mapping[Step, str] = {
    "plan.json": "the definitions of {tools:,} tools",
    "definitions.bin": "the index of {tools:,} tools",
    "index": "the table",
    "tools.bin": "the manifest",
    "manifest.json": "putting it in place",
    "exchange": "tidying up",
    "cleanup": "done",
}
"""After each step of a build, what it is at."""


def _compile(workspace: Workspace) -> None:
    """The part that takes seconds where there are thousands of tools, told on a terminal."""
    console.progress("reading the catalogs …")
    try:
        if workspace.resolved is not None:
            tools = sum(len(catalog.tools) for catalog in workspace.catalogs.values())
            console.progress(f"compiling {tools:,} tools …")
            _ = workspace.compiled
    finally:
        console.progress("")


def _changes(workspace: Workspace, other: str | None) -> Changes | None:
    """What changed; None where nothing can be planned, or there is nothing to compare with."""
    if workspace.resolved is None:
        return None
    if other is None:
        return workspace.changes
    from mcpexpose.cli.against import compare

    return compare(workspace, other)


def _difference(changes: Changes | None) -> int:
    """Of the value that is shown, so that code and text cannot disagree."""
    if changes is None:
        console.say("mcpexpose: there is no lock and no --against, so nothing was compared")
        return exits.NOTHING_CHECKED
    return exits.DIFFERS if changes.differs else exits.OK


def _renderer(
    workspace: Workspace, findings: tuple[Finding, ...], profile: str | None, changes: Changes | None
) -> Callable[[str, Screen], str]:
    """What renders the preview in a format; where nothing could be planned, what renders the findings instead."""
    from mcpexpose.report import preview
    from mcpexpose.report.findings import FindingsReport

    if workspace.resolved is None:
        faults = FindingsReport(findings, line=workspace.line, locate=workspace.locate, conceal=workspace.conceal)
        return lambda form, screen: preview.render_faults(form, faults, screen)
    made = preview.preview(
        workspace.compiled,
        findings,
        title=console.name_of(workspace.path),
        writable=workspace.writable,
        profile=profile,
        catalogs={server: _state(workspace, server) for server in workspace.catalogs},
        servers=workspace.servers,
        locate=workspace.locate,
        changes=changes,
    )
    return lambda form, screen: preview.render(form, made, screen)


def _state(workspace: Workspace, server: str) -> CatalogState:
    from mcpexpose.report.preview import CatalogState
    from mcpexpose.report.words import span

    fresh = workspace.freshness(server)
    catalog = workspace.catalogs[server]
    reasons = {
        "max-age": f"older than max_age {span(workspace.max_age_s or 0)}",
        "ttl": f"older than the {span((catalog.ttl_ms or 0) / 1000)} that the server gave it",
        "no-stamp": "not dated, and there is a max_age",
        "bad-stamp": "dated by a stamp that is none",
        "future": "dated later than now",
    }
    return CatalogState(catalog.revision, fresh.age_s, fresh.state == "fresh", reasons.get(fresh.reason, ""))


def _write(workspace: Workspace, out: Path) -> str | BundleNotWritten | None:
    """Write the bundle: what to say of it, or why it could not be; None where the config is at fault."""
    from mcpexpose.bundle.layout import MANIFEST
    from mcpexpose.model.text import shown

    where = shown(str(out))
    if not workspace.writable:
        stays = "; the plan that stands there stays" if (out / MANIFEST).exists() else ""
        console.say(f"mcpexpose: nothing is written to {where}: {given.held_up(workspace)}{stays}")
        return None
    tools = len(workspace.compiled.plan.tools)

    def tell(done: Step) -> None:
        console.progress(f"writing {where}: {_NEXT[done].format(tools=tools)} …")

    console.progress(f"writing {where} …")
    try:
        manifest = workspace.write(out, progress=tell)
    except BundleNotWritten as trouble:
        return trouble
    finally:
        console.progress("")
    return f"wrote {where} (plan digest {manifest.plan_digest})"
