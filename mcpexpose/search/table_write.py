"""Writes the search sections of tools.bin: the numbers of the Whoosh index as a host reads them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING
from zlib import crc32

from mcpexpose.search import hashed, kinship
from mcpexpose.search.hashed import key_of, numbers
from mcpexpose.search.postings import POSTINGS, Names, TermPostings, bits_of
from mcpexpose.search.stemming import starts
from mcpexpose.search.table import FACTS, INLINE, PLACE, SPARSE, filter_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SECTIONS = (
    "facts", "filter", "word starts", "term bounds", "terms", "postings", "name bounds", "names", "verb classes",
    "verbs", "lexicon bounds", "lexicon", "kin",
)  # fmt: skip
"""Names of the sections that a search reads, in their order."""


def sections(terms: Mapping[str, TermPostings], tools: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
    """Every section that `table.Table` reads. TOOLS are (server, name, alias), by row."""
    words = hashed.pack(_terms(terms, len(tools), postings := bytearray()))
    lexicon = hashed.pack(_lexicon(terms, len(tools), kin := bytearray()))
    names = hashed.pack((key_of(key), numbers("I", rows)) for key, rows in Names(tools).by_key.items())
    classes = ["", *sorted(set(kinship.verbs().values()))]
    return {
        "facts": FACTS.pack(len(tools), len(terms)),
        "filter": _filter(terms),
        "word starts": _filter(sorted(starts(terms))),
        "term bounds": words[0],
        "terms": words[1],
        "postings": bytes(postings),
        "name bounds": names[0],
        "names": names[1],
        "verb classes": "\n".join(classes).encode("ascii"),
        "verbs": bytes(classes.index(kinship.name_verb(name)) for _, name, _ in tools),
        "lexicon bounds": lexicon[0],
        "lexicon": lexicon[1],
        "kin": bytes(kin),
    }


def _terms(terms: Mapping[str, TermPostings], size: int, postings: bytearray) -> Iterable[tuple[bytes, bytes]]:
    """Each term with its best documents, or the place where they stand, followed by all of them where they were cut."""
    for term in sorted(terms):
        found = terms[term]
        count, best = len(found), found.best()
        first = numbers("I", best) + numbers("d", best.values())
        if count <= INLINE:
            yield key_of(term), struct.pack("<I", count) + first
            continue
        yield key_of(term), PLACE.pack(count, len(postings))
        postings += first
        if count > POSTINGS:
            rows, weights = found.listed()
            postings += _documents(rows, size) + numbers("f", weights)


def _filter(words: Iterable[str]) -> bytes:
    keys = [key_of(word) for word in words]
    size = filter_size(len(keys))
    bits = bytearray(size)
    for key in keys:
        at = crc32(key) & (size * 8 - 1)
        bits[at >> 3] |= 1 << (at & 7)
    return bytes(bits)


def _lexicon(terms: Mapping[str, TermPostings], size: int, kin: bytearray) -> Iterable[tuple[bytes, bytes]]:
    """Each term that is a verb or of a family: how many documents hold its kin, where they stand in KIN, its class."""
    verbs, families = kinship.verbs(), kinship.families()
    for term in sorted(verbs.keys() | families.keys()):
        gains = kinship.all_gains(term, terms, size)
        if gains or term in verbs:
            yield key_of(term), PLACE.pack(len(gains), len(kin)) + verbs.get(term, "").encode("ascii")
            kin += _documents([row for row, _ in gains], size) + numbers("d", [gain for _, gain in gains])


def _documents(rows: Sequence[int], size: int) -> bytes:
    """ROWS, which ascend: a bit for every document of the plan, or one number each, whichever is looked up sooner."""
    return bits_of(rows).ljust(size + 7 >> 3, b"\0") if len(rows) * SPARSE > size else numbers("I", rows)
