"""The table engine: answers out of tools.bin, with the standard library alone; nothing of it is decoded early."""

from __future__ import annotations

import struct
import sys
import threading
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload
from zlib import crc32

from mcpexpose.search.answering import TABLE, Engine, damaged
from mcpexpose.search.blocks import TableDamaged
from mcpexpose.search.hashed import Hashed, key_of
from mcpexpose.search.postings import POSTINGS, TermPostings, share

if TYPE_CHECKING:
    from mcpexpose.model.plan import MinMatch
    from mcpexpose.search.blocks import Blocks, Section

INLINE = 4
"""Documents of a term that stand with it in the dictionary; those of others have a place of their own."""
SPARSE = 32
"""A term in more than one of so many documents is listed by a bit for every document of the plan."""
FACTS = struct.Struct("<II")
"""Documents; terms."""
PLACE = struct.Struct("<II")
"""Documents of the term; offset of its postings."""
KEPT = 16 << 20
"""Bytes, about, of decoded terms that were asked for lately; as many again may be left of those before."""
_BEST = 12
"""Bytes of a document among the best, as it is stored: row and share."""
_AT_ONCE = 1_024
"""Documents of a term whose weights are read together; of more, those that are asked for."""
_HEAD_COST = 110
"""Bytes of one document in a term's head."""


def open_table(blocks: Blocks, size: int, min_match: MinMatch) -> Engine:
    """The engine over the search sections of tools.bin, of a plan of SIZE tools. Raises BundleRefused."""
    try:
        table = Table(blocks)
    except TableDamaged as error:
        raise damaged(TABLE) from error
    if table.size != size:
        raise damaged(TABLE)
    return Engine(table, min_match)


def filter_size(words: int) -> int:
    """Bytes of a filter of so many WORDS: a power of two, eight bits a word or more."""
    size = 8
    while size < words:
        size *= 2
    return size


