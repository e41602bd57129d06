"""Tools as hosts name them to the model, taken apart again: the longest server's name that fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.importers.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Named = tuple[Draft, str]
"""A server, and a name or pattern of its tools."""


def by_prefix(rule: str, drafts: Sequence[Draft]) -> Named | None:
    """`mcp__server__tool`; `mcp__server` is all of its tools."""
    body = rule.removeprefix("mcp__")
    if body == rule:
        return None
    for draft in _longest_first(drafts):
        name = _cleaned(draft.name)
        if body in (name, f"{name}__*", f"{name}__"):
            return draft, "*"
        if body.startswith(f"{name}__"):
            return draft, body[len(name) + 2 :]
    return None


def by_underscores(rule: str, drafts: Sequence[Draft]) -> Iterator[Named]:
    """`server_tool` and `server_*`, whose parts cannot be told apart but by the servers that there are; `*` is all."""
    if rule == "*":
        yield from ((draft, "*") for draft in drafts)
        return
    for draft in _longest_first(drafts):
        name = _cleaned(draft.name)
        if rule in (name, f"{name}*", f"{name}_*"):
            yield draft, "*"
            return
        if rule.startswith(f"{name}_"):
            yield draft, rule[len(name) + 1 :]
            return


def _longest_first(drafts: Sequence[Draft]) -> list[Draft]:
    return sorted(drafts, key=lambda draft: -len(draft.name))


def _cleaned(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)
