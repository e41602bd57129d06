"""A search explained to an operator: what became of the query, how each score came about, what was taken out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcpexpose.report.preview_text import RISK
from mcpexpose.report.screen import Column, Paint, Painted, cells, pad, table, table_with_notes
from mcpexpose.report.words import count
from mcpexpose.search.kinship import words
from mcpexpose.search.query import MAX_WORDS
from mcpexpose.search.ranking import CLASH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.plan import MinMatch, PlannedTool
    from mcpexpose.report.screen import Cell, Screen
    from mcpexpose.report.search import Found, SearchReport
    from mcpexpose.search.explain import Asked, Explanation, TermShare
    from mcpexpose.search.query import Step

_HOW = {
    "stop": "dropped: a stop word",
    "joined": "run together: a word of the plan",
    "split": "two words of the plan, run together",
    "edited": "mended: no tool has it as it is written",
}
SHOWN = 10
"""Tools that were taken out, which are named; the rest is counted."""


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A tool that matches, and that profile or policy keeps from this search."""

    server: str
    tool: str
    state: str
    """Its class where the profile took it out; else hidden, denied or left out."""
    why: str
    """The deciding key, class or group; raw text."""
    place: str
    """`config.toml:24`; "" where there is none."""
    explanation: Explanation
    """Of a tool that is not in the plan: by the plan's counts, as if it were."""

    @property
    def name(self) -> str:
        return f"{self.server}/{self.tool}"


@dataclass(frozen=True, slots=True)
class Explained:
    """What `search --explain` adds to a search."""

    asked: Asked
    tools: int
    """Of the plan: what counts and idf are of."""
    analyzer: str
    ranking: str
    weak_under: float
    """The score that the best match needs, lest it be weak."""
    min_match: MinMatch
    hits: tuple[Explanation, ...]
    """Of the hits that are shown, in their order."""
    by_profile: tuple[TakenOut, ...]
    by_policy: tuple[TakenOut, ...] | None
    """None where there is a bundle and no config."""


def render(explained: Explained, report: SearchReport, screen: Screen, nothing: str, more: str) -> list[str]:
    """The lines. NOTHING stands in place of hits where there are none; MORE tells of those that are not shown."""
    found = report.found
    lines = _query(explained, screen)
    lines.append("")
    if not found:
        lines += screen.wrap(nothing)
    for rank, (one, explanation) in enumerate(zip(found, explained.hits, strict=True), 1):
        lines += _hit(rank, one, explanation, explained, screen)
    if found:
        times = _times(screen)
        bound = f"weak under {explained.weak_under:.2f}"
        text = (
            f"order: named by the query, then every word held, then the score, then server and name {screen.dot} "
            f"score = (words + related words) {times} (1 + coverage), {times} {CLASH:.2f} where verbs clash "
            f"{screen.dot} {bound}"
        )
        lines += ["", *([more] if more else []), *screen.wrap(text)]
        if report.weak:
            lines.append(screen.paint("weak match: no tool fits well, these come closest", Paint.CARE))
    lines += _taken(explained.by_profile, "TAKEN OUT BY THE PROFILE", "", screen)
    lines += _taken(explained.by_policy or (), "TAKEN OUT BY POLICY", "about ", screen)
    return lines


def as_json(explained: Explained, found: Sequence[Found]) -> dict[str, Any]:
    """The shape is fixed; numbers are whole, not rounded."""
    asked = explained.asked
    return {
        "analyzer_version": explained.analyzer,
        "ranking_version": explained.ranking,
        "tools": explained.tools,
        "words": [{"word": step.word, "terms": list(step.terms), "how": step.how} for step in asked.steps],
        "terms": [
            {"term": one.term, "tools": one.tools, "idf": one.idf, "parts": None if one.parts is None else [*one.parts]}
            for one in asked.terms
        ],
        "not_looked_up": list(asked.left),
        "verbs": list(asked.verbs),
        "weak_under": explained.weak_under,
        "min_match": explained.min_match,
        "hits": [
            {"server": one.tool.server, "tool": one.tool.name, **score_json(explanation)}
            for one, explanation in zip(found, explained.hits, strict=True)
        ],
        "taken_out": {
            "profile": [_taken_json(one) for one in explained.by_profile],
            "policy": None if explained.by_policy is None else [_taken_json(one) for one in explained.by_policy],
        },
    }


