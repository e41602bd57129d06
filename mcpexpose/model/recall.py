"""Which tool definitions were judged before and had no fault: a judge of one definition alone may skip those.

Nothing is skipped unless a command says `using`; what was skipped would have said nothing, so no result is another.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Recall:
    """Keys of definitions: those of earlier, and those that were met now."""

    def __init__(self, sound: Iterable[str] = ()) -> None:
        self.before = frozenset(sound)
        self.now: set[str] = set()
        self._keys: dict[int, tuple[object, str]] = {}

    def key(self, tool: Mapping[str, Any]) -> str:
        """SHA-256 of a definition as its server sent it; made once for each object."""
        known = self._keys.get(id(tool))
        if known is None:
            try:
                data = json.dumps(tool, ensure_ascii=True, separators=(",", ":")).encode()
            except RecursionError:
                data = canonical(tool)
            known = self._keys[id(tool)] = (tool, hashlib.sha256(data).hexdigest())
        return known[1]

    def is_sound(self, tool: Mapping[str, Any]) -> bool:
        """Whether it was found sound before; then it counts as met now."""
        key = self.key(tool)
        if key in self.before:
            self.now.add(key)
        return key in self.before

    def note(self, tool: Mapping[str, Any]) -> None:
        """It was judged, and has no fault."""
        self.now.add(self.key(tool))


_current: list[Recall] = []


def current() -> Recall | None:
    """What is recalled; None where nothing is."""
    return _current[-1] if _current else None


@contextmanager
def using(recall: Recall) -> Iterator[None]:
    """Judges recall what RECALL has, and note there what they find sound. For one thread."""
    _current.append(recall)
    try:
        yield
    finally:
        _current.pop()
