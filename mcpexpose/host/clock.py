"""The time that freshness is judged by: the wall clock, but never slower than time itself since the plan was loaded."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable

Clock = Callable[[], datetime.datetime]


def wall() -> datetime.datetime:
    """Now, in UTC."""
    return datetime.datetime.now(datetime.UTC)


class RunningClock:
    """Setting the wall clock back makes nothing fresh again; setting it forward, or a suspended machine, counts."""

    __slots__ = ("_monotonic", "_wall", "source")

    def __init__(self, source: Clock = wall) -> None:
        self.source = source
        self._wall = self._read()
        self._monotonic = time.monotonic()

    def now(self) -> datetime.datetime:
        """The later of what the source says and what has gone by since this clock was made. Has a zone.

        By whole seconds, as stamps have them: a source that stands still shall not put a catalog that is exactly as old
        as it may be beyond its limit by a millisecond.
        """
        passed = datetime.timedelta(seconds=int(time.monotonic() - self._monotonic))
        return max(self._read(), self._wall + passed)

    def _read(self) -> datetime.datetime:
        moment = self.source()
        if moment.tzinfo is None:
            raise ValueError("the clock of a plan must give times with a zone")
        return moment
