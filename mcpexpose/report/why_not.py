"""Why a tool is not higher in a search, in one or two sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.report.search_explain import score_json
from mcpexpose.report.words import names
from mcpexpose.search.postings import POSTINGS
from mcpexpose.search.ranking import CLASH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.report.screen import Screen
    from mcpexpose.search.explain import Explanation, TermShare

Reason = Literal[
    "first", "ranked", "beyond-limit", "below-min-match", "no-word", "cut", "outside-profile", "hidden", "denied",
    "left-out", "not-in-plan",
]  # fmt: skip
Key = Literal["exact", "covered", "score", "order"]
"""The first of the sort keys in which two tools differ."""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What is known of one tool and one query. Texts are raw."""

    tool: str
    """`server/tool`."""
    reason: Reason
    rank: int | None = None
    """Where it stands; of a tool that the profile or policy takes out, where it would."""
    total: int = 0
    shown: int = 0
    above: str = ""
    """The tool right above it."""
    own: Explanation | None = None
    its: Explanation | None = None
    """Of the tool above."""
    verbs: tuple[str, ...] = ()
    """Classes of the query's verbs."""
    terms: tuple[str, ...] = ()
    """What is looked up."""
    has: tuple[str, ...] = ()
    """Words that the tool may be found by."""
    related: tuple[tuple[str, str], ...] = ()
    """Words of the query, and those of their families that the tool has."""
    why: str = ""
    """The deciding key of policy or profile."""
    place: str = ""
    profile: str = ""
    bound: str = ""
    """The operator's min_match."""
    common: tuple[tuple[str, int], ...] = ()
    """Its words that are in too many tools, with their number."""
    written: Mapping[str, str] = field(default_factory=dict)
    """How the query wrote a term."""

    def word(self, term: str, screen: Screen) -> str:
        """TERM as it was written, to be printed."""
        return screen.text(self.written.get(term, term))


def key_between(above: Explanation, below: Explanation) -> Key:
    """The sort key that puts ABOVE before BELOW."""
    if above.exact != below.exact:
        return "exact"
    if above.covered != below.covered:
        return "covered"
    return "score" if above.score != below.score else "order"


def sentences(why: WhyNot, screen: Screen) -> list[str]:
    """One or two."""
    tool, above = screen.text(why.tool), screen.text(why.above)
    reason = screen.text(why.why) + (f" ({screen.text(why.place)})" if why.place else "")
    match why.reason:
        case "first":
            return [f"{tool} is the first of {why.total:,}: no tool stands above it."]
        case "ranked":
            return [f"{tool} is #{why.rank} of {why.total:,}, right below {above}.", *_between(why, screen)]
        case "beyond-limit":
            shown = f"the first {why.shown} are shown" if why.shown != 1 else "only the first is shown"
            start = f"{tool} is #{why.rank} of {why.total:,}, and {shown}; right above it stands {above}."
            return [start, *_between(why, screen)]
        case "below-min-match":
            return [f"{tool} matches, but the best match is emptied by [search] min_match = {why.bound}."]
        case "no-word":
            return _no_word(why, screen)
        case "cut":
            common = names([f'"{why.word(term, screen)}" in {tools:,}' for term, tools in why.common])
            return [
                f"{tool} holds only words of the query that many tools have ({common}).",
                f"Of such a word the {POSTINGS} tools are looked at that it weighs most in, and this is none of them.",
            ]
        case "outside-profile":
            start = f"Profile {screen.text(why.profile)} does not reach {tool}: {reason}."
            return [start, *_would(why, "Within its reach")]
        case "hidden" | "denied":
            return [f"{tool} is {why.reason}, so no search finds it: {reason}.", *_would(why, "Let in", "about ")]
        case "left-out":
            start = f"{tool} is left out of the plan by {reason}: no search finds it until that is mended."
            return [start, *_would(why, "Then", "about ")]
        case _:
            return [f"{tool} is not in this plan. Where the config is at hand, the same without --plan says why."]


def as_json(why: WhyNot, screen: Screen) -> dict[str, Any]:
    """The shape is fixed: what does not apply is null."""
    return {
        "tool": why.tool,
        "reason": why.reason,
        "rank": why.rank,
        "total": why.total,
        "above": why.above or None,
        "key": key_between(why.its, why.own) if why.its and why.own else None,
        "why": why.why or None,
        "place": why.place or None,
        "sentences": sentences(why, screen),
        "own": score_json(why.own) if why.own else None,
        "its": score_json(why.its) if why.its else None,
    }


def _would(why: WhyNot, start: str, about: str = "") -> list[str]:
    if why.rank is None:
        return ["It holds no word of the query either."]
    return [f"{start} it would be {about}#{why.rank}."]


def _no_word(why: WhyNot, screen: Screen) -> list[str]:
    tool = screen.text(why.tool)
    asked = ", ".join(why.word(term, screen) for term in why.terms)
    start = f"No field of {tool} holds a word of the query ({asked})." if asked else (
        f"The query has no word that is looked up, and is no name of {tool}."
    )  # fmt: skip
    if why.related:
        asked, has = why.related[0]
        return [
            start,
            f'It has "{screen.text(has)}", which is related to "{why.word(asked, screen)}": such words lift a tool '
            "that is found, and find none.",
        ]
    has = ", ".join(screen.text(word) for word in why.has)
    return [start, f"It has: {has}."] if has else [start]


def _between(why: WhyNot, screen: Screen) -> list[str]:
    """The key that decides against the tool above."""
    if why.own is None or why.its is None:
        return []
    own, its = why.own, why.its
    tool, above = screen.text(why.tool), screen.text(why.above)
    key = key_between(its, own)
    if key == "exact":
        return [f"The query names {above}, and what it names comes first."]
    if key == "covered":
        missing = names([f'"{why.word(term, screen)}"' for term in own.missing])
        return [f"{above} holds every word of the query, and {tool} lacks {missing}; that comes before any score."]
    if key == "order":
        return [f"Both score {own.score:.2f}, and equals go by server, then name."]
    return [f"It scores {own.score:.2f}, {above} {its.score:.2f}: {_difference(why, own, its, screen)}."]


def _difference(why: WhyNot, own: Explanation, its: Explanation, screen: Screen) -> str:
    """What most of the difference of two scores comes from."""
    clash = log(1 / CLASH) if own.clash and not its.clash else 0.0
    coverage = log((1 + its.coverage) / (1 + own.coverage))
    sums = log((its.bm25f + its.kin) / (own.bm25f + own.kin)) if own.bm25f + own.kin > 0 < its.bm25f + its.kin else 1.0
    if clash > max(coverage + sums, 0.0):
        asked = ", ".join(why.verbs)
        times = "×" if screen.blocks else "x"
        return f"its name says {own.verb} and the query {asked}, which counts {times} {CLASH:.2f}"
    mine = {share.term: share for share in own.shares}
    theirs = {share.term: share for share in its.shares}
    gaps = {term: share.gain - (mine[term].gain if term in mine else 0.0) for term, share in theirs.items()}
    term = max(gaps, key=lambda one: gaps[one], default="")
    if not term or gaps[term] <= 0:
        return "the words that both have weigh more there"
    there = f"{theirs[term].gain:.2f} there ({_fields(theirs[term])})"
    if term not in mine:
        return f'"{why.word(term, screen)}" is in none of its fields, and gives {there}'
    return f'"{why.word(term, screen)}" gives {mine[term].gain:.2f} here ({_fields(mine[term])}) and {there}'


def _fields(share: TermShare) -> str:
    return ", ".join(one.field for one in share.fields if one.gain > share.gain / 10)
