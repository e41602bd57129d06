"""What a test asserts of a search: asked as a host asks, and where it fails, what was found instead and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.config.subjects import dotted
from mcpexpose.host.finder import refused_query
from mcpexpose.model.finding import Place
from mcpexpose.model.text import shown
from mcpexpose.report.search import nothing
from mcpexpose.report.tested import Failure
from mcpexpose.search.analysis import terms
from mcpexpose.surface.declarations import LIMIT_MAX
from mcpexpose.testing.assertions import misnamed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.config.tests import Written
    from mcpexpose.model.names import ToolId
    from mcpexpose.testing.names import Named
    from mcpexpose.testing.subject import Reached

Found = tuple[tuple[int, str, float], ...]
_LISTED = 5
_AROUND = "\"'`“”‘’„«»()[]{}<>.,;:!?\\"
"""What stands around a word in a sentence."""


def check(written: Written, file: str, reached: Reached) -> Iterator[Failure]:
    """Every query of the test that finds what it should not, or does not find what it should."""
    test = written.test
    at = ("tests", written.index)
    wanted: list[_Entry] = []
    for n, text in enumerate(test.wanted):
        place = Place(file, (*at, "finds") if isinstance(test.finds, str) else (*at, "finds", n))
        named = misnamed("finds", text, place, reached, some=True)
        named = named if isinstance(named, Failure) else _kept_away(text, named, place, reached) or named
        if isinstance(named, Failure):
            yield named
        else:
            wanted.append(_Entry(text, named, place))
    never: list[_Entry] = []
    for n, text in enumerate(test.never_finds or ()):
        place = Place(file, (*at, "never_finds", n))
        named = misnamed("never_finds", text, place, reached, some=False)
        if isinstance(named, Failure):
            yield named
        else:
            never.append(_Entry(text, named, place))
    most = min(test.within or reached.subject.plan.rows.search.limit, LIMIT_MAX)
    for m, query in enumerate(test.queries):
        reason = refused_query(query, None) or ("" if terms(query) else "search-query-empty")
        if reason:
            path = (*at, "query") if isinstance(test.query, str) else (*at, "query", m)
            fact = f'"{_short(query)}" is no search: {nothing(reason)}'
            yield Failure("query", query, fact, "Ask as a model would.", Place(file, path), query=query)
            continue
        for entry in wanted:
            yield from _finds(query, entry, most, reached)
        for entry in never:
            yield from _never_finds(query, entry, reached)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of finds or never_finds."""

    text: str
    named: Named
    place: Place


def _kept_away(text: str, named: Named, place: Place, reached: Reached) -> Failure | None:
    """Where no tool that it meets is within reach: no query finds one."""
    met = named.of(reached.subject.known)
    if any(tool in reached.tools for tool in met):
        return None
    kept = shown(str(met[0]), 120)
    about = "" if named.exact else f'"{shown(text, 120)}" meets no tool within reach, and '
    fact = f"{about}no query finds {kept}: it {reached.state(met[0])}"
    return Failure("finds", text, fact, f"mcpexpose explain {kept} says why; lift it there, or mend the test.", place)


def _finds(query: str, entry: _Entry, most: int, reached: Reached) -> Iterator[Failure]:
    named = entry.named
    ranking = reached.ranking(query)
    if any(named.meets(reached.tool(hit.row)) for hit in ranking.hits[:most]):
        return
    found = _found(reached, query)
    ranks = reached.ranks(query)
    within = [tool for tool in named.of(reached.subject.known) if tool in reached.tools]
    best = min(within, key=lambda tool: (ranks.get(tool, (len(ranks) + 1, ()))[0], tool))
    rank, held = ranks.get(best, (None, ()))
    what = shown(str(best), 120)
    if rank is None:
        what = what if named.exact else f'what "{shown(entry.text, 120)}" meets'
        fact = f'"{_short(query)}" does not find {what} at all; {_firsts(found) or nothing(ranking.reason)}'
    else:
        where = "first" if most == 1 else f"among the first {most}"
        stands = f"{what} stands at rank {rank:,}, and the test wants it {where}"
        fact = f'"{_short(query)}" finds others before it: {stands}; {_firsts(found)}'
    advice = _to_find(query, best, rank, held)
    yield Failure("finds", entry.text, fact, advice, entry.place, query=query, found=found, rank=rank)


def _to_find(query: str, tool: ToolId, rank: int | None, held: tuple[str, ...]) -> str:
    """The words that the tool lacks, as the config would give them; else what may be loosened."""
    lacking = [word for word in query.split() if (found := terms(word)) and not set(found) & set(held)]
    loosen = f", or allow within = {rank}" if rank is not None and rank <= LIMIT_MAX else ""
    words = dict.fromkeys(word for each in lacking if (word := each.strip(_AROUND)))
    if words:
        listed = ", ".join(f'"{shown(word, 40)}"' for word in words)
        table = dotted(("mcp_servers", tool.server, "tools", tool.name))
        return f"Give it the words that it lacks, keywords = [{listed}] in [{table}]{loosen}."
    more = f'mcpexpose search "{_short(query)}" shows all'
    return f"It holds every word, as those before it do: ask what tells it from them{loosen}; {more}."


def _never_finds(query: str, entry: _Entry, reached: Reached) -> Iterator[Failure]:
    for rank, hit in enumerate(reached.ranking(query).hits, 1):
        tool = reached.tool(hit.row)
        if not entry.named.meets(tool):
            continue
        what = reached.subject.planned[tool].side_effect.value
        fact = f'"{_short(query)}" finds {shown(str(tool), 120)} ({what}) at rank {rank}'
        table = dotted(("mcp_servers", tool.server))
        advice = f'Deny it: deny = ["{shown(tool.name, 80)}"] in [{table}], or mend the test.'
        found = _found(reached, query)
        yield Failure("never_finds", entry.text, fact, advice, entry.place, query=query, found=found, rank=rank)
        return


def _found(reached: Reached, query: str) -> Found:
    hits = reached.ranking(query).hits[:_LISTED]
    return tuple((rank, str(reached.tool(hit.row)), hit.score) for rank, hit in enumerate(hits, 1))


def _firsts(found: Found) -> str:
    names = [f"{rank}. {shown(tool, 120)}" for rank, tool, _ in found[:3]]
    return f"it finds {', '.join(names)}" if names else ""


def _short(query: str) -> str:
    return shown(query, 80)
