"""Aliases: the one name, portable to every provider, that a model calls a tool by. Looked up, never parsed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from mcpexpose.model.canonical import digest
from mcpexpose.model.plan import SEARCH_TOOL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.model.names import ToolId

ALIAS_MAX = 64
RESERVED = frozenset({SEARCH_TOOL})
"""Names that no tool is given, without regard to case (F10)."""
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
_SUFFIX = 8
_ROUNDS = 64 // _SUFFIX - 1


def aliases(tools: Iterable[ToolId]) -> Mapping[ToolId, str]:
    """An alias for each tool, no two equal without regard to case, the same in whatever order the tools come.

    A name that is too long, and every member of a group of equals, gets eight digits of the digest of its identity;
    where that is not enough, eight more, and so on.
    """
    rounds = {tool: int(len(clean(tool)) > ALIAS_MAX) for tool in tools}
    while True:
        named = {tool: _suffixed(tool, count) for tool, count in rounds.items()}
        taken = Counter(alias.lower() for alias in named.values())
        taken.update(RESERVED)
        clashing = [tool for tool, alias in named.items() if taken[alias.lower()] > 1 and rounds[tool] < _ROUNDS]
        if not clashing:
            return named
        for tool in clashing:
            rounds[tool] += 1


def clean(tool: ToolId) -> str:
    """`server__tool` in the characters that fit everywhere, before anything is cut or told apart."""
    name = _UNFIT.sub("_", f"{tool.server}__{tool.name}")
    return name if name[0].isalpha() else f"t_{name}"


def _suffixed(tool: ToolId, count: int) -> str:
    if not count:
        return clean(tool)
    whole = digest([tool.server, tool.name])
    suffix = "".join(f"_{whole[at : at + _SUFFIX]}" for at in range(0, count * _SUFFIX, _SUFFIX))
    return clean(tool)[: ALIAS_MAX - len(suffix)] + suffix
