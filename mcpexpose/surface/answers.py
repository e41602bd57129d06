"""What `find_tools` answers: numbered entries in full, or one small JSON object a line; no text of a server breaks out.

A full entry is `N. alias [score=7.91]`, then `description: "…"` and `parameters: {…}`, both JSON on one line, then
`note: …` where there is something to note. Entries are parted by a blank line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.model.text import cut
from mcpexpose.surface import wording
from mcpexpose.surface.declarations import LIMIT_MAX, QUERY_MAX, declared_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.model.answer import Match, SearchReason

Form = Literal["full", "compact"]

NEWLY_AVAILABLE = "Newly available from your next call: "
WEAK = "Weak match: no tool fits well; these come closest."
REVISION_DIGITS = 12
"""Hexadecimal digits of a catalog's revision in a compact answer; `Match.revision` has all 64."""

_NOTHING: dict[str, str] = {
    "search-query-empty": "The query holds no word to search for. Say in a few words what is to be done and on what.",
    "search-query-too-long": f"The query is longer than {QUERY_MAX:,} characters and was not run. Use a few words.",
    "search-limit-invalid": f"The limit must be a whole number from 1 to {LIMIT_MAX}. Nothing was searched.",
    "nothing-matched": "No tool fits this query. Other words for the action or the object may find one.",
    "outside-profile": "No tool that may be used for this task fits this query.",
    "not-fresh": "No tool fits this query. Some servers' tools may have changed since they were captured.",
    "below-min-match": "No tool fits this query well enough. Other words for the action or the object may find one.",
}


def answer_text(
    matches: Sequence[Match], added: Sequence[str], reason: SearchReason, weak: bool, form: Form = "full"
) -> str:
    """The answer as the model reads it. ADDED are the aliases that are declared from the next request on, in order.

    Where nothing matched it says so, by REASON, and names no tool (F09).
    """
    if not matches:
        return nothing_text(reason)
    parts = [WEAK] if weak else []
    if form == "compact":
        parts.append("\n".join(wording.compact(descriptor(match)) for match in matches))
    else:
        parts += [_entry(number, match) for number, match in enumerate(matches, 1)]
    if added:
        parts.append(NEWLY_AVAILABLE + ", ".join(added))
    return "\n\n".join(parts)


def nothing_text(reason: SearchReason) -> str:
    """What is said where there is no match, by its reason."""
    return _NOTHING[reason or "nothing-matched"]


def descriptor(match: Match) -> dict[str, Any]:
    """The compact form of one match (G02): who and what it is, at which revision, and what a call of it means.

    `declared` and `fresh` stand in it only where they are true and false, that is where they are news.
    """
    tool = match.tool
    text = wording.plain(match.definition.get("description") or "")
    small: dict[str, Any] = {
        "name": tool.alias,
        "server": tool.server,
        "tool": tool.name,
        "description": cut(text, wording.SHORT_LIMIT),
        "revision": match.revision[:REVISION_DIGITS],
        "policy_state": tool.policy_state.value,
        "side_effect": tool.side_effect.value,
    }
    if match.declared:
        small["declared"] = True
    if not match.fresh:
        small["fresh"] = False
    return small


def _entry(number: int, match: Match) -> str:
    lines = [
        f"{number}. {match.tool.alias} [score={match.score:.2f}]",
        f"description: {wording.compact(wording.description(match.definition.get('description')))}",
        f"parameters: {wording.compact(declared_schema(match.definition['inputSchema']))}",
    ]
    notes = []
    if match.declared:
        notes.append("already declared")
    if not match.fresh:
        notes.append("its definition may be out of date")
    if notes:
        lines.append(f"note: {'; '.join(notes)}")
    return "\n".join(lines)
