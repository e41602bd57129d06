"""JSON as editors and hosts take it: with comments and trailing commas, and with the place of every value."""

from __future__ import annotations

import re
from typing import Any

from mcpexpose.catalog.jsontext import Event, JsonTrouble, walk
from mcpexpose.importers.tree import MAX_LEVELS, MAX_NODES, Path, Tree, Unreadable

_STRING = r'"(?:[^"\\\n]|\\.)*+"?'
# A comment that is never closed goes to the end, so that looking for them takes one pass.
_COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_TOKEN = re.compile(f"{_STRING}|(?P<comment>{_COMMENT})")
_COMMA = re.compile(rf"{_STRING}|(?P<comma>,)(?=[ \t\r\n]*+[\]}}])")
_NO_BREAK = re.compile(r"[^\r\n]")


def plain(text: str) -> str:
    """TEXT with comments and trailing commas as blanks, so that every place in it stays what it was."""

    def uncommented(found: re.Match[str]) -> str:
        return _NO_BREAK.sub(" ", found[0]) if found["comment"] else found[0]

    def uncomma(found: re.Match[str]) -> str:
        return " " if found["comma"] else found[0]

    return _COMMA.sub(uncomma, _TOKEN.sub(uncommented, text))


def read(text: str) -> Tree:
    """The values of TEXT with their places. Raises Unreadable."""
    try:
        return _built(plain(text))
    except JsonTrouble as trouble:
        raise Unreadable(trouble.message, trouble.offset) from None


def _built(text: str) -> Tree:
    tree = Tree()
    builder = _Builder(tree)
    for event in walk(text):
        if event.kind == "close":
            builder.close(event)
        elif event.kind == "key":
            builder.keyed(event)
        else:
            builder.value(event)
    return tree


class _Builder:
    """Puts events together; of a key that stands twice the second value is walked over and not kept."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.path: Path = ()
        self.open: list[tuple[Any, Path, int]] = []
        self.key: str | None = None
        self.is_repeat = False
        self.nodes = 0

    def keyed(self, event: Event) -> None:
        container, path, _ = self.open[-1]
        here = (*path, event.value)
        self.is_repeat = event.value in container
        self.key = event.value
        if self.is_repeat:
            self.tree.repeats.setdefault(here, (event.start, event.end))
        else:
            self.tree.keys.setdefault(here, (event.start, event.end))

    def value(self, event: Event) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise Unreadable(f"more than {MAX_NODES:,} values stand in it", event.start)
        value: Any = event.value
        if event.kind == "open":
            value = [] if event.value == "[" else {}
            if len(self.open) == MAX_LEVELS:
                raise Unreadable(f"it nests deeper than {MAX_LEVELS} levels", event.start)
        path = self._put(value)
        self.tree.values.setdefault(path, (event.start, event.end))
        if event.kind == "open":
            self.open.append((value, path, event.start))

    def _put(self, value: Any) -> Path:
        if not self.open:
            self.tree.data = value
            return ()
        container, path, _ = self.open[-1]
        if isinstance(container, list):
            container.append(value)
            return (*path, len(container) - 1)
        assert self.key is not None
        if not self.is_repeat:
            container[self.key] = value
        return (*path, self.key)

    def close(self, event: Event) -> None:
        _, path, start = self.open.pop()
        if self.tree.values.get(path, (start, 0))[0] == start:
            self.tree.values[path] = (start, event.end)
