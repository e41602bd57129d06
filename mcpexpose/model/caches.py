"""Where this user's derived files are kept, outside of any project; and how a file is read that may be no such one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def folder() -> Path | None:
    """MCPEXPOSE_STATE_DIR, else `mcpexpose` in XDG_CACHE_HOME or ~/.cache; None where there is no home."""
    if own := os.environ.get("MCPEXPOSE_STATE_DIR"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "mcpexpose"
    try:
        return Path.home() / ".cache" / "mcpexpose"
    except RuntimeError:
        return None


def read(file: Path, most: int) -> bytes:
    """What is in a regular file of MOST bytes at most. Raises OSError.

    A link may lead to a device that has no end, and a pipe may have nobody who writes.
    """
    return _read(file, most, own=False)


def read_own(file: Path, most: int) -> bytes:
    """The same of a file that this user wrote and nobody else may; what others put there is believed in nothing.

    Raises OSError.
    """
    return _read(file, most, own=True)


def _read(file: Path, most: int, *, own: bool) -> bytes:
    with os.fdopen(os.open(file, os.O_RDONLY | _AT_ONCE), "rb") as opened:
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no regular file")
        if own and os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            raise OSError("others may have written it")
        data = opened.read(most + 1)
    if len(data) > most:
        raise OSError("it is too large")
    return data
