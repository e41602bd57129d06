"""Tools as hosts name them to the model, taken apart again: the longest server's name that fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.importers.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Named = tuple[Draft, str]
"""A server, and a name or pattern of its tools."""


class Servers:
    """The servers that there are, by their names as hosts clean them."""

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self._drafts = drafts
        self._by_name = {re.sub(r"[^A-Za-z0-9_-]", "_", draft.name): draft for draft in drafts}

    def by_prefix(self, rule: str) -> Named | None:
        """`mcp__server__tool`; `mcp__server` is all of its tools."""
        body = rule.removeprefix("mcp__")
        return None if body == rule else self._split(body, "__")

    def by_underscores(self, rule: str) -> list[Named]:
        """`server_tool`, `server_*` and `server*`; `*` is of every server."""
        if rule == "*":
            return [(draft, "*") for draft in self._drafts]
        found = self._split(rule, "_") or self._split(rule.removesuffix("*"), "_")
        return [found] if found else []

    def _split(self, body: str, mark: str) -> Named | None:
        """The mark may stand in a server's name and in a tool's, so the servers decide."""
        if body in self._by_name:
            return self._by_name[body], "*"
        for at in _places(body, mark):
            if draft := self._by_name.get(body[:at]):
                return draft, body[at + len(mark) :] or "*"
        return None


def _places(body: str, mark: str) -> Iterator[int]:
    """Where MARK stands, from the end."""
    at = body.rfind(mark)
    while at > 0:
        yield at
        at = body.rfind(mark, 0, at + len(mark) - 1)
