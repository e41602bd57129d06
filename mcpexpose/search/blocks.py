"""A file of named sections in blocks, each of which is checked against its digest before a byte of it is used.

The head names version, sections and the SHA-256 of each page of digests, a page those of its blocks; whoever opens the
file knows the digest of the head. So opening costs the same at any size, and nothing that changed is ever answered
from. Blocks are read, not mapped: a mapped file that is cut ends the process, and one that is written to changes
beneath a check that was made.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAGIC = b"mcpxtbl\n"
VERSION = 2
"""2: digests in pages of their own, and the starts of words."""
_SHIFT = 12
_WITHIN = (1 << _SHIFT) - 1
BLOCK = 1 << _SHIFT
"""Bytes of a block: some microseconds to check."""
KEPT = 2_048
"""Blocks that stay in memory, 8 MiB."""
SECTIONS_MAX = 64
HEAD_MAX = 64 << 20

_START = struct.Struct("<8sIIQII")
"""Magic, version, bytes of a block, bytes of the body, sections, blocks."""
_SECTION = struct.Struct("<24sQQ")
"""Name, offset in the body, bytes."""
_DIGEST = 32
_PAGE = BLOCK // _DIGEST
"""Blocks whose digests make one page."""
_ALIGNED = 8


class TableDamaged(ValueError):
    """The file is not what its digests say, or no table."""


class OtherVersion(TableDamaged):
    """The file is a table of another version."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


def pack(sections: Mapping[str, bytes]) -> tuple[bytes, str]:
    """The file of SECTIONS, in their order, and the digest of its head."""
    places, parts, at = [], [], 0
    for name, data in sections.items():
        places.append(_SECTION.pack(name.encode("ascii"), at, len(data)))
        padding = -len(data) % _ALIGNED
        parts += [data, bytes(padding)]
        at += len(data) + padding
    body = b"".join(parts)
    pages = _digests(body)
    start = _START.pack(MAGIC, VERSION, BLOCK, len(body), len(places), len(pages) // _DIGEST)
    head = b"".join([start, *places, _digests(pages)])
    return head + pages + body, hashlib.sha256(head).hexdigest()


def _digests(data: bytes) -> bytes:
    return b"".join([hashlib.sha256(data[n : n + BLOCK]).digest() for n in range(0, len(data), BLOCK)])


class Blocks:
    """An opened file. May be used by several threads."""

    def __init__(self, read: Callable[[int, int], bytes], size: int, digest: str) -> None:
        """READ gives up to so many bytes from an offset of a file of SIZE bytes, whose head has that DIGEST.

        Raises TableDamaged, OtherVersion.
        """
        start = read(0, _START.size)
        if len(start) != _START.size:
            raise TableDamaged("no head")
        magic, version, block, body, sections, blocks = _START.unpack(start)
        if magic != MAGIC:
            raise TableDamaged("no table")
        if version != VERSION:
            raise OtherVersion(version)
        tops = -(-blocks // _PAGE) * _DIGEST
        length = _START.size + sections * _SECTION.size + tops
        if sections > SECTIONS_MAX or length > min(size, HEAD_MAX):
            raise TableDamaged("no head")
        head = read(0, length)
        if hashlib.sha256(head).hexdigest() != digest:
            raise TableDamaged("another head")
        if block != BLOCK or blocks != -(-body // BLOCK) or length + blocks * _DIGEST + body != size:
            raise TableDamaged("another length")
        self._read = read
        self._pages_at = length
        self._base = length + blocks * _DIGEST
        self._body = body
        self._tops = head[length - tops :]
        self._pages: dict[int, bytes] = {}
        self._kept: dict[int, bytes] = {}
        self._lock = threading.Lock()
        self._sections: dict[str, tuple[int, int]] = {}
        for n in range(sections):
            name, at, size = _SECTION.unpack_from(head, _START.size + n * _SECTION.size)
            if at + size > body:
                raise TableDamaged("a section beyond the end")
            self._sections[name.rstrip(b"\0").decode("latin-1")] = (at, size)

    def section(self, name: str) -> Section:
        """Raises TableDamaged where there is none of that name."""
        try:
            at, size = self._sections[name]
        except KeyError:
            raise TableDamaged(f"no section {name}") from None
        return Section(self, at, size)

    def names(self) -> list[str]:
        """The sections, in the order in which they stand."""
        return list(self._sections)

    def _across(self, at: int, length: int) -> bytes:
        """LENGTH bytes of the body from AT, over several blocks."""
        first, last = at >> _SHIFT, (at + length - 1) >> _SHIFT
        blocks = [self._kept.get(n) or self._load(n) for n in range(first, last + 1)]
        within = at & _WITHIN
        return b"".join(blocks)[within : within + length]

    def _load(self, n: int) -> bytes:
        at = n * BLOCK
        length = min(BLOCK, self._body - at)
        block = self._read(self._base + at, length) if length > 0 else b""
        if len(block) != length or hashlib.sha256(block).digest() != self._digest(n):
            raise TableDamaged(f"block {n} changed")
        with self._lock:
            if len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[n] = block
        return block

    def _digest(self, n: int) -> bytes:
        """Of the block N, from its page, which is kept: a page is to its blocks as one to a hundred and thirty."""
        number, within = divmod(n, _PAGE)
        page = self._pages.get(number)
        if page is None:
            length = min(BLOCK, self._base - self._pages_at - number * BLOCK)
            page = self._read(self._pages_at + number * BLOCK, length)
            if hashlib.sha256(page).digest() != self._tops[number * _DIGEST : (number + 1) * _DIGEST]:
                raise TableDamaged(f"the digests of page {number} changed")
            self._pages[number] = page
        return page[within * _DIGEST : (within + 1) * _DIGEST]


class Section:
    """Part of a file's body; reads stay within it."""

    __slots__ = ("_at", "_blocks", "size")

    def __init__(self, blocks: Blocks, at: int, size: int) -> None:
        self._blocks = blocks
        self._at = at
        self.size = size

    def read(self, at: int, length: int) -> bytes:
        """LENGTH bytes from AT. Raises TableDamaged where they are not all there, or not as they were written."""
        if at < 0 or length < 0 or at + length > self.size:
            raise TableDamaged("a place beyond the end")
        at += self._at
        within = at & _WITHIN
        if within + length > BLOCK:
            return self._blocks._across(at, length)
        if not length:
            return b""
        block = self._blocks._kept.get(at >> _SHIFT) or self._blocks._load(at >> _SHIFT)
        return block[within : within + length]

    def whole(self) -> bytes:
        """All of it."""
        return self.read(0, self.size)
