"""Put on PYTHONPATH of a build that is to be killed at a chosen moment, or that is to meet a full disk.

The moments are the product's own acts on the disk below a folder, counted by an audit hook: the same build has the same
moments each time, so a kill needs no luck with the clock.

    ACCEPTANCE_ROOT     the folder
    ACCEPTANCE_LOG      file to which each moment is appended: `act path`
    ACCEPTANCE_KILL_AT  the moment (from 1) just before which the process kills itself
    ACCEPTANCE_ROOM     bytes that may still be written below the folder; a write beyond fails with ENOSPC
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys

ROOT = os.environ.pop("ACCEPTANCE_ROOT", "")
LOG = os.environ.pop("ACCEPTANCE_LOG", "")
KILL_AT = int(os.environ.pop("ACCEPTANCE_KILL_AT", "0"))
ROOM = os.environ.pop("ACCEPTANCE_ROOM", "")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MOVES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink", "shutil.rmtree", "shutil.move"}


class Moments:
    """Counts acts on the disk and ends the process before the chosen one."""

    def __init__(self) -> None:
        self.count = 0
        self.busy = False
        self.log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if LOG else -1

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if self.busy or not (event == "open" or event in MOVES or event == "ctypes.dlsym"):
            return
        self.busy = True
        try:
            act = self._act(event, args)
            if act:
                self.count += 1
                if self.log >= 0:
                    os.write(self.log, act.encode("utf-8", "replace") + b"\n")
                if self.count == KILL_AT:
                    os.kill(os.getpid(), signal.SIGKILL)
        finally:
            self.busy = False

    def _act(self, event: str, args: tuple[object, ...]) -> str:
        if event == "ctypes.dlsym":
            return f"symbol {args[1]}" if "rename" in str(args[1]) else ""
        if event == "open":
            mode, flags = args[1], args[2]
            writes = (isinstance(flags, int) and flags & WRITING) or (isinstance(mode, str) and set(mode) & set("wax+"))
            return f"write {args[0]}" if writes and self._inside(args[0]) else ""
        return f"{event} {args[0]}"

    @staticmethod
    def _inside(path: object) -> bool:
        path = os.fsdecode(path) if isinstance(path, bytes | os.PathLike) else path
        # A name relative to an open folder cannot be placed; it counts: a build uses no other such names.
        return isinstance(path, str) and (path.startswith(ROOT) or not os.path.isabs(path))  # noqa: PTH117 - no pathlib yet


def fill_the_disk(room: int) -> None:
    """From now on at most ROOM bytes go into files below ROOT."""
    left = [room]

    def take(size: int) -> None:
        left[0] -= size
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Full(io.FileIO):
        def write(self, data):  # type: ignore[no-untyped-def]
            take(len(memoryview(data).cast("B")))
            return super().write(data)

    plain_open, plain_write = io.open, os.write

    def is_ours(file: object) -> bool:
        if isinstance(file, int):
            try:
                file = os.readlink(f"/proc/self/fd/{file}")  # noqa: PTH115 - likewise
            except OSError:
                return False
        path = os.path.abspath(os.fsdecode(file)) if isinstance(file, str | bytes | os.PathLike) else ""  # noqa: PTH100 - likewise
        return path.startswith(ROOT)

    def open_(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):  # type: ignore[no-untyped-def]
        if not set(mode) & set("wax+") or not is_ours(file):
            return plain_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        raw = Full(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def write(descriptor: int, data: bytes) -> int:
        if is_ours(descriptor):
            take(len(data))
        return plain_write(descriptor, data)

    import _io
    import builtins
    import shutil

    builtins.open = io.open = _io.open = open_  # type: ignore[assignment]
    os.write = write
    shutil._USE_CP_SENDFILE = False  # type: ignore[attr-defined]


if ROOT and (LOG or KILL_AT):
    sys.addaudithook(Moments())
if ROOT and ROOM:
    fill_the_disk(int(ROOM))
