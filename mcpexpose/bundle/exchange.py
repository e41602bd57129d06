"""A finished folder put in the place of another in one step, where the system can."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
from typing import TYPE_CHECKING

from mcpexpose.bundle import layout

if TYPE_CHECKING:
    from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2


def put(new: Path, place: Path) -> None:
    """NEW stands at PLACE afterwards; what stood there, if anything, at NEW's path or nowhere. Raises OSError.

    On Linux and macOS the folders are exchanged in one step. Elsewhere the old one is set aside for a moment; a reader
    that meets the gap tries again, and finds the old one aside should the build have been killed there.
    """
    if not place.exists():
        new.rename(place)
    elif not _exchange(new, place):
        _two_renames(new, place)


def _exchange(one: Path, other: Path) -> bool:
    """Whether the two changed places; False where the system or the file system cannot do it."""
    if sys.platform == "win32":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform.startswith("linux") and hasattr(libc, "renameat2"):
        done = libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        done = libc.renamex_np(os.fsencode(one), os.fsencode(other), _RENAME_SWAP)
    else:
        return False
    if done == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
        return False
    raise OSError(code, os.strerror(code))


def _two_renames(new: Path, place: Path) -> None:
    aside = place.with_name(layout.aside(place.name))
    shutil.rmtree(aside, ignore_errors=True)
    place.rename(aside)
    try:
        new.rename(place)
    except OSError:
        with contextlib.suppress(OSError):
            aside.rename(place)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def sync_folder(path: Path) -> None:
    """The names in a folder survive a loss of power, where the system lets a folder be opened and written out."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
