"""One build at a time: a lock file beside the bundle, held by the kernel, so that it never outlives its build."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Busy(Exception):
    """Another build holds the lock."""


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Holds the lock file at PATH and removes it afterwards. Raises Busy at once where it is held, OSError otherwise.

    A file that a killed build left is taken over.
    """
    fd = _acquire(path)
    try:
        yield
    finally:
        # Removed while it is held, so that nobody waits on a name that is gone; _acquire notices.
        if sys.platform != "win32":
            with contextlib.suppress(OSError):
                path.unlink()
        os.close(fd)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                path.unlink()


def _acquire(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        fd = os.open(path, flags, 0o644)
        try:
            _lock(fd)
            here = os.fstat(fd)
            there = path.lstat()
            if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
                return fd
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise Busy from None

else:
    import fcntl

    def _lock(fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy from None
