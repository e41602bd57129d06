"""Tools that a text names: by `server/tool`, by alias, or by a name that is no ordinary word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.lint.subjects import CapturedTool

_TOKENS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*[A-Za-z0-9]")


Names = Mapping[str, Sequence["CapturedTool"]]
"""Tools by each spelling that names them."""


def names_of(tools: Iterable[CapturedTool]) -> Names:
    """Of TOOLS, so that a text is compared with its own words and not with every tool."""
    found: dict[str, list[CapturedTool]] = {}
    for tool in tools:
        bare = [tool.id.name] if distinctive(tool.id.name) else []
        for name in {*bare, tool.decision.alias, str(tool.id)}:
            found.setdefault(name, []).append(tool)
    return found


def mentioned(text: str, names: Names) -> list[CapturedTool]:
    """The tools of NAMES that TEXT names, sorted."""
    found = {tool.id: tool for word in tokens(text) for tool in names.get(word, ())}
    return [found[tool] for tool in sorted(found)]


@lru_cache(maxsize=1024)
def tokens(text: str) -> frozenset[str]:
    """The words of TEXT that may be names."""
    return frozenset(_TOKENS.findall(text))


def distinctive(name: str, words: int = 2) -> bool:
    """Whether NAME cannot be ordinary prose: it joins so many WORDS, and is of some length."""
    joints = sum(name.count(sign) for sign in "_.-") + sum(char.isupper() for char in name[1:] if not name.isupper())
    plain = name.count("-") == joints and joints < 2
    return joints >= words - 1 and not plain and len(name) >= 8
