"""What sessions and plans of one host share while it runs: evidence, open calls, connections, what servers said since.

A plan knows none of it and never changes; a runtime outlives the plans that follow one another in it.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcpexpose.host.audit import FileSink, keep
from mcpexpose.host.clock import Clock, RunningClock, wall
from mcpexpose.host.freshness import Watch
from mcpexpose.model.freshness import Freshness, judge, parse_stamp, stamp_of

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.client.connections import Connections
    from mcpexpose.host.audit import Sink
    from mcpexpose.host.evidence import Evidence
    from mcpexpose.host.freshness import Mark
    from mcpexpose.host.ledger import Ledger
    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.changes import Change
    from mcpexpose.model.event import Event
    from mcpexpose.model.plan import Compiled, PlannedServer

Refresh = Callable[[str], Sequence[Mapping[str, Any]] | Awaitable[Sequence[Mapping[str, Any]]]]
"""Gives the tools that the server of that id lists now, all pages, raw as `tools/list` has them."""
Recompile = Callable[[Mapping[str, "Catalog"]], "Compiled"]
"""Compiles the same config with these catalogs in place of the captured ones: `Workspace.recompile`."""


_DONE = ("call", "approve", "settle", "refresh")
"""Events of what cannot be undone; one that was not kept would be missing for ever."""
_LATE = 1_000
"""So many wait. Beyond that it is readers, which go on without a record, that are given up: no call that may change
something begins while one waits, so the events of those are few.
"""


class Runtime:
    """Everything is optional; where a file or folder is enough, its path stands for it.

    AUDIT takes events. LEDGER keeps open calls and approvals, by default in this user's state folder. CONNECTIONS
    carries calls and hears servers; a host that carries calls itself gives REFRESH instead, to list a server's tools.
    RECOMPILE lets a server whose list changed come back without a new bundle. EVIDENCE is a folder for withheld ones.
    """

    def __init__(
        self,
        *,
        audit: Sink | str | Path | None = None,
        ledger: Ledger | str | Path | None = None,
        connections: Connections | None = None,
        refresh: Refresh | None = None,
        recompile: Recompile | None = None,
        evidence: Evidence | str | Path | None = None,
    ) -> None:
        self.audit: Sink | None = FileSink(audit) if isinstance(audit, str | os.PathLike) else audit
        self._ledger = _ledger(ledger)
        self.connections = connections
        self.refresh = refresh
        self.recompile = recompile
        self.evidence = _evidence(evidence)
        self.latest: HostPlan | None = None
        """The plan that was made last in this runtime."""
        self.catalogs: dict[str, Catalog] = {}
        """What servers listed since the plan was loaded, where it was another revision than the plan's."""
        self.listed: dict[str, tuple[str, ...]] = {}
        """The names in each server's last list."""
        self.heard: dict[str, int] = {}
        """How many notifications each server sent."""
        self.drifts: dict[str, tuple[Change, ...]] = {}
        """By cause: what each server's last list is other than the plan that was in force, where it is."""
        self._late: deque[tuple[Event, bool]] = deque()
        """Those with their EFFECTS."""
        self._keeping = threading.RLock()
        self._clock = RunningClock()
        self._watches: dict[str, Watch] = {}
        self._stamps: dict[str, str] = {}
        self._changes: dict[str, tuple[str, float]] = {}
        """When each server's definitions were last found not to be current: as events have it, and monotonic."""
        self._lock = threading.Lock()
        if connections is not None:
            from mcpexpose.host.refreshing import ask_soon, hear

            connections.on_changed = lambda server: hear(self, server)
            connections.on_reopened = lambda server: ask_soon(self, server)

    @property
    def ledger(self) -> Ledger:
        """Open calls and approvals; made when the first of them is asked for."""
        if self._ledger is None:
            from mcpexpose.host.ledger import Ledger

            with self._lock:
                if self._ledger is None:
                    self._ledger = Ledger()
        return self._ledger

    def use_clock(self, clock: Clock | None) -> None:
        """The clock of the plan that was loaded last is the clock of all; without one, the wall's."""
        self._clock = RunningClock(clock or wall)

    @property
    def clock(self) -> RunningClock:
        """The time that freshness is judged by."""
        return self._clock

    def now(self) -> str:
        """The time as events have it."""
        return stamp_of(self._clock.now())

    def keep(self, event: Event, *, effects: bool = False) -> bool:
        """Whether the event was kept, or nobody wants it. One of what was done already is kept as soon as one can be:
        until then none is kept that comes after it, so calls that may change something are refused.
        """
        if self.audit is None or (not self._late and keep(self.audit, event, effects=effects)):
            return True
        with self._keeping:
            if self._catch_up() and keep(self.audit, event, effects=effects):
                return True
            if event.event in _DONE and not str(event.outcome).startswith("refused:"):
                self._late.append((event, effects))
                if len(self._late) > _LATE:
                    self._late.remove(min(self._late, key=_weight))
            return False

    def _catch_up(self) -> bool:
        while self._late:
            if not keep(self.audit, self._late[0][0], effects=True):
                return False
            self._late.popleft()
        return True

    @property
    def can_refresh(self) -> bool:
        """Whether the host has a way to list a server's tools again."""
        return self.connections is not None or self.refresh is not None

    def watch(self, server: str) -> Watch:
        """What was heard of a server since its plan was loaded."""
        return self._watches.get(server, Watch())

    def step(self, server: str, change: Callable[[Watch], Watch]) -> Watch:
        """Take a server's watch one step on, no other thread in between; the new one."""
        with self._lock:
            after = self._watches[server] = change(self._watches.get(server, Watch()))
            return after

    def give_up(self) -> None:
        """No list that is being asked for will come."""
        with self._lock:
            self._watches = {name: each.failed() if each.asking else each for name, each in self._watches.items()}

    def confirm(self, server: str, names: tuple[str, ...]) -> None:
        """A list came just now: a plan of its revision is as young as that."""
        self._stamps[server] = self.now()
        self.listed[server] = names

    def changed(self, server: str, why: Mark = "list-changed") -> None:
        """The server said that its list changed, or did not know what the list says: stale at once."""
        self._changes[server] = (self.now(), time.monotonic())
        self.step(server, lambda watch: watch.changed(why))

    def freshness(self, server: PlannedServer, max_age_s: float | None, loaded: float) -> Freshness:
        """Of a server of a plan that was LOADED then, by `time.monotonic`: what it said since counts first, then the
        age of what confirmed the plan's revision.
        """
        watch = self._watches.get(server.id)
        stamp = server.captured_at
        if watch is not None:
            reason = watch.against(server.revision)
            if reason and not (watch.seen is None and self._is_newer(server, loaded)):
                return Freshness("stale", reason)
            if watch.seen == server.revision:
                stamp = self._stamps.get(server.id, stamp)
        return judge(stamp, server.ttl_ms, max_age_s, self._clock.now())

    def _is_newer(self, server: PlannedServer, loaded: float) -> bool:
        """Whether the plan was loaded, and its catalog captured, after the server's last change: where the host cannot
        ask for a list itself, a new bundle is one.
        """
        at, moment = self._changes.get(server.id, ("", math.inf))
        captured, changed = parse_stamp(server.captured_at or ""), parse_stamp(at)
        return loaded > moment and captured is not None and changed is not None and captured > changed

    def close(self) -> None:
        """End connections and close files. The runtime may not be used after that."""
        if self.connections is not None:
            self.connections.close()
        with self._keeping:
            self._catch_up()
        if self._ledger is not None:
            self._ledger.close()


def _weight(late: tuple[Event, bool]) -> int:
    """What the loss of an event would be: the lightest goes first, of equal ones the oldest."""
    event, effects = late
    return effects + (effects and event.event == "call")


def _ledger(given: Ledger | str | Path | None) -> Ledger | None:
    if not isinstance(given, str | os.PathLike):
        return given
    from mcpexpose.host.ledger import Ledger

    return Ledger(given)


def _evidence(given: Evidence | str | Path | None) -> Evidence | None:
    if not isinstance(given, str | os.PathLike):
        return given
    from mcpexpose.host.evidence import Evidence

    return Evidence(given)
