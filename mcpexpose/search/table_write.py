"""Writes the search sections of tools.bin: the numbers of the Whoosh index as a host reads them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING
from zlib import crc32

from mcpexpose.search import hashed, kinship
from mcpexpose.search.hashed import key_of, numbers
from mcpexpose.search.postings import POSTINGS, Names, TermPostings, bits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

INLINE = 4
"""Documents of a term that stand with it in the dictionary; those of others have a place of their own."""
SPARSE = 32
"""A term in more than one of so many documents is listed by a bit for every document of the plan."""
SECTIONS = (
    "facts", "filter", "term bounds", "terms", "postings", "name bounds", "names", "verb classes", "verbs",
    "lexicon bounds", "lexicon",
)  # fmt: skip
"""Names of the sections that a search reads, in their order."""
FACTS = struct.Struct("<II")
"""Documents; terms."""
PLACE = struct.Struct("<II")
"""Documents of the term; offset of its postings."""


def sections(terms: Mapping[str, TermPostings], tools: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
    """Every section that `table.Table` reads. TOOLS are (server, name, alias), by row."""
    words = hashed.pack(_terms(terms, len(tools), postings := bytearray()))
    names = hashed.pack((key_of(key), numbers("I", rows)) for key, rows in Names(tools).by_key.items())
    classes = ["", *sorted(set(kinship.verbs().values()))]
    return {
        "facts": FACTS.pack(len(tools), len(terms)),
        "filter": _filter(terms),
        "term bounds": words[0],
        "terms": words[1],
        "postings": bytes(postings),
        "name bounds": names[0],
        "names": names[1],
        "verb classes": "\n".join(classes).encode("ascii"),
        "verbs": bytes(classes.index(kinship.name_verb(name)) for _, name, _ in tools),
        **dict(zip(("lexicon bounds", "lexicon"), hashed.pack(_lexicon(terms)), strict=True)),
    }


def filter_size(terms: int) -> int:
    """Bytes of the filter of an index of so many TERMS: a power of two, a bit or more a term and a little."""
    size = 8
    while size < terms:
        size *= 2
    return size


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
            postings += bits_of(rows).ljust(size + 7 >> 3, b"\0") if count * SPARSE > size else numbers("I", rows)
            postings += numbers("f", weights)


def _filter(terms: Iterable[str]) -> bytes:
    keys = [key_of(term) for term in terms]
    size = filter_size(len(keys))
    bits = bytearray(size)
    for key in keys:
        at = crc32(key) & (size * 8 - 1)
        bits[at >> 3] |= 1 << (at & 7)
    return bytes(bits)


def _lexicon(terms: Mapping[str, TermPostings]) -> Iterable[tuple[bytes, bytes]]:
    """Each term that is a verb or has kin in the index: its class or "", then its kin, one a line."""
    verbs, families = kinship.verbs(), kinship.families()
    for term in sorted(verbs.keys() | families.keys()):
        kin = [other for other in families.get(term, ()) if other in terms]
        if kin or term in verbs:
            yield key_of(term), "\n".join([verbs.get(term, ""), *kin]).encode("utf-8")
