"""Where a node of a catalog stands in its text. Only called for what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from mcpexpose.catalog.jsontext import JsonTrouble, line_and_column, walk

if TYPE_CHECKING:
    from collections.abc import Sequence


class Span(NamedTuple):
    """Lines and columns count from 1, columns in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def locate(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Line and column of the value at PATH, or of its nearest ancestor that is there."""
    found = span(text, path)
    return found.line, found.column


def span(text: str, path: Sequence[str | int], on: Literal["value", "key"] = "value") -> Span:
    """The stretch of the value at PATH, or of its key; of the nearest ancestor where PATH leads nowhere.

    A path that starts with "tools" also fits a stored JSON-RPC answer, where the tools stand under "result". Of an
    object or an array that spans lines, the first line is given. Raises nothing.
    """
    start, end, matched = _find(text, path, on)
    if matched == 0 and path and path[0] == "tools":
        start, end, _ = _find(text, ("result", *path), on)
    line, column = line_and_column(text, start)
    first_end = text.find("\n", start, end)
    end_line, end_column = line_and_column(text, end if first_end < 0 else first_end)
    return Span(line, column, end_line, end_column)


def _find(text: str, path: Sequence[str | int], on: Literal["value", "key"]) -> tuple[int, int, int]:
    """Start and end offset of the best node, and how many steps of PATH lead to it."""
    best: tuple[int, int, int] = (0, min(1, len(text)), 0)
    depth = 0  # open containers
    matched = 0  # of those, how many lie on the path; the root counts as the empty path
    here: list[str | int | None] = []  # the step inside each open container
    awaiting_end = False
    try:
        for event in walk(text):
            if event.kind == "close":
                depth -= 1
                here.pop()
                if depth < matched:
                    return (best[0], event.end, best[2]) if awaiting_end else best
                continue
            if event.kind == "key":
                here[-1] = event.value
                if on == "key" and depth == matched == len(path) and event.value == path[-1]:
                    return event.start, event.end, len(path)
                continue
            on_path = _is_next(here, path, depth, matched)
            if on_path:
                best = (event.start, event.end, depth)
                awaiting_end = event.kind == "open"
                if not awaiting_end:
                    return best
            if event.kind == "open":
                depth += 1
                matched += on_path
                here.append(-1 if event.value == "[" else None)
    except JsonTrouble:
        return best
    return best


def _is_next(here: list[str | int | None], path: Sequence[str | int], depth: int, matched: int) -> bool:
    """Count the array's element, and say whether the value that starts now is the next step of PATH."""
    if depth == 0:
        return True
    step = here[-1]
    if isinstance(step, int):
        step += 1
        here[-1] = step
    return depth == matched and depth <= len(path) and step == path[depth - 1]
