"""`mcpexpose search`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options
from mcpexpose.cli.explain import unknown
from mcpexpose.cli.tool import Tool
from mcpexpose.surface.declarations import LIMIT_MAX

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from mcpexpose.model.names import ToolId


@click.command("search")
@click.argument("query", nargs=-1, metavar="QUERY...")
@click.option("--limit", metavar="N", help="How many matches at most, 1 to 20; more is cut to 20. [search_limit]")
@click.option("--as-model", is_flag=True, help="The answer that the model reads, to the letter.")
@click.option(
    "--explain", is_flag=True, help="What became of the query, how each score came about, what was taken out."
)
@click.option(
    "--why-not", "wanted", type=Tool(), metavar="SERVER/TOOL", help="Why this tool is not higher, or not there."
)
@click.option(
    "--manual", is_flag=True, help="What a word is, how tools are ordered, what versions mean; then nothing else."
)
@options.profile
@options.plan
@options.formats(("text", "json"))
@options.config
def command(
    query: tuple[str, ...],
    limit: str | None,
    as_model: bool,
    explain: bool,
    wanted: ToolId | None,
    manual: bool,
    profile: str | None,
    bundle: Path | None,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """What find_tools would answer: as a table with scores, as JSON, or to the letter.

    --explain shows how each score came about, --manual what a word is, how tools are ordered, and what the versions
    of analysis and ranking in a bundle mean for an upgrade.

    A search without a hit ends with 0. A query that the model would be refused (no words, more than 1,000 characters,
    a limit that is no whole number) ends with 2.

    \b
    Examples:
      mcpexpose search read the failed job log
      mcpexpose search "open a ticket" --profile triage --as-model
      mcpexpose search open a ticket --why-not jira/create_issue
    """
    from mcpexpose.cli.searching import Search
    from mcpexpose.report.search import nothing, render_json, render_text

    if manual:
        from importlib.resources import files

        console.out(files("mcpexpose.search").joinpath("manual.md").read_text("utf-8"))
        return exits.OK
    if as_model and (explain or wanted or form == "json"):
        raise click.UsageError("--as-model is what the model reads: it goes without --explain, --why-not and JSON")
    workspace = given.workspace(config, catalogs, now) if bundle is None else None
    held = given.compiled(workspace, now) if workspace else given.plan(bundle, config, catalogs, now)
    words = " ".join(query)
    number = _number(limit)
    search = Search(held, workspace, words, profile)
    report = search.report(number)
    refused = report.reason.startswith("search-")
    if as_model:
        answer = held.session(profile).find_tools(words, number)  # type: ignore[arg-type]  # as a model may send it
        console.out_machine(answer.text + "\n")
    if explain and not refused:
        report = replace(report, explained=search.explained(report))
    if wanted and not refused:
        report = replace(report, why_not=search.why_not(wanted, report))
        if report.why_not is None and workspace is not None:
            console.say(f"mcpexpose: {unknown(workspace, wanted)}")
            return exits.USAGE
    if form == "json":
        console.out_machine(render_json(report))
    elif not refused and not as_model:
        console.out(render_text(report, console.screen()))
    if refused:
        console.say(f"mcpexpose: {nothing(report.reason)}")
    return exits.USAGE if refused else exits.OK


def _number(limit: str | None) -> int | str | None:
    """The limit as a model would send it; what is no number goes on as it is, and is refused as the model's is."""
    if limit is None or not re.fullmatch(r"[0-9]+(?:\.0+)?", limit):
        return limit
    digits = limit.partition(".")[0].lstrip("0")
    return int(digits or "0") if len(digits) < 10 else LIMIT_MAX
