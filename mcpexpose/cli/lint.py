"""`mcpexpose lint`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options

if TYPE_CHECKING:
    import datetime

    from mcpexpose.workspace import Workspace


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--select", multiple=True, metavar="NAMES", help="Only these rules or families; commas between them.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="Not these.")
@click.option(
    "--fail-on", type=click.Choice(exits.FAIL_ON), default="error", show_default=True, help="What ends with 1."
)
@click.option(
    "--persona",
    type=click.Choice(["default", "audit"]),
    default="default",
    show_default=True,
    help="audit: rules of which false alarms are expected, too.",
)
@options.reports(options.FINDING_FORMATS)
@options.config
def command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    persona: str,
    form: str,
    outputs: tuple[tuple[str, Path], ...],
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Check config and catalogs: every finding with its place, the rule's name, and what to do.

    PATH is a config or a folder that has one; without any, the nearest config upward. Connects to nothing.

    \b
    Examples:
      mcpexpose lint
      mcpexpose lint --select policy,exposure --fail-on warning
      mcpexpose lint --format concise --output json=lint.json
    """
    from mcpexpose.cli.linting import Names, lint
    from mcpexpose.lint.choice import choose
    from mcpexpose.lint.registry import all_rules
    from mcpexpose.report.findings import FindingsReport, in_order, render

    chosen, silent = _names(select), _names(ignore)
    workspaces = _workspaces(paths, config, catalogs, now)
    names = Names()
    findings = []
    waived = 0
    codes = []
    for workspace in workspaces:
        table = workspace.config.lint if workspace.config else None
        linted = lint(workspace, choose(table, select=chosen, ignore=silent, persona=persona))
        findings += names.named(linted.findings, workspace)
        waived += len(linted.waived)
        for crash in linted.crashes:
            console.say(
                f"mcpexpose: the rule {crash.slug} failed ({crash.error}): a fault of mcpexpose, please report it"
            )
            codes.append(exits.INTERNAL)
    report = FindingsReport(
        in_order(findings),
        {"configs": len(workspaces), "catalogs": sum(len(workspace.catalogs) for workspace in workspaces)},
        waived=waived,
        line=names.line,
        locate=names.locate,
        conceal=names.conceal,
        explained=frozenset(all_rules()),
    )
    console.put(form, render(form, report, console.screen()))
    for each, path in outputs:
        console.write_file(path, render(each, report, console.page()))
    return exits.combine([exits.of_findings(report.findings, fail_on), *codes])


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of rules and families. Raises UsageError with the nearest one."""
    from difflib import get_close_matches

    from mcpexpose.lint.choice import known
    from mcpexpose.lint.registry import all_rules, families

    names = tuple(name.strip() for text in given for name in text.split(",") if name.strip())
    for name in names:
        if not known(name):
            near = get_close_matches(name, [*all_rules(), *families()], n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no rule or family {name!r}{hint}")
    return names


def _workspaces(
    paths: tuple[Path, ...], config: Path | None, catalogs: Path | None, now: datetime.datetime | None
) -> list[Workspace]:
    """One a config, each once, in the order that they were given."""
    found: dict[Path, Workspace] = {}
    for path in paths:
        folder = path.is_dir()
        each = given.workspace(None if folder else path, catalogs, now, start=path if folder else None)
        found.setdefault(each.path.resolve(), each)
    if config is not None or not paths:
        each = given.workspace(config, catalogs, now)
        found.setdefault(each.path.resolve(), each)
    return list(found.values())
