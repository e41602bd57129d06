"""What a host's file holds, and where: values with the stretch of every key and value, whatever the notation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Path = tuple[str | int, ...]
Span = tuple[int, int]
On = Literal["value", "key"]

MAX_LEVELS = 100
MAX_NODES = 200_000
"""Values of one file: what an alias repeats counts each time, so that no few lines unfold without bound."""


class Unreadable(ValueError):
    """The text is not of its notation, or beyond a limit. `offset` counts code points from 0."""

    def __init__(self, message: str, offset: int, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.advice = advice


@dataclass(slots=True)
class Tree:
    """Spans in code points of the text, by path. Of a key that stands twice the first value is kept."""

    data: Any = None
    keys: dict[Path, Span] = field(default_factory=dict)
    values: dict[Path, Span] = field(default_factory=dict)
    repeats: dict[Path, Span] = field(default_factory=dict)
    """Where each key stands that was there before."""

    def span(self, path: Path, on: On) -> Span | None:
        """Where PATH stands, or its nearest ancestor that stands anywhere."""
        first, second = (self.keys, self.values) if on == "key" else (self.values, self.keys)
        while True:
            found = first.get(path) or second.get(path)
            if found is not None or not path:
                return found
            path = path[:-1]
