"""A search as an operator sees it: the ranked table with its reasons, or JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.report import search_explain, why_not
from mcpexpose.report.jsonout import dump
from mcpexpose.report.preview_text import RISK
from mcpexpose.report.screen import Cell, Column, Paint, Painted, Screen, table_with_notes
from mcpexpose.report.words import count, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.answer import Hit
    from mcpexpose.model.plan import PlannedTool
    from mcpexpose.report.search_explain import Explained
    from mcpexpose.report.why_not import WhyNot


@dataclass(frozen=True, slots=True)
class Found:
    """One hit with its tool."""

    hit: Hit
    tool: PlannedTool
    declared: bool
    fresh: bool
    in_name: tuple[str, ...] = ()
    """The query's words that its name holds, as they were asked."""
    in_text: tuple[str, ...] = ()
    """Those that stand elsewhere in what is indexed of it."""


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a search gave, and what a profile took out of it."""

    query: str
    profile: str | None
    limit: int | None
    """None where the one that was asked for is refused."""
    reason: str
    weak: bool
    total: int
    terms: tuple[str, ...]
    found: tuple[Found, ...]
    filtered: tuple[PlannedTool, ...]
    """Tools that match too, but lie outside the profile; best first."""
    explained: Explained | None = None
    why_not: WhyNot | None = None


def render_json(report: SearchReport) -> str:
    """The shape is fixed; scores are whole, not rounded. `explain`, `why_not`: where they were asked for."""
    more: dict[str, object] = {}
    if report.explained:
        more["explain"] = search_explain.as_json(report.explained, report.found)
    if report.why_not:
        more["why_not"] = why_not.as_json(report.why_not, Screen())
    return dump(
        {
            **more,
            "query": report.query,
            "profile": report.profile,
            "limit": report.limit,
            "reason": report.reason,
            "weak": report.weak,
            "total": report.total,
            "terms": list(report.terms),
            "hits": [_hit(number, found, report) for number, found in enumerate(report.found, 1)],
            "filtered": len(report.filtered),
        }
    )


def render_text(report: SearchReport, screen: Screen) -> str:
    """The table, or why there is none; then what --limit or the profile kept out."""
    more = ""
    if (left := report.total - len(report.found)) > 0 and report.found:
        more = f"{left:,} more match" + (" (--limit shows up to 20)" if len(report.found) < 20 else "")
    if report.explained:
        lines = search_explain.render(report.explained, report, screen, nothing(report.reason), more)
    else:
        lines = _table(report, screen) if report.found else [nothing(report.reason)]
        if tail := "; ".join(filter(None, (more, _filtered(report, screen)))):
            lines.append(tail)
    if report.why_not:
        lines += ["", *screen.wrap(" ".join(why_not.sentences(report.why_not, screen)), rest="")]
    return "\n".join(lines) + "\n"


def _filtered(report: SearchReport, screen: Screen) -> str:
    if not report.filtered:
        return ""
    tools = [f"{screen.text(str(tool.id))} ({tool.side_effect.value})" for tool in report.filtered]
    verb = "was" if len(tools) == 1 else "were"
    return f"{len(tools):,} {verb} taken out by profile {screen.text(report.profile or '')}: {names(tools)}"


def nothing(reason: str) -> str:
    """Why a search gave nothing, for an operator."""
    return {
        "search-query-empty": "search-query-empty: the query holds no word that is searched for",
        "search-query-too-long": "search-query-too-long: more than 1,000 characters are not searched",
        "search-limit-invalid": "search-limit-invalid: the limit is no whole number above 0 (above 20 it counts as 20)",
        "outside-profile": "outside-profile: tools match, but none that the profile reaches",
        "not-fresh": "not-fresh: no tool matches, and catalogs that are out of date may lack it",
        "below-min-match": "below-min-match: the best match scores less than [search] min_match",
    }.get(reason, "nothing-matched: no tool has a word of this query")


def _hit(rank: int, found: Found, report: SearchReport) -> dict[str, object]:
    tool = found.tool
    return {
        "rank": rank,
        "server": tool.server,
        "tool": tool.name,
        "alias": tool.alias,
        "score": found.hit.score,
        "exact": found.hit.exact,
        "covered": found.hit.covered,
        "terms": list(found.hit.terms),
        "exposure": tool.exposure.value,
        "policy_state": tool.policy_state.value,
        "side_effect": tool.side_effect.value,
        "description": tool.description,
        "title": tool.title,
        "fresh": found.fresh,
        "declared": found.declared,
        "weak": report.weak,
    }


def _table(report: SearchReport, screen: Screen) -> list[str]:
    columns = [
        Column("#", ">"),
        Column("TOOL", least=20),
        Column("SCORE", ">"),
        Column("SIDE EFFECT"),
        Column("POLICY"),
    ]
    rows: list[Sequence[Cell]] = []
    policy = {"allowed": "allowed", "approval_required": "asks"}
    for rank, found in enumerate(report.found, 1):
        tool = found.tool
        rows.append(
            [
                f"{rank}",
                screen.text(str(tool.id)),
                f"{found.hit.score:.2f}",
                Painted(tool.side_effect.value, RISK[tool.side_effect]),
                policy.get(tool.policy_state.value, tool.policy_state.value),
            ]
        )
    why = [[_why(found, report, screen)] for found in report.found]
    lines = table_with_notes(columns, rows, [Column("WHY")], why, screen, indent=0)
    if report.weak:
        lines.append(screen.paint("weak match: no tool fits well, these come closest", Paint.CARE))
    return lines


def _why(found: Found, report: SearchReport, screen: Screen) -> str:
    parts = ["named by the query"] if found.hit.exact else []
    for where, words in (("name", found.in_name), ("text", found.in_text)):
        if words:
            parts.append(f"{where}: {' '.join(screen.text(word) for word in words)}")
    if len(report.terms) > 1 and not found.hit.exact:
        held = len(found.hit.terms)
        if found.hit.covered:
            parts.append("all words")
        elif held:
            parts.append(f"{held} of {count(len(report.terms), 'word')}")
    if found.declared:
        parts.append("declared already")
    if not found.fresh:
        parts.append("not fresh")
    return f" {screen.dot} ".join(parts)
