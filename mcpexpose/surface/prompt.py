"""The prompt section that tells a model which servers have tools that it can search for (X06)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.text import cut, first_line
from mcpexpose.surface import wording

if TYPE_CHECKING:
    from collections.abc import Iterable

HEADING = "# MCP servers"
SUMMARY_MAX = 250
"""Characters of one server's summary."""
SECTION_MAX = 4_096
"""Characters of the whole section, its last line among them."""


def prompt_section(servers: Iterable[tuple[str, str]]) -> str:
    """The section for (id, summary) pairs, sorted by id; "" where there are none. Ends without a line feed.

    Servers that do not fit are counted in a last line. A summary is its first line; where it is empty the id stands
    alone.
    """
    lines = [_line(*server) for server in sorted(servers)]
    if not lines:
        return ""
    whole = "\n".join([HEADING, *lines])
    if len(whole) <= SECTION_MAX:
        return whole
    room = SECTION_MAX - len(HEADING) - len(_rest(len(lines))) - 1
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([HEADING, *kept, _rest(len(lines) - len(kept))])


def _line(server: str, summary: str) -> str:
    text = cut(wording.plain(first_line(summary)), SUMMARY_MAX)
    name = cut(wording.plain(server), SUMMARY_MAX)
    return f"- {name}: {text}" if text else f"- {name}"


def _rest(count: int) -> str:
    return f"… and {count} more servers"
