"""Plans that run: a session over a plan made by hand, with a recording carrier in place of a server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose import HostPlan, Ledger, Runtime
from mcpexpose.host.plan import CompiledSource
from mcpexpose.model.transport import Transport
from tests.builders import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from mcpexpose import Carried, Event
    from mcpexpose.model.plan import Compiled, PlannedTool

OK: dict[str, Any] = {"content": []}


class Memory:
    """A sink that keeps events, or cannot."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.fails = False

    def write(self, event: Event, *, effects: bool) -> None:
        if self.fails:
            raise OSError("no space left")
        self.events.append(event)

    def told(self, name: str) -> list[str | None]:
        return [event.outcome for event in self.events if event.event == name]


class Server:
    """Carries calls to nowhere: remembers them and gives what it is told to."""

    def __init__(self, answer: Any = OK) -> None:
        self.answer = answer
        self.calls: list[Carried] = []

    async def __call__(self, carried: Carried) -> Any:
        self.calls.append(carried)
        answer = self.answer(carried) if callable(self.answer) else self.answer
        if asyncio.iscoroutine(answer):
            answer = await answer
        if isinstance(answer, BaseException):
            raise answer
        return answer


def plan_of(
    folder: Path,
    *tools: tuple[PlannedTool, bytes],
    sink: Any = None,
    change: Callable[[Compiled], Compiled] = lambda done: done,
    timeout_s: float = 200.0,
    clock: Any = None,
    runtime: Any = None,
    **more: Any,
) -> HostPlan:
    """A plan of TOOLS in a runtime with a ledger in FOLDER; MORE goes to the runtime or the plan."""
    parts = {key: more.pop(key) for key in ("refresh", "recompile", "connections", "evidence") if key in more}
    done = compiled(*tools, **more)
    transport = Transport("stdio", "fake-server", tool_timeout_s=timeout_s, startup_timeout_s=100)
    servers = tuple(replace(server, transport=transport) for server in done.plan.servers)
    done = change(replace(done, plan=replace(done.plan, servers=servers)))
    made = runtime or Runtime(audit=sink, ledger=Ledger(folder / "runs.sqlite"), **parts)
    return HostPlan(CompiledSource(done.plan, done.definitions), clock, made)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


class Hurried(asyncio.SelectorEventLoop):
    """A loop whose clock goes on to the next timer as soon as there is nothing else to do: no time passes in which
    somebody waits for a limit to end, and a limit may be so long that no machine is too slow for what keeps it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._gone = 0.0
        selector: Any = self._selector  # type: ignore[attr-defined]
        wait = selector.select

        def at_once(seconds: float | None = None) -> Any:
            ready = wait(seconds if seconds is None else 0)
            self._gone += 0 if ready else seconds or 0
            return ready

        selector.select = at_once

    def time(self) -> float:
        return super().time() + self._gone


def hurried(work: Coroutine[Any, Any, Any]) -> Any:
    """What WORK gives in a Hurried loop."""
    with asyncio.Runner(loop_factory=Hurried) as runner:
        return runner.run(work)


async def yes(ask: Any) -> bool:
    return True
