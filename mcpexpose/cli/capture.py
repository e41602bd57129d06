"""`mcpexpose capture`."""

from __future__ import annotations

import dataclasses
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import complete, console, exits, options
from mcpexpose.cli.captured import Choices, ProgressLine, Row, as_json, as_text
from mcpexpose.model.errors import InputMissing, UsageRefused
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping, Sequence

    from mcpexpose.client.capture import Captured
    from mcpexpose.client.target import Target


@dataclass(frozen=True, slots=True)
class Setup:
    """What the config says about capturing."""

    targets: Mapping[str, Target]
    """By server, all that are enabled and have a transport."""
    servers: tuple[str, ...]
    """Ids of all enabled servers, sorted."""
    described: frozenset[str]
    """Those that have a description of the operator's."""
    catalogs: Path
    catalogs_name: str


@click.command("capture")
@click.argument("servers", nargs=-1, metavar="[SERVER]...", shell_complete=complete.servers)
@click.option("--yes", is_flag=True, help="Run the commands and call the addresses without asking.")
@click.option("--check", is_flag=True, help="Compare with what is there, write nothing; 3 where it differs.")
@click.option(
    "--from-file",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Take the one SERVER's tools from a stored tools/list result or catalog (- is stdin); connect to nothing.",
)
@click.option("--accept-shrink", is_flag=True, help="Take a list that lost more than half of the tools.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="For each server, from its start to its last page.",
)
@click.option("--verbose", "-v", is_flag=True, help="Show the end of what servers wrote to stderr.")
@options.formats(("text", "json"))
@options.config
def command(
    servers: tuple[str, ...],
    yes: bool,
    check: bool,
    from_file: Path | None,
    accept_shrink: bool,
    timeout: float | None,
    verbose: bool,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """Ask the configured servers for their tools, all pages, and write them to catalogs/.

    The one command that connects: it says first which programs it will run and which addresses it will call, and asks.
    A capture that fails, or that loses more than half of the tools, leaves the file as it was.

    \b
    Examples:
      mcpexpose capture
      mcpexpose capture github --check
      mcpexpose capture github --from-file tools.json
    """
    choices = Choices(check, accept_shrink, verbose, form)
    setup = read_setup(config, catalogs, now)
    moment = options.now_or(now)
    if from_file is not None:
        if len(servers) != 1:
            raise UsageRefused("--from-file wants one SERVER: the one that the file belongs to")
        captured = [of_file(chosen(setup, servers)[0], from_file, moment)]
    else:
        targets, missing = to_ask(setup, chosen(setup, servers), timeout)
        agree(targets, yes=yes, environ=os.environ)
        captured = [*missing, *ask(targets, os.environ, moment)]
    return finish(setup, captured, choices)


def read_setup(config: Path | None, catalogs: Path | None, now: datetime.datetime | None) -> Setup:
    """Where the config room is joined. Raises InputMissing, NothingChecked, PlanRefused."""
    from mcpexpose.cli import given
    from mcpexpose.client.target import Target
    from mcpexpose.config.resolve import live_transports
    from mcpexpose.model.errors import PlanRefused
    from mcpexpose.model.finding import Severity

    workspace = given.workspace(config, catalogs, now, made=True)
    parsed = workspace.config
    if parsed is None:
        raise PlanRefused(f"{workspace.name} has errors", workspace.findings_of_config)
    faults = [finding for finding in workspace.findings_of_config if finding.severity is Severity.ERROR]
    if faults:
        count = "an error" if len(faults) == 1 else f"{len(faults)} errors"
        console.say(
            f"mcpexpose: {workspace.name} has {count}; a server whose table is broken is left out: run `mcpexpose lint`"
        )
    transports = live_transports(parsed)
    limit = parsed.limits.max_tools_per_server
    return Setup(
        {
            server: Target(server, transport, limit, workspace.folder)
            for server, transport in transports.items()
            if server in workspace.servers
        },
        workspace.servers,
        frozenset(server for server in workspace.servers if parsed.mcp_servers[server].description),
        workspace.catalog_folder,
        console.name_of(workspace.catalog_folder),
    )


def chosen(setup: Setup, servers: Sequence[str]) -> tuple[str, ...]:
    """SERVERS once each, or all. Raises UsageRefused for one that the config does not have."""
    from mcpexpose.config.nearest import meant

    for server in servers:
        if server not in setup.servers:
            near = meant(server, setup.servers)
            hint = f'; did you mean "{shown(near)}"?' if near else ""
            raise UsageRefused(f'the config has no enabled server "{shown(server)}"{hint}')
    return tuple(dict.fromkeys(servers)) or setup.servers


def to_ask(setup: Setup, servers: Sequence[str], timeout: float | None) -> tuple[list[Target], list[Captured]]:
    """The targets, and what can be said at once of a server that has no way to reach it."""
    from mcpexpose.client import trouble
    from mcpexpose.client.capture import Captured

    targets, missing = [], []
    for server in servers:
        target = setup.targets.get(server)
        if target is None:
            sentence = "its table has no transport that could be used"
            missing.append(Captured(server, None, (trouble.failed(server, sentence, "Run `mcpexpose lint`."),)))
            continue
        if timeout is not None:
            transport = dataclasses.replace(target.transport, startup_timeout_s=timeout)
            target = dataclasses.replace(target, transport=transport)
        targets.append(target)
    return targets, missing


def agree(targets: Sequence[Target], *, yes: bool, environ: Mapping[str, str]) -> None:
    """Say what will be run and called, and ask once for all that nobody agreed to before.

    Raises UsageRefused where there is nobody to ask, or the answer is no.
    """
    from mcpexpose.client.consent import ask_of, remember, remembered, state_folder

    if not targets:
        return
    asks = [ask_of(target, conceal) for target in targets]
    folder = state_folder(environ)
    known = frozenset() if yes else remembered(folder)
    for each in asks:
        console.say(f"  {shown(each.server)}: {each.line}")
    new = [each for each in asks if each.digest not in known]
    if yes or not new:
        return
    what = "this" if len(new) == 1 else f"these {len(new)}"
    if not sys.stdin.isatty():
        names = ", ".join(shown(each.server) for each in new)
        raise UsageRefused(f"nobody agreed to {what} yet ({names}), and there is no terminal to ask at; pass --yes")
    console.say("new: " + ", ".join(shown(each.server) for each in new))
    if not click.confirm(f"Run and call {what}?", err=True):
        raise UsageRefused("nothing was run")
    try:
        remember(folder, new)
    except OSError as error:
        console.say(f"mcpexpose: this answer could not be remembered: {error.strerror}")


def conceal(words: Sequence[str]) -> list[str]:
    """WORDS of a command line with each literal credential as ***."""
    from mcpexpose.model.secrets import find_in_args, strike

    return [strike(word, found) for word, found in zip(words, find_in_args(words), strict=True)]


def ask(targets: Sequence[Target], environ: Mapping[str, str], now: datetime.datetime) -> list[Captured]:
    """Connect. Progress goes to stderr, where that is a terminal."""
    import anyio

    from mcpexpose.client.capture import capture

    with ProgressLine() as tell:

        async def run() -> list[Captured]:
            return await capture(targets, environ=environ, on_progress=tell, now=now)

        return anyio.run(run)


def of_file(server: str, path: Path, now: datetime.datetime) -> Captured:
    """What a stored answer holds, as if SERVER had just given it. Raises InputMissing."""
    from dataclasses import replace

    from mcpexpose.catalog.record import stamped
    from mcpexpose.catalog.shape import parse
    from mcpexpose.catalog.unfold import MAX_BYTES, TooLarge, decode, read_text
    from mcpexpose.client.capture import Captured
    from mcpexpose.model.freshness import stamp_of

    def text() -> str:
        if str(path) != "-":
            return read_text(path)
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise TooLarge
        return decode(data)

    if str(path) != "-" and not path.is_file():
        raise InputMissing(f"{shown(str(path))} is {'no file' if path.exists() else 'not there'}")
    catalog, findings = parse(text, server, "stdin" if str(path) == "-" else path.as_posix())
    advice = "Give --from-file a tools/list result or a catalog, in JSON."
    findings = tuple(replace(each, advice=advice) if each.slug == "catalog-invalid-json" else each for each in findings)
    return Captured(server, stamped(catalog, stamp_of(now)) if catalog else None, findings)


def finish(setup: Setup, captured: Sequence[Captured], choices: Choices) -> int:
    """Write or compare, report, and give the exit code."""
    from mcpexpose.catalog.record import Recorded, compare, record

    rows = []
    for each in sorted(captured, key=lambda one: one.server):
        if each.catalog is None:
            done = Recorded(None, False)
        elif choices.check:
            done = compare(setup.catalogs, each.catalog)
        else:
            done = record(
                setup.catalogs,
                each.catalog,
                accept_shrink=choices.accept_shrink,
                folder_name=setup.catalogs_name,
            )
        rows.append(Row(each.server, each, (*each.findings, *done.findings), done.written, done.differs))
    findings = tuple(finding for row in rows for finding in row.findings)
    if choices.verbose:
        for row in rows:
            if row.captured.stderr:
                lines = "".join(f"\n    {line}" for line in row.captured.stderr.split("\n"))
                console.say(f"stderr of {shown(row.server)}, its end:{lines}")
    console.put(
        choices.form, as_json(rows, findings) if choices.form == "json" else as_text(rows, setup.described, choices)
    )
    codes = [exits.of_findings(findings)]
    if any(row.captured.unavailable for row in rows):
        codes.append(exits.UNAVAILABLE)
    if choices.check and any(row.differs for row in rows):
        codes.append(exits.DIFFERS)
    return exits.combine(codes)