def score_json(explanation: Explanation) -> dict[str, Any]:
    """How one score came about: `score` = (`bm25f` + `related`) × (1 + `coverage`) × `clash_factor`."""
    return {
        "exact": explanation.exact,
        "covered": explanation.covered,
        "score": explanation.score,
        "bm25f": explanation.bm25f,
        "related": explanation.kin,
        "coverage": explanation.coverage,
        "verb": explanation.verb,
        "clash_factor": CLASH if explanation.clash else 1.0,
        "missing": list(explanation.missing),
        "terms": [
            {
                "term": share.term,
                "idf": share.idf,
                "gain": share.gain,
                "fields": [
                    {
                        "field": one.field,
                        "weight": one.weight,
                        "times": one.times,
                        "words": one.words,
                        "mean_words": one.mean,
                        "gain": one.gain,
                        "synonym": one.synonym,
                    }
                    for one in share.fields
                ],
            }
            for share in explanation.shares
        ],
        "related_words": [{"term": one.term, "by": one.by, "gain": one.gain} for one in explanation.related],
    }


def _taken_json(one: TakenOut) -> dict[str, Any]:
    return {
        "server": one.server,
        "tool": one.tool,
        "state": one.state,
        "why": one.why,
        "place": one.place or None,
        "score": one.explanation.score,
        "exact": one.explanation.exact,
        "covered": one.explanation.covered,
    }


def _query(explained: Explained, screen: Screen) -> list[str]:
    """One line a word: what it is searched as, how many tools have it, how much that weighs."""
    asked = explained.asked
    known = {term.term: term for term in asked.terms}
    rows: list[list[Cell]] = []
    for step in asked.steps:
        terms = [known[term] for term in step.terms if term in known]
        rows.append(
            [
                screen.text(step.word),
                " ".join(screen.text(term) for term in step.terms) or screen.dash,
                ", ".join(f"{term.tools:,}" for term in terms),
                ", ".join(f"{term.idf:.2f}" for term in terms),
                _how(step, [term.tools for term in terms], explained),
            ]
        )
    for term in asked.terms:
        if term.parts is not None:
            whole = [screen.text(term.term), f"{term.tools:,}", f"{term.idf:.2f}"]
            rows.append([whole[0], *whole, "the identifier as a whole, besides"])
    if not rows:
        return [f"no word is searched for; a name may be meant {screen.dot} {count(explained.tools, 'tool')}"]
    columns = [Column("WORD", least=8), Column("SEARCHED AS", least=12), Column("TOOLS", ">"), Column("IDF", ">"),
               Column("", least=12)]  # fmt: skip
    versions = f"analysis {explained.analyzer}, ranking {explained.ranking}"
    return [
        *table(columns, rows, screen, indent=0),
        f"of {count(explained.tools, 'tool')} in the plan {screen.dot} {versions}",
    ]


def _how(step: Step, tools: Sequence[int], explained: Explained) -> str:
    if step.terms and step.terms[0] in explained.asked.left:
        return f"not looked up: only the {MAX_WORDS} rarest words are"
    if step.how == "kept":
        return "no tool has it" if tools and not tools[0] else ""
    return _HOW[step.how]


def _hit(rank: int, one: Found, explanation: Explanation, explained: Explained, screen: Screen) -> list[str]:
    tool = one.tool
    policy = {"allowed": "allowed", "approval_required": "asks"}
    asked = sum(term.parts is None for term in explained.asked.terms)
    keys = ["named by the query"] if explanation.exact else []
    if asked:
        held = asked - len(explanation.missing)
        keys.append("every word" if explanation.covered else f"{held} of {count(asked, 'word')}")
    state = policy.get(tool.policy_state.value, tool.policy_state.value)
    head = [
        f"{rank}",
        screen.text(str(tool.id)),
        f"{explanation.score:.2f}",
        screen.paint(tool.side_effect.value, RISK[tool.side_effect]),
        state,
        f" {screen.dot} ".join(keys),
        *(["declared already"] if one.declared else []),
        *([] if one.fresh else ["not fresh"]),
    ]
    lines = ["  ".join(head), *(f"   {line}" for line in breakdown(explanation, explained, screen))]
    return ["\n".join(lines)]


