"""Tools that a text names: by `server/tool`, by alias, or by a name that is no ordinary word."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.lint.subjects import CapturedTool

_TOKENS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*[A-Za-z0-9]")


def mentioned(text: str, tools: Iterable[CapturedTool]) -> list[CapturedTool]:
    """Those of TOOLS that TEXT names, in their order."""
    words = tokens(text)
    return [
        tool
        for tool in tools
        if (tool.id.name in words and distinctive(tool.id.name))
        or tool.decision.alias in words
        or str(tool.id) in words
    ]


@lru_cache(maxsize=1024)
def tokens(text: str) -> frozenset[str]:
    """The words of TEXT that may be names."""
    return frozenset(_TOKENS.findall(text))


def distinctive(name: str, words: int = 2) -> bool:
    """Whether NAME cannot be ordinary prose: it joins so many WORDS, and is of some length."""
    joints = sum(name.count(sign) for sign in "_.-") + sum(char.isupper() for char in name[1:] if not name.isupper())
    plain = name.count("-") == joints and joints < 2
    return joints >= words - 1 and not plain and len(name) >= 8
