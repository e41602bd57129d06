"""`mcpexpose search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcpexpose.cli import console, exits, given, options

if TYPE_CHECKING:
    import datetime
    from pathlib import Path

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.answer import Hit
    from mcpexpose.report.search import SearchReport


@click.command("search")
@click.argument("query", nargs=-1, metavar="QUERY...")
@click.option("--limit", metavar="N", help="How many matches at most, 1 to 20; more is cut to 20. [search_limit]")
@click.option("--as-model", is_flag=True, help="The answer that the model reads, to the letter.")
@options.profile
@options.plan
@options.formats(("text", "json"))
@options.config
def command(
    query: tuple[str, ...],
    limit: str | None,
    as_model: bool,
    profile: str | None,
    bundle: Path | None,
    form: str,
    config: Path | None,
    catalogs: Path | None,
    now: datetime.datetime | None,
) -> int:
    """What find_tools would answer: as a table with scores, as JSON, or to the letter.

    A search without a hit ends with 0. A query that the model would be refused (no words, more than 1,000 characters,
    a limit that is no whole number) ends with 2.

    \b
    Examples:
      mcpexpose search read the failed job log
      mcpexpose search "open a ticket" --profile triage --as-model
    """
    from mcpexpose.report.search import nothing, render_json, render_text

    held = given.plan(bundle, config, catalogs, now)
    words = " ".join(query)
    number = _number(limit)
    report = _report(held, words, number, profile)
    refused = report.reason.startswith("search-")
    if as_model:
        answer = held.session(profile).find_tools(words, number)  # type: ignore[arg-type]
        console.out_machine(answer.text + "\n")
    elif form == "json":
        console.out_machine(render_json(report))
    elif not refused:
        console.out(render_text(report, console.screen()))
    if refused:
        console.say(f"mcpexpose: {nothing(report.reason)}")
    return exits.USAGE if refused else exits.OK


def _number(limit: str | None) -> int | str | None:
    """The limit as a model would send it; what is no number goes on as it is, and is refused as the model's is."""
    try:
        return None if limit is None else int(limit)
    except ValueError:
        return limit


def _report(held: HostPlan, query: str, limit: int | str | None, profile: str | None) -> SearchReport:
    from mcpexpose.host import finder
    from mcpexpose.report.search import Found, SearchReport
    from mcpexpose.search.analysis import terms
    from mcpexpose.surface.request import first_rows

    rows = held.rows
    pool = rows.pool(profile)
    if reason := finder.refused_query(query, limit):
        return SearchReport(query, profile, limit if isinstance(limit, int) else None, reason, False, 0, (), (), ())
    most = finder.effective_limit(limit, rows.search.limit)
    reach = finder.Reach(rows, pool if isinstance(pool, range) else frozenset(pool))
    ranking = finder.rank(held, query, most, reach)
    declared = frozenset(first_rows(rows, profile))
    beyond = held.search(query, len(reach.outside), reach.outside).hits if reach.outside else ()
    asked = {term: word for word in query.split() for term in terms(word)}

    def found(hit: Hit) -> Found:
        tool = held.tool(hit.row)
        name = frozenset(terms(f"{tool.name} {tool.alias}"))
        words = {
            place: tuple(dict.fromkeys(asked.get(term, term) for term in hit.terms if (term in name) is place))
            for place in (True, False)
        }
        fresh = held.freshness(tool.server).state == "fresh"
        return Found(hit, tool, hit.row in declared, fresh, words[True], words[False])

    return SearchReport(
        query=query,
        profile=profile,
        limit=most,
        reason=ranking.reason,
        weak=ranking.weak,
        total=ranking.total,
        terms=ranking.terms,
        found=tuple(found(hit) for hit in ranking.hits),
        filtered=tuple(held.tool(hit.row) for hit in beyond),
    )
