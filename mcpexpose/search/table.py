"""The table engine: answers out of tools.bin, with the standard library alone; nothing of it is decoded early."""

from __future__ import annotations

import sys
import threading
from array import array
from typing import TYPE_CHECKING
from zlib import crc32

from mcpexpose.search.answering import TABLE, Engine, damaged
from mcpexpose.search.blocks import TableDamaged
from mcpexpose.search.hashed import Hashed
from mcpexpose.search.kinship import NO_VERB
from mcpexpose.search.postings import POSTINGS, TermPostings
from mcpexpose.search.table_write import FACTS, INLINE, PLACE, SPARSE, filter_size, key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpexpose.search.blocks import Blocks

KEPT = 4 << 20
"""Bytes, about, of decoded terms that were asked for lately; as many again may be left of those before."""
_HEAD_COST = 110
"""Bytes of one document in a term's head."""


def open_table(blocks: Blocks, size: int, min_match: float) -> Engine:
    """The engine over the search sections of tools.bin, of a plan of SIZE tools. Raises BundleRefused."""
    try:
        table = Table(blocks)
    except TableDamaged as error:
        raise damaged(TABLE) from error
    if table.size != size:
        raise damaged(TABLE)
    return Engine(table, min_match)


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
        self._verbs: bytes | None = None
        self._classes: list[frozenset[str]] = []
        self._known: dict[str, tuple[str, ...]] = {}
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
        bits = self._filter
        if bits is None:
            section = self._blocks.section("filter")
            if section.size != filter_size(self._count):
                raise TableDamaged("no filter")
            self._filter = bits = section.whole()
        key = key_of(term)
        at = crc32(key) & (len(bits) * 8 - 1)
        return bool(bits[at >> 3] >> (at & 7) & 1) and self._terms.get(key) is not None

    def named(self, key: str) -> Sequence[int]:
        """Rows of the tools whose name, alias or server/name has this `analysis.name_key`, ascending."""
        found = self._names.get(key_of(key))
        return () if found is None else self._rows(found)

    def verbs(self, row: int) -> frozenset[str]:
        """The class of the verb in the tool's name; empty where it has none."""
        verbs = self._verbs
        if verbs is None:
            names = self._blocks.section("verb classes").whole().decode("latin-1").split("\n")
            self._classes = [NO_VERB, *(frozenset((name,)) for name in names)]
            verbs = self._blocks.section("verbs").whole()
            if len(verbs) != self.size or max(verbs, default=0) >= len(self._classes):
                raise TableDamaged("no verbs")
            self._verbs = verbs
        return self._classes[verbs[row]]

    def verb(self, term: str) -> str | None:
        """The class of a term that is a verb."""
        return self._word(term)[0] or None

    def kin(self, term: str) -> Sequence[str]:
        """Terms of the same families that a document has."""
        return self._word(term)[1:]

    def _word(self, term: str) -> tuple[str, ...]:
        known = self._known.get(term)
        if known is None:
            found = self._lexicon.get(key_of(term))
            known = ("",) if found is None else tuple(found.decode("utf-8", "replace").split("\n"))
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
        if len(value) < 4:
            raise TableDamaged("no postings")
        count = int.from_bytes(value[:4], "little")
        if count <= INLINE:
            listed, best, bits = value[4:], None, None
        else:
            if len(value) != PLACE.size or count > self.size:
                raise TableDamaged("no place of postings")
            at = PLACE.unpack(value)[1]
            first = min(count, POSTINGS)
            listed = self._postings.read(at, 8 * count)
            best = _numbers("I", self._postings.read(at + 8 * count, 4 * first))
            if max(best) >= count:
                raise TableDamaged("an order of other postings")
            bits = None
            if count > POSTINGS and count * SPARSE > self.size:
                last = int.from_bytes(listed[4 * count - 4 : 4 * count], "little")
                bits = self._postings.read(at + 8 * count + 4 * first, (last >> 3) + 1)
        if len(listed) != 8 * count:
            raise TableDamaged("other postings than are counted")
        rows = self._rows(listed[: 4 * count])
        weights = _numbers("f", listed[4 * count :])
        if not min(weights) > 0:
            raise TableDamaged("weights that no index has")
        return TermPostings(rows, weights, best, bits)


def _numbers(kind: str, data: bytes) -> array[int]:
    if len(data) % 4:
        raise TableDamaged("no numbers")
    made = array(kind, data)
    if sys.byteorder == "big":
        made.byteswap()
    return made