def breakdown(explanation: Explanation, explained: Explained, screen: Screen) -> list[str]:
    """How one score came about, without indent: the product, then a line for each word."""
    written = explained.asked.written
    times = _times(screen)
    product = f"= ({explanation.bm25f:.2f} + {explanation.kin:.2f}) {times} (1 + {explanation.coverage:.2f})"
    if explanation.clash:
        asked = ", ".join(explained.asked.verbs)
        product += f" {times} {CLASH:.2f}: its name says {explanation.verb}, the query says {asked}"
    lines = [product]
    terms = [*(share.term for share in explanation.shares), *explanation.missing]
    names = {term: screen.text(written.get(term, term)) for term in terms}
    wide = max(map(cells, names.values()), default=0)
    related = {one.term: one for one in explanation.related}
    for share in explanation.shares:
        lines += _line(f"{share.gain:6.2f}", pad(names[share.term], wide), _fields(share, screen), screen)
    for term in explanation.missing:
        number, text = f"{screen.dash:>6}", "in none of its fields"
        if kin := related.get(term):
            number, text = f"{kin.gain:6.2f}", f"by a related word: {words().get(kin.by, kin.by)}"
        lines += _line(number, pad(names[term], wide), text, screen)
    return lines


def _line(number: str, name: str, text: str, screen: Screen) -> list[str]:
    """Broken where it is too long, under the column of the fields."""
    lead = f"{number}  {name}  "
    narrow = replace(screen, width=max(screen.width - cells(lead) - 3, 24))
    first, *rest = narrow.wrap(text, rest="")
    return [lead + first, *(" " * cells(lead) + line for line in rest)]


def _times(screen: Screen) -> str:
    return "×" if screen.blocks else "x"


def _fields(share: TermShare, screen: Screen) -> str:
    parts = []
    for one in share.fields:
        often = f", {int(one.times)} times" if one.times > 1 else ""
        synonym = ", as a synonym" if one.synonym else ""
        parts.append(f"{one.field} ({_times(screen)}{one.weight:g}{often}{synonym}) {one.gain:.2f}")
    return f" {screen.dot} ".join(parts)


def _taken(taken: Sequence[TakenOut], title: str, about: str, screen: Screen) -> list[str]:
    if not taken:
        return []
    rows: list[list[Cell]] = []
    notes: list[list[str]] = []
    for one in taken[:SHOWN]:
        paint = Paint.DANGER if one.state in ("denied", "destructive") else Paint.NONE
        rows.append([screen.text(one.name), Painted(one.state, paint), f"{about}{one.explanation.score:.2f}"])
        notes.append(["  ".join(filter(None, (screen.text(one.why), screen.text(one.place))))])
    columns = [Column(title, least=20), Column("STATE"), Column("SCORE", ">")]
    lines = ["", *table_with_notes(columns, rows, [Column("WHY")], notes, screen, indent=0)]
    if len(taken) > SHOWN:
        lines.append(f"and {len(taken) - SHOWN:,} more")
    return lines


def reach_reason(tool: PlannedTool, groups: Sequence[str] | None, classes: Sequence[str] | None) -> str:
    """Why a profile of GROUPS and CLASSES (None: all) does not reach TOOL; raw text."""
    if groups is not None and set(groups).isdisjoint(tool.groups):
        reached = f"the profile reaches {', '.join(groups) or 'none'}"
        return f"its groups are {', '.join(tool.groups)}, {reached}" if tool.groups else f"it has no group, {reached}"
    counted = " (unknown counts as destructive)" if tool.side_effect.value == "unknown" else ""
    return f"its class {tool.side_effect.value}{counted} is not among {', '.join(classes or ()) or 'none'}"
