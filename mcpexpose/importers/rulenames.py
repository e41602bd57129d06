"""Tools as hosts name them to the model, taken apart again: every server that a name or a pattern may be of."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING

from mcpexpose.importers.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Named = tuple[Draft, str]
"""A server, and a name or pattern of its tools."""

_MOST = 50_000
"""So many times the rules of one file are held against servers; past that nobody can say what they keep out."""


class Servers:
    """The servers that there are, by each way in which a host may write their names before those of their tools.

    Several may have one name: in two files, or once hosts have cleaned it. A rule is of all of them.
    """

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self._by_name: dict[str, list[Draft]] = {}
        for draft in drafts:
            for name in _as_hosts_write(draft.name):
                self._by_name.setdefault(name, []).append(draft)
        self._sorted = sorted(self._by_name)
        self._left = _MOST

    @property
    def is_spent(self) -> bool:
        """Whether there were too many steps."""
        return self._left < 0

    def named(self, rule: str, mark: str, before: str = "") -> list[Named]:
        """Whose tools RULE meets, of names like BEFORE, server, MARK, tool; a server alone is all of its tools.

        The mark may stand in a server's name and in a tool's, so one rule may be of several servers. After too many
        steps every server is switched off.
        """
        found: dict[tuple[int, str], Named] = {}
        if self.is_spent:
            return []
        for name in self._candidates(rule, mark, before):
            self._left -= 1
            if self.is_spent:
                for drafts in self._by_name.values():
                    for draft in drafts:
                        draft.switch_off()
                return []
            tails = ["*"] if rule == before + name else _tails(_rest(rule, before + name + mark), mark)
            for draft in self._by_name[name]:
                found.update({(id(draft), tail): (draft, tail) for tail in tails})
        return list(found.values())

    def _candidates(self, rule: str, mark: str, before: str) -> Iterable[str]:
        """Names that a text met by RULE may begin with, once each."""
        head = re.match(r"[^*?]*", rule)
        assert head is not None
        literal, is_whole = head[0], head[0] == rule
        if not (literal.startswith(before) or (before.startswith(literal) and not is_whole)):
            return ()
        body = literal[len(before) :]
        names = dict.fromkeys(body[:at] for at in (*_places(body, mark), len(body)) if body[:at] in self._by_name)
        if not is_whole:
            # `git_` may be the beginning of `git__`, and `git` of `github`.
            starts = (body[: len(body) - n] for n in range(1, len(mark)) if body.endswith(mark[:n]))
            names |= dict.fromkeys(start for start in starts if start in self._by_name)
            at = bisect_left(self._sorted, body)
            met = (self._sorted[n] for n in range(at, min(len(self._sorted), at + self._left + 1)))
            names |= dict.fromkeys(takewhile(lambda name: name.startswith(body), met))
        return names


def _as_hosts_write(name: str) -> set[str]:
    """As it is; with an underscore for what no tool's name may hold; and as goose does."""
    return {name, re.sub(r"[^A-Za-z0-9_-]", "_", name), "".join(name.lower().split())}


def _places(body: str, mark: str) -> Iterator[int]:
    """Where MARK stands."""
    at = body.find(mark)
    while at >= 0:
        yield at
        at = body.find(mark, at + 1)


def _tails(rests: set[str], mark: str) -> list[str]:
    """RESTS as patterns of tools: a star that may end with the mark is one pattern, since one that meets nothing is a
    fault in a config; it may meet more than the host's does, and never less."""
    if "*" in rests:
        return ["*"]
    if mark == ":":  # a name holds none, so the host's star in a server's place ends there
        return sorted(rest for rest in rests if mark not in rest)
    both = {rest for rest in rests if rest.startswith(f"*{mark}") and rest[1 + len(mark) :] in rests}
    inner = {rest[1 + len(mark) :] for rest in both}
    return sorted((rests - both - inner) | {f"*{rest}" for rest in inner})


def _rest(rule: str, start: str) -> set[str]:
    """What RULE asks of the rest of a text that begins with START: no pattern more and none less."""
    at = {0}
    for char in start:
        at = {
            place if rule[place] == "*" else place + 1
            for place in _past_stars(rule, at)
            if place < len(rule) and rule[place] in ("*", "?", char)
        }
    return {rule[place:] for place in at if place < len(rule)}


def _past_stars(rule: str, places: Iterable[int]) -> set[int]:
    """PLACES, and those behind stars there, which may stand for nothing."""
    out = set()
    for place in places:
        out.add(place)
        while place < len(rule) and rule[place] == "*":
            place += 1
            out.add(place)
    return out