class Table:
    """The postings of a plan (`postings.Postings`). May be shared by threads. Every read may raise TableDamaged."""

    def __init__(self, blocks: Blocks) -> None:
        facts = blocks.section("facts")
        if facts.size != FACTS.size:
            raise TableDamaged("no facts")
        self.size: int
        self.size, self._count = FACTS.unpack(facts.whole())
        self._terms = Hashed(blocks.section("term bounds"), blocks.section("terms"))
        self._names = Hashed(blocks.section("name bounds"), blocks.section("names"))
        self._lexicon = Hashed(blocks.section("lexicon bounds"), blocks.section("lexicon"))
        self._postings = blocks.section("postings")
        self._blocks = blocks
        self._filter: bytes | None = None
        self._starts: bytes | None = None
        self._verbs: bytes | None = None
        self._classes: list[str] = []
        self._known: dict[str, tuple[str, _Kin | None]] = {}
        self._lately: dict[str, TermPostings | None] = {}
        self._before: dict[str, TermPostings | None] = {}
        self._cost = 0
        self._lock = threading.Lock()

    def get(self, term: str) -> TermPostings | None:
        """The documents of TERM; None where no document has it."""
        try:
            return self._lately[term]
        except KeyError:
            pass
        try:
            found = self._before[term]
        except KeyError:
            found = self._decoded(term)
        with self._lock:
            if self._cost > KEPT:
                self._before, self._lately, self._cost = self._lately, {}, 0
            self._lately[term] = found
            count = len(found) if found is not None else 0
            self._cost += 200 + 9 * count + _HEAD_COST * min(count, POSTINGS)
        return found

    def __contains__(self, term: object) -> bool:
        """Mending asks for hundreds of spellings, nearly all of which a small filter tells to be in no document."""
        if not isinstance(term, str):
            return False
        found = self._lately.get(term)
        if found is not None:
            return True
        bits = self._filter
        if bits is None:
            section = self._blocks.section("filter")
            if section.size != filter_size(self._count):
                raise TableDamaged("no filter")
            self._filter = bits = section.whole()
        key = key_of(term)
        at = crc32(key) & (len(bits) * 8 - 1)
        return bool(bits[at >> 3] >> (at & 7) & 1) and self.get(term) is not None

    def begins(self, start: str) -> bool:
        """Whether a term may begin with START (`stemming.start`); False is certain."""
        bits = self._starts
        if bits is None:
            bits = self._blocks.section("word starts").whole()
            if not bits or len(bits) & (len(bits) - 1):
                raise TableDamaged("no word starts")
            self._starts = bits
        at = crc32(start.encode()) & (len(bits) * 8 - 1)
        return bool(bits[at >> 3] >> (at & 7) & 1)

    def named(self, key: str) -> Sequence[int]:
        """Rows of the tools whose name, alias or server/name has this `analysis.name_key`, ascending."""
        found = self._names.get(key_of(key))
        return () if found is None else self._rows(found)

    def verbs(self, rows: Sequence[int]) -> list[str]:
        """For each of ROWS the class of the verb in the tool's name; "" where it has none."""
        verbs, classes = self._verbs, self._classes
        if verbs is None:
            self._classes = classes = self._blocks.section("verb classes").whole().decode("latin-1").split("\n")
            verbs = self._blocks.section("verbs").whole()
            if len(verbs) != self.size or max(verbs, default=0) >= len(classes):
                raise TableDamaged("no verbs")
            self._verbs = verbs
        try:
            return [classes[verbs[row]] for row in rows]
        except IndexError:
            raise TableDamaged("rows that the plan has not") from None

    def verb(self, term: str) -> str:
        """The class of a term that is a verb; "" for another one."""
        return self._word(term)[0]

    def kin(self, term: str, rows: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Where in ROWS documents hold a word of TERM's families, with the most that such a word gives there."""
        kin = self._word(term)[1]
        return () if kin is None else kin.hits(rows)

    def _word(self, term: str) -> tuple[str, _Kin | None]:
        known = self._known.get(term)
        if known is None:
            known = ("", None)
            found = self._lexicon.get(key_of(term))
            if found is not None:
                if len(found) < PLACE.size:
                    raise TableDamaged("no word")
                count, at = PLACE.unpack(found[: PLACE.size])
                known = (found[PLACE.size :].decode("latin-1"), _Kin(self, count, at) if count else None)
            if len(self._known) >= 1_000:
                self._known = {}
            self._known[term] = known
        return known

    def _rows(self, data: bytes) -> array[int]:
        rows = _numbers("I", data)
        if not rows or max(rows) >= self.size:
            raise TableDamaged("rows that the plan has not")
        return rows

    def _decoded(self, term: str) -> TermPostings | None:
        value = self._terms.get(key_of(term))
        if value is None:
            return None
        count = int.from_bytes(value[:4], "little")
        if count <= INLINE:
            return _Stored(count, self._best(count, value[4:]))
        if len(value) != PLACE.size or count > self.size:
            raise TableDamaged("no place of postings")
        at = PLACE.unpack(value)[1]
        first = min(count, POSTINGS)
        best = self._best(first, self._postings.read(at, _BEST * first))
        return _Stored(count, best) if count <= POSTINGS else _Cut(count, best, self, at + _BEST * first)

    def _best(self, count: int, data: bytes) -> dict[int, float]:
        if len(data) != _BEST * count:
            raise TableDamaged("other postings than are counted")
        # A row that there is not is found where it would be used, since to look for it costs as much as all the rest.
        best = dict(zip(_numbers("I", data[: 4 * count]), _numbers("d", data[4 * count :]), strict=True))
        if len(best) != count:
            raise TableDamaged("postings that no index has")
        return best

    def documents(self, section: Section, count: int, at: int) -> tuple[_Documents, int]:
        """The documents of a term or its kin, and where their numbers follow."""
        if count > self.size:
            raise TableDamaged("more documents than the plan has")
        if count * SPARSE > self.size:
            length = self.size + 7 >> 3
            found = _Documents(section.read(at, length), array("I"))
            if len(found) != count:
                raise TableDamaged("other postings than are counted")
            return found, at + length
        return _Documents(None, self._rows(section.read(at, 4 * count))), at + 4 * count


class _Documents:
    """Some documents of a plan, and the place of each among them."""

    __slots__ = ("_before", "_bits", "_rows")

    def __init__(self, bits: bytes | None, rows: array[int]) -> None:
        self._bits = bits
        self._rows = rows
        counts = [_count(bits[at : at + _STRIDE]) for at in range(0, len(bits), _STRIDE)] if bits is not None else []
        self._before = list(accumulate(counts, initial=0))
        """Of the bits, how many are set before each stride."""

    def __len__(self) -> int:
        return self._before[-1] if self._bits is not None else len(self._rows)

    def places(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Positions of those of ROWS that are among them, and the place of each there."""
        bits = self._bits
        if bits is None:
            own, size = self._rows, len(self._rows)
            return [(n, at) for n, row in enumerate(rows) if (at := bisect_left(own, row)) < size and own[at] == row]
        before, size = self._before, len(bits) << 3
        found = []
        for n, row in enumerate(rows):
            if row < size:
                at = row >> 3
                byte, bit = bits[at], 1 << (row & 7)
                if byte & bit:
                    start = at & -_STRIDE
                    within = int.from_bytes(bits[start:at], "little").bit_count() + (byte & bit - 1).bit_count()
                    found.append((n, before[at >> _STRIDE_SHIFT] + within))
        return found

    def rows(self) -> Sequence[int]:
        """All of them, ascending."""
        if self._bits is None:
            return self._rows
        return [n << 3 | bit for n, byte in enumerate(self._bits) if byte for bit in _BITS[byte]]


class _Kin:
    """The documents that hold a word of a term's families, with the most that one gives."""

    __slots__ = ("_at", "_count", "_documents", "_section")

    def __init__(self, table: Table, count: int, at: int) -> None:
        self._section = table._blocks.section("kin")
        self._documents, self._at = table.documents(self._section, count, at)

    def hits(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        read, at = self._section.read, self._at
        return [(n, _GAIN.unpack(read(at + 8 * place, 8))[0]) for n, place in self._documents.places(rows)]


class _Stored(TermPostings):
    """A term of which the best documents are all."""

    __slots__ = ("_best", "_count")

    def __init__(self, count: int, best: Mapping[int, float]) -> None:
        super().__init__()
        self._count = count
        self._best = best

    def __len__(self) -> int:
        return self._count

    def best(self) -> Mapping[int, float]:
        return self._best

    def listed(self) -> tuple[Sequence[int], Sequence[float]]:
        raise NotImplementedError

    def hits(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        best = self._best
        return [(n, best[row]) for n, row in enumerate(rows) if row in best]

    def shares(self, rows: Sequence[int]) -> list[float]:
        get = self._best.get
        return [get(row, 0.0) for row in rows]


class _Cut(_Stored):
    """A term with more documents; those beyond the best are read where they are asked for."""

    __slots__ = ("_at", "_rest", "_table")

    def __init__(self, count: int, best: Mapping[int, float], table: Table, at: int) -> None:
        super().__init__(count, best)
        self._table = table
        self._at = at
        self._rest: tuple[_Documents, Sequence[float]] | None = None

    def listed(self) -> tuple[Sequence[int], Sequence[float]]:
        documents, weights = self._all()
        return documents.rows(), weights[:]

    def hits(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        return [(n, gives) for n, gives in enumerate(self.shares(rows)) if gives]

    def shares(self, rows: Sequence[int]) -> list[float]:
        get = self._best.get
        found = [get(row, 0.0) for row in rows]
        if 0.0 in found:
            beyond = [n for n, gives in enumerate(found) if not gives]
            documents, weights = self._all()
            for one, place in documents.places([rows[n] for n in beyond]):
                weight = weights[place]
                if not weight > 0:
                    raise TableDamaged("a weight that no index has")
                found[beyond[one]] = share(weight)
        return found

    def _all(self) -> tuple[_Documents, Sequence[float]]:
        """All documents, and the weight in each."""
        if self._rest is None:
            section = self._table._postings
            documents, at = self._table.documents(section, self._count, self._at)
            weights: Sequence[float] = _Weights(section, at, self._count)
            if self._count <= _AT_ONCE:
                weights = weights[:]
            self._rest = documents, weights
        return self._rest


class _Weights(Sequence[float]):
    """Those of a term's documents, each read when it is asked for."""

    __slots__ = ("_at", "_count", "_section")

    def __init__(self, section: Section, at: int, count: int) -> None:
        self._section = section
        self._at = at
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, n: int) -> float: ...
    @overload
    def __getitem__(self, n: slice) -> Sequence[float]: ...
    def __getitem__(self, n: int | slice) -> float | Sequence[float]:
        if isinstance(n, slice):
            return _numbers("f", self._section.read(self._at, 4 * self._count))[n]
        weight: float = _WEIGHT.unpack(self._section.read(self._at + 4 * n, 4))[0]
        return weight


_WEIGHT = struct.Struct("<f")
_GAIN = struct.Struct("<d")
_STRIDE_SHIFT = 6
_STRIDE = 1 << _STRIDE_SHIFT


def _count(bits: bytes) -> int:
    """How many are set."""
    return int.from_bytes(bits, "little").bit_count()


_BITS = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]


def _numbers(kind: str, data: bytes) -> array[Any]:
    try:
        made = array(kind, data)
    except ValueError:
        raise TableDamaged("no numbers") from None
    if sys.byteorder == "big":
        made.byteswap()
    return made
