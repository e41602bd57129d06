"""How much a value holds, counted no further than somebody has room for it."""

from __future__ import annotations

from typing import Any


class Room:
    """What may still be put into a form. Looking at a value costs as well, so that nobody looks for ever."""

    def __init__(self, left: int) -> None:
        self.left = left
        """Characters, and one for every value."""

    def take(self, value: Any, times: int = 1) -> bool:
        """Whether there is room for so many of VALUE, which then have it; where there is not, nothing has."""
        if not times:
            return True
        weight = _weight(value, self.left // times)
        fits = weight * times <= self.left
        self.left = max(self.left - (weight * times if fits else weight), 0)
        return fits


def _weight(value: Any, most: int) -> int:
    """Characters of texts and keys, and one for every value; counted no further than what is just above MOST."""
    total = 0
    waiting = [value]
    while waiting and total <= most:
        each = waiting.pop()
        total += 1 + len(each) if isinstance(each, str) else 1
        if isinstance(each, dict):
            total += sum(map(len, each))
            waiting.extend(each.values())
        elif isinstance(each, list):
            # Of what is too long to fit, no copy is made.
            waiting.extend(each if len(each) <= most else each[: max(most - total + 1, 0)])
    return total
