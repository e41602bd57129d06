"""Tools as hosts name them to the model, taken apart again: the longest server's name that fits."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from mcpexpose.importers.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Named = tuple[Draft, str]
"""A server, and a name or pattern of its tools."""

_MOST = 200
"""Servers that a rule with a star in a server's place is held against, one by one."""


class Servers:
    """The servers that there are, by their names as hosts clean them."""

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self._drafts = drafts
        self._by_name = {re.sub(r"[^A-Za-z0-9_-]", "_", draft.name): draft for draft in drafts}

    def by_prefix(self, rule: str) -> list[Named]:
        """`mcp__server__tool`; `mcp__server` is all of its tools, `mcp__*` all of all."""
        body = rule.removeprefix("mcp__")
        return [] if body == rule else self.named(body, "__")

    def named(self, rule: str, mark: str) -> list[Named]:
        """`server_tool`, `server_*`, `server*`; a star in the server's place is of each server that it meets."""
        found = self._split(rule, mark) or self._split(rule.removesuffix("*"), mark)
        if found:
            return [found]
        return list(self._met(rule, mark)) if "*" in rule or "?" in rule else []

    def _split(self, body: str, mark: str) -> Named | None:
        """The mark may stand in a server's name and in a tool's, so the servers decide."""
        if body in self._by_name:
            return self._by_name[body], "*"
        for at in _places(body, mark):
            if draft := self._by_name.get(body[:at]):
                return draft, body[at + len(mark) :] or "*"
        return None

    def _met(self, rule: str, mark: str) -> Iterator[Named]:
        """Where a star may reach over the mark, what is met may be more than the host meets, and never less."""
        for name, draft in list(self._by_name.items())[:_MOST]:
            if rule.endswith("*") and fnmatchcase(f"{name}{mark}", rule):
                yield draft, "*"
            elif rule.startswith("*"):
                yield draft, "*" + rule.lstrip("*").removeprefix(mark)
            else:
                tails = (rule[at + len(mark) :] for at in _places(rule, mark) if fnmatchcase(name, rule[:at]))
                yield from ((draft, tail or "*") for tail in tails)


def _places(body: str, mark: str) -> Iterator[int]:
    """Where MARK stands, from the end."""
    at = body.rfind(mark)
    while at > 0:
        yield at
        at = body.rfind(mark, 0, at + len(mark) - 1)
