"""Work that an event loop must not wait for, on threads of our own.

The loop's own pool is the host's: where calls that never end have taken all of its threads, nothing of ours may wait.
"""

from __future__ import annotations

import contextvars
import os
import threading
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    import concurrent.futures
    from collections.abc import Callable

T = TypeVar("T")
Pool = Literal["work", "disk"]
_WORKERS = 8

_lock = threading.Lock()
_pools: dict[Pool, concurrent.futures.ThreadPoolExecutor] = {}
_pid = 0


async def in_thread(work: Callable[..., T], *given: Any, pool: Pool = "work") -> T:
    """What WORK gives, which ends by itself: "disk" is for what waits for a disk, and for other processes."""
    import asyncio

    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_pool(pool), lambda: context.run(work, *given))


async def in_own_thread(work: Callable[..., T], *given: Any) -> T:
    """What WORK gives, somebody else's, which may never end: a thread for it alone, that holds up no exit."""
    import asyncio
    import concurrent.futures

    context = contextvars.copy_context()
    done: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            result = context.run(work, *given)
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(result)

    done.set_running_or_notify_cancel()
    threading.Thread(target=run, name="mcpexpose-carrier", daemon=True).start()
    return await asyncio.wrap_future(done)


def _pool(name: Pool) -> concurrent.futures.ThreadPoolExecutor:
    global _pid
    from concurrent.futures import ThreadPoolExecutor

    with _lock:
        if _pid != os.getpid():  # the threads of the process that we are a fork of are not here
            _pools.clear()
            _pid = os.getpid()
        if name not in _pools:
            _pools[name] = ThreadPoolExecutor(_WORKERS, f"mcpexpose-{name}")
        return _pools[name]
