"""A child process as a transport: one message a line over its pipes, lines bounded, and ended gently."""

from __future__ import annotations

import os
import signal
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import TextIO

    from anyio.abc import ByteReceiveStream, ByteSendStream, ObjectReceiveStream, ObjectSendStream, Process

    from mcpexpose.client.target import Launch

MAX_LINE_BYTES = 64 * 1024 * 1024

_LEAVE_S = 2.0
"""To end by itself, once its stdin is closed."""
_TERMINATE_S = 5.0
"""From SIGTERM to SIGKILL: npm and its like undo an installation that they had begun."""
_LEFTOVERS_S = 2.0
"""The same for what a child that has ended left behind in its group."""
_POLL_S = 0.01

_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


class LineTooLong(Exception):
    """The child wrote more than MAX_LINE_BYTES without a line end."""


@asynccontextmanager
async def child(launch: Launch, errlog: TextIO) -> AsyncIterator[tuple[Any, Any]]:
    """The read and write streams of LAUNCH as a process in its own group; its stderr goes to ERRLOG.

    What is no message arrives as an exception value: what the parser raised, or LineTooLong. Raises OSError where the
    process does not start. Closing ends the process and all of its group, within eleven seconds.
    """
    process = await anyio.open_process(
        [launch.command, *launch.args],
        env=dict(launch.env),
        cwd=launch.cwd or None,
        stderr=errlog,
        start_new_session=True,
    )
    # From here to the `try` nothing waits: a cancellation in between would leave the process behind.
    arrived, read = anyio.create_memory_object_stream[Any](0)
    write, leaving = anyio.create_memory_object_stream[Any](0)
    assert process.stdin is not None
    assert process.stdout is not None
    async with anyio.create_task_group() as group:
        group.start_soon(_receive, process.stdout, arrived)
        group.start_soon(_send, process.stdin, leaving, arrived)
        try:
            yield read, write
        finally:
            with anyio.CancelScope(shield=True):
                read.close()
                write.close()
                await _end(process)
                await process.stdout.aclose()
                _close_pipes(process)
            group.cancel_scope.cancel()


async def _receive(stdout: ByteReceiveStream, arrived: ObjectSendStream[Any]) -> None:
    """Hand on what comes, and go on reading when nobody wants it: a child that is stuck in a write cannot end."""
    lines = _Lines()
    wanted = True
    # The end of the process or of its pipe ends this, not a cancellation.
    with anyio.CancelScope(shield=True):
        async with arrived:
            with suppress(*_GONE):
                async for block in stdout:
                    if not wanted:
                        continue
                    for line in lines.feed(block):
                        try:
                            await arrived.send(_message(line))
                        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                            wanted = False
                            break


async def _send(stdin: ByteSendStream, leaving: ObjectReceiveStream[Any], arrived: ObjectSendStream[Any]) -> None:
    try:
        async with leaving:
            async for item in leaving:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await stdin.send(text.encode() + b"\n")
    except _GONE:
        await arrived.aclose()  # or a request would wait for the answer to what was never sent


class _Lines:
    """Cuts blocks of bytes into lines."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._broken = False

    def feed(self, block: bytes) -> Iterator[bytes | LineTooLong]:
        """The lines that BLOCK ends. After a LineTooLong nothing comes any more."""
        *ended, rest = block.split(b"\n")
        for part in ended:
            if self._keep(part):
                yield b"".join(self._parts)
            elif not self._broken:
                break
            self._parts, self._size = [], 0
        else:
            if self._keep(rest):
                return
        if not self._broken:
            self._broken = True
            self._parts = []
            yield LineTooLong()

    def _keep(self, part: bytes) -> bool:
        if self._broken or self._size + len(part) > MAX_LINE_BYTES:
            return False
        self._parts.append(part)
        self._size += len(part)
        return True


def _message(line: bytes | LineTooLong) -> Any:
    """What the SDK's streams carry: a message, or what was wrong with it."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    if isinstance(line, LineTooLong):
        return line
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.decode(), by_name=False))
    except ValueError as error:
        return error


async def _end(process: Process) -> None:
    """Close its stdin, then SIGTERM, then SIGKILL to the whole group, with time in between."""
    assert process.stdin is not None
    with suppress(*_GONE):
        await process.stdin.aclose()
    left = await _until(lambda: process.returncode is not None, _LEAVE_S)
    if not _signal(process.pid, signal.SIGTERM):
        return
    if await _until(lambda: _is_over(process), _LEFTOVERS_S if left else _TERMINATE_S):
        return
    _signal(process.pid, signal.SIGKILL)
    await _until(lambda: _is_over(process), _LEFTOVERS_S)


async def _until(holds: Any, seconds: float) -> bool:
    deadline = anyio.current_time() + seconds
    while not holds():
        if anyio.current_time() >= deadline:
            return False
        await anyio.sleep(_POLL_S)
    return True


def _is_over(process: Process) -> bool:
    """Whether the whole group has ended; reading the return code lets the leader be buried."""
    return process.returncode is not None and not _signal(process.pid, 0)


def _signal(group: int, number: int) -> bool:
    """Whether there was somebody in GROUP. The leader's pid names it, even when the leader has ended."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # some of it runs as somebody else
        return True
    return True


def _close_pipes(process: Process) -> None:
    """Close our ends of the pipes, which a process that left the group may hold open. No public API does."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError):
            transport.close()
