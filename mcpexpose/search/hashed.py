"""A dictionary in two sections of a file: a key is found by its checksum, with two small reads at any size."""

from __future__ import annotations

import struct
import sys
from array import array
from hashlib import sha256
from typing import TYPE_CHECKING
from zlib import crc32

from mcpexpose.search.blocks import TableDamaged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcpexpose.search.blocks import Section

_ENTRY = struct.Struct("<HI")
"""Bytes of the key, bytes of the value; both follow."""
_BOUNDS = struct.Struct("<II")
KEY_MAX = 0xFFFF
_KEY_WHOLE = 255
"""Bytes of a key that is kept as it is; of a longer one its digest stands in its place."""


def pack(entries: Iterable[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    """The two sections, bounds and entries, of (key, value) pairs; each key once, of at most KEY_MAX bytes."""
    pairs = sorted(entries)
    count = 1
    while count < len(pairs):
        count *= 2
    buckets: list[list[bytes]] = [[] for _ in range(count)]
    for key, value in pairs:
        buckets[crc32(key) & (count - 1)].append(_ENTRY.pack(len(key), len(value)) + key + value)
    bounds, at = [0], 0
    for bucket in buckets:
        at += sum(map(len, bucket))
        bounds.append(at)
    return struct.pack(f"<{count + 1}I", *bounds), b"".join(part for bucket in buckets for part in bucket)


class Hashed:
    """Looks keys up."""

    def __init__(self, bounds: Section, entries: Section) -> None:
        """Raises TableDamaged where the sections cannot be a dictionary's."""
        count = bounds.size // 4 - 1
        if bounds.size % 4 or count < 1 or count & (count - 1):
            raise TableDamaged("no dictionary")
        self._bounds = bounds
        self._entries = entries
        self._mask = count - 1

    def get(self, key: bytes) -> bytes | None:
        """The value; None where the key is not there."""
        start, end = _BOUNDS.unpack(self._bounds.read((crc32(key) & self._mask) * 4, 8))
        if start == end:
            return None
        for own, value in self._bucket(start, end):
            if own == key:
                return value
        return None

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Every key with its value, in no order that means anything."""
        return self._bucket(0, self._entries.size)

    def _bucket(self, start: int, end: int) -> Iterator[tuple[bytes, bytes]]:
        data = self._entries.read(start, end - start)
        at = 0
        while at < len(data):
            if at + 6 > len(data):
                raise TableDamaged("no entry")
            key, value = _ENTRY.unpack_from(data, at)
            at += 6
            if at + key + value > len(data):
                raise TableDamaged("an entry beyond its end")
            yield data[at : at + key], data[at + key : at + key + value]
            at += key + value


def key_of(text: str) -> bytes:
    """TEXT as a key of a dictionary: its UTF-8, or a digest where that is long."""
    key = text.encode("utf-8", "surrogatepass")
    return key if len(key) <= _KEY_WHOLE else b"\xff" + sha256(key).digest()


def numbers(kind: str, values: Iterable[float]) -> bytes:
    """Values as little-endian numbers: "I" unsigned and "f" fractions of four bytes, "d" fractions of eight."""
    made = values if isinstance(values, array) and values.typecode == kind else array(kind, values)
    if sys.byteorder == "big":
        made = array(kind, made)
        made.byteswap()
    return made.tobytes()
