"""Writes Whoosh's files so that equal input gives equal bytes: no lock, no time, no random name, no compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Terms = Mapping[str, tuple[Sequence[int], Sequence[float]]]

FIELD = "text"
INDEX = "MAIN"
TOC = f"_{INDEX}_1.toc"
ID_LENGTH = 16
"""Characters of a segment's id."""
BLOCK = 1 << 20
"""Postings in a block: in practice one block a term, which is read twice as fast as Whoosh's 128."""


def segment_file(segment_id: str) -> str:
    return f"{INDEX}_{segment_id}.seg"


def files(terms: Terms, lengths: Sequence[int], segment_id: str) -> dict[str, bytes]:
    """The files of an index of one segment: TERMS, sorted by their UTF-8, with rows and weights; LENGTHS by row.

    Without documents it is a table of contents alone.
    """
    from whoosh import index

    store = _store()
    described = schema()
    segments = [_segment(store, described, terms, lengths, segment_id)] if lengths else []
    index.TOC(described, segments, 1).write(store, INDEX)
    return {name: bytes(store.files[name]) for name in store.list()}


def schema() -> Any:
    """One field, of Whoosh's own classes alone, so that anyone may open the index with Whoosh."""
    from whoosh.analysis import SpaceSeparatedTokenizer
    from whoosh.fields import TEXT, Schema
    from whoosh.formats import Existence

    text = TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=False)
    # Weights stand beside the ids of a block; a frequency for each would only be read past.
    text.format = Existence()
    return Schema(**{FIELD: text})


def _segment(store: Any, schema: Any, terms: Terms, lengths: Sequence[int], segment_id: str) -> Any:
    """Postings go straight to the codec: they are sorted and weighted already, and a writer would take a lock."""
    from whoosh.codec.whoosh3 import W3Codec, W3Segment

    codec = W3Codec(blocklimit=BLOCK, compression=0)
    segment = W3Segment(codec, INDEX, doccount=len(lengths), segid=segment_id)
    field = schema[FIELD]
    documents = codec.per_document_writer(store, segment)
    for row, length in enumerate(lengths):
        documents.start_doc(row)
        documents.add_field(FIELD, field, None, length)
        documents.finish_doc()
    documents.close()
    inverted = codec.field_writer(store, segment)
    inverted.start_field(FIELD, field)
    for term, (rows, weights) in terms.items():
        inverted.start_term(term.encode())
        for row, weight in zip(rows, weights, strict=True):
            inverted.add(row, weight, b"", lengths[row])
        inverted.finish_term()
    inverted.finish_field()
    inverted.close()
    segment.create_compound_file(store)
    return segment


def _store() -> Any:
    from whoosh.filedb.filestore import RamStorage

    class Store(RamStorage):  # type: ignore[misc]  # whoosh has no types
        """Files in memory, listed in order and without times, since both get into a segment's directory."""

        def list(self) -> list[str]:
            return sorted(self.files)

        def file_modified(self, name: str) -> float:
            return 0.0

        def temp_storage(self, name: str | None = None) -> Any:
            return _store()

    return Store()
