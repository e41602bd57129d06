"""A list of texts in two sections of a file: each is read when it is asked for."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, overload

from mcpexpose.search.blocks import TableDamaged
from mcpexpose.search.hashed import numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcpexpose.search.blocks import Section

_BOUNDS = struct.Struct("<II")


def pack(texts: Iterable[str]) -> tuple[bytes, bytes]:
    """The two sections, bounds and texts."""
    parts = [text.encode("utf-8") for text in texts]
    return numbers("I", accumulate(map(len, parts), initial=0)), b"".join(parts)


class Texts(Sequence[str]):
    """The list. Every read may raise TableDamaged."""

    def __init__(self, bounds: Section, texts: Section) -> None:
        if bounds.size < 4 or bounds.size % 4:
            raise TableDamaged("no list of texts")
        self._bounds = bounds
        self._texts = texts
        self._count = bounds.size // 4 - 1

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, n: int) -> str: ...
    @overload
    def __getitem__(self, n: slice) -> Sequence[str]: ...
    def __getitem__(self, n: int | slice) -> str | Sequence[str]:
        if isinstance(n, slice):
            return [self.at(each) for each in range(*n.indices(self._count))]
        return self.at(n)

    def at(self, n: int) -> str:
        """The text at N, from 0."""
        if not 0 <= n < self._count:
            raise IndexError(n)
        at, end = _BOUNDS.unpack(self._bounds.read(n * 4, 8))
        return self._texts.read(at, end - at).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        """All of them, in two reads."""
        bounds = struct.unpack(f"<{self._count + 1}I", self._bounds.whole())
        data = self._texts.whole()
        for at, end in pairwise(bounds):
            if not at <= end <= len(data):
                raise TableDamaged("a text beyond the end")
            yield data[at:end].decode("utf-8", "replace")
