"""A folder that is opened once: everything in it is listed and opened relative to that handle, and links never.

Files stay open from then on, so that what a reader holds outlives the folder's replacement. Where the platform cannot
open relative to a folder (Windows), files are read into memory instead, which keeps the same promise by other means.
"""

from __future__ import annotations

import os
import stat
import weakref
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["file", "folder", "link", "other"]

HANDLES = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")


class NotAFile(OSError):
    """What stands there is a link, a pipe, a folder …, and was not read."""

    def __init__(self, path: str, kind: Kind) -> None:
        super().__init__(f"{path}: {kind}")
        self.kind = kind


class File(Protocol):
    """An opened regular file."""

    @property
    def size(self) -> int:
        """Bytes when it was opened."""
        ...

    def read(self, offset: int, length: int) -> bytes:
        """Up to LENGTH bytes from OFFSET; fewer where the file ends."""
        ...


class Folder(Protocol):
    """An opened folder. Paths are relative to it, with forward slashes, and were found safe before."""

    def entries(self, path: str = "") -> dict[str, Kind]:
        """Names in the folder, or in the one at PATH within it, with what they are; links are not followed."""
        ...

    def open(self, path: str) -> File:
        """Raises NotAFile for anything but a regular file, and FileNotFoundError; never waits for a pipe's writer."""
        ...

    def current(self) -> bool:
        """Whether the folder still is what stands at the path where it was opened."""
        ...


def open_folder(path: str | Path) -> Folder:
    """Raises OSError where there is no such folder or it may not be read. A link at PATH itself is followed."""
    if HANDLES:
        return _Handle(path)
    from pathlib import Path

    return _Path(Path(path))


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


class _Handle:
    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._fd)

    def entries(self, path: str = "") -> dict[str, Kind]:
        if not path:
            return self._scan(self._fd)
        fd = self._descend(path)
        try:
            return self._scan(fd)
        finally:
            os.close(fd)

    def open(self, path: str) -> File:
        parent, _, name = path.rpartition("/")
        at = self._descend(parent) if parent else self._fd
        try:
            kind = _kind(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
            if kind != "file":
                raise NotAFile(path, kind)
            # It may have become something else since: a link fails to open, a pipe does not wait, fstat tells.
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        finally:
            if parent:
                os.close(at)
        return _Descriptor(fd, path)

    def current(self) -> bool:
        try:
            there, here = os.stat(self._path), os.fstat(self._fd)  # noqa: PTH116 - beside fstat
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def _descend(self, path: str) -> int:
        at = self._fd
        for part in path.split("/"):
            try:
                deeper = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            finally:
                if at != self._fd:
                    os.close(at)
            at = deeper
        return at

    @staticmethod
    def _scan(fd: int) -> dict[str, Kind]:
        with os.scandir(fd) as found:
            return {entry.name: _kind(entry.stat(follow_symlinks=False).st_mode) for entry in found}


class _Descriptor:
    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        weakref.finalize(self, os.close, fd)
        facts = os.fstat(fd)
        if _kind(facts.st_mode) != "file":
            raise NotAFile(path, _kind(facts.st_mode))
        self.size = facts.st_size

    def read(self, offset: int, length: int) -> bytes:
        parts: list[bytes] = []
        if offset >= self.size:
            return b""  # nor one that the system cannot count to
        if 0 < length < 1 << 24 and len(whole := os.pread(self._fd, length, offset)) == length:
            return whole
        while length > 0 and (part := os.pread(self._fd, min(length, 1 << 24), offset)):
            parts.append(part)
            offset += len(part)
            length -= len(part)
        return b"".join(parts)


class _Path:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._facts = path.stat()
        if not path.is_dir():
            raise NotADirectoryError(str(path))

    def entries(self, path: str = "") -> dict[str, Kind]:
        with os.scandir(self._path / path) as found:
            return {entry.name: _kind(entry.stat(follow_symlinks=False).st_mode) for entry in found}

    def open(self, path: str) -> File:
        parts = path.split("/")
        for n in range(1, len(parts)):
            if _kind(self._path.joinpath(*parts[:n]).lstat().st_mode) == "link":
                raise NotAFile(path, "link")
        whole = self._path / path
        kind = _kind(whole.lstat().st_mode)
        if kind != "file":
            raise NotAFile(path, kind)
        return _Bytes(whole.read_bytes())

    def current(self) -> bool:
        try:
            there = self._path.stat()
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (self._facts.st_dev, self._facts.st_ino)


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]
