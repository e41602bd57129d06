"""Work is counted, never timed: the same call takes the same number of steps on every machine, however busy it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class TooMuchWork(BaseException):
    """It took more steps than it may; no Exception, so that nothing that is counted can catch it."""


def steps(call: Callable[[], object], most: int | None = None) -> int:
    """How many lines of Python CALL runs in this thread, in whatever module. Raises TooMuchWork beyond MOST.

    A turn of a loop is a line, of a comprehension too. What C does within one line counts as one: where the danger is
    there (a regular expression that backtracks, a text that is copied again and again), a test takes an input so large
    that without the bound it would not end, and asserts what comes out; the limit of a test in pyproject.toml ends it.
    """
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        if most is not None and count > most:
            raise TooMuchWork(f"more than {most:,} steps")
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def growth(work_on: Callable[[int], Callable[[], object]], size: int, times: int = 10) -> float:
    """By what the work on TIMES as much is more than that on SIZE: about TIMES where it is linear, and its square or
    more where each is held against all others.

    WORK_ON gets a size and gives the call that is counted; what it needs to make that call is not.
    """
    work_on(1)()  # what is imported and compiled once
    return steps(work_on(size * times)) / steps(work_on(size))
