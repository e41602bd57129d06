"""Whoosh's files, written so that equal input gives equal bytes, and read so that no byte of them can run anything.

This is the only module that imports whoosh, at its top, and it is itself imported inside the functions that need it.

Whoosh keeps pickles in its table of contents, in the directory of a segment's file, in the table of terms and in every
block of postings. The classes below read the same format through `plain`, an unpickler that knows no class at all. They
are subclasses, used by our readers alone: a host that works with whoosh for its own ends keeps it as it is.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from io import BytesIO
from typing import TYPE_CHECKING, Any, NoReturn

from whoosh import index as whoosh_index
from whoosh.analysis import SpaceSeparatedTokenizer
from whoosh.codec import whoosh3
from whoosh.fields import TEXT, Schema
from whoosh.filedb.filestore import RamStorage, Storage
from whoosh.filedb.structfile import BufferFile
from whoosh.formats import Existence
from whoosh.reading import SegmentReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FIELD = "text"
INDEX = "MAIN"
TOC = f"_{INDEX}_1.toc"
SEGMENT_ID_LENGTH = 16
_BLOCK = 1 << 20
"""Postings in a block: in practice one block a term, which is read twice as fast as Whoosh's 128."""


class ForeignPickle(pickle.UnpicklingError):
    """A file names a class or a function. Ours hold numbers, texts, tuples and dictionaries, so it is not ours."""


class _Plain(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise ForeignPickle("a pickle of the index names a class")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise ForeignPickle("a pickle of the index names an outside object")


def plain(data: bytes) -> Any:
    """The value of a pickle of builtin literals. Raises pickle.UnpicklingError and its kin for anything else."""
    return _Plain(BytesIO(data)).load()


# Writing


def segment_file(segment_id: str) -> str:
    return f"{INDEX}_{segment_id}.seg"


def files(
    terms: Mapping[str, tuple[Sequence[int], Sequence[float]]], lengths: Sequence[int], segment_id: str
) -> dict[str, bytes]:
    """The files of an index of one segment: TERMS, sorted by their UTF-8, with rows and weights; LENGTHS by row.

    No lock, no time, no random name and no compression is in them. Without documents it is a table of contents alone.
    """
    store = _Store()
    schema = _schema()
    segments = [_segment(store, schema, terms, lengths, segment_id)] if lengths else []
    whoosh_index.TOC(schema, segments, 1).write(store, INDEX)
    return {name: bytes(store.files[name]) for name in store.list()}


def _schema() -> Schema:
    text = TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=False)
    # Weights stand beside the ids of a block; a frequency for each would only be read past.
    text.format = Existence()
    return Schema(**{FIELD: text})


def _segment(
    store: _Store,
    schema: Schema,
    terms: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    lengths: Sequence[int],
    segment_id: str,
) -> whoosh3.W3Segment:
    codec = whoosh3.W3Codec(blocklimit=_BLOCK, compression=0)
    segment = whoosh3.W3Segment(codec, INDEX, doccount=len(lengths), segid=segment_id)
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


class _Store(RamStorage):  # type: ignore[misc]  # whoosh has no types
    """Files in memory, listed in order and without times, since both get into a segment's directory."""

    def list(self) -> list[str]:
        return sorted(self.files)

    def file_modified(self, name: str) -> float:
        return 0.0

    def temp_storage(self, name: str | None = None) -> _Store:
        return _Store()


# Reading


class Reader:
    """The postings of one segment, out of bytes that somebody has checked."""

    def __init__(self, segment: bytes, segment_id: str, documents: int) -> None:
        """Schema and segment are made here: no table of contents is read. Raises what whoosh raises over damage."""
        codec = _Codec(blocklimit=_BLOCK, compression=0)
        described = whoosh3.W3Segment(codec, INDEX, doccount=documents, segid=segment_id)
        described.compound = True
        described._fieldlengths = defaultdict(int)
        store = _Bytes({segment_file(segment_id): segment})
        self._reader = SegmentReader(store, _schema(), described, generation=1, codec=codec)

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]] | None:
        """Rows, ascending, and weights; None where no document has TERM."""
        key = (FIELD, term)
        if key not in self._reader:
            return None
        matcher = self._reader.postings(*key)
        rows: list[int] = []
        weights: list[float] = []
        for block_rows, block_weights in matcher.blocks():
            rows.extend(block_rows)
            weights.extend(block_weights)
        return rows, weights

    def terms(self) -> Iterator[str]:
        """Every term, sorted by its UTF-8."""
        return (text.decode() for _, text in self._reader.all_terms())

    def close(self) -> None:
        self._reader.close()


class _File(BufferFile):  # type: ignore[misc]
    """A file in memory whose pickles are plain."""

    def read_pickle(self) -> Any:
        return _Plain(self.file).load()

    def subset(self, position: int, length: int, name: str | None = None) -> _File:
        return _File(self.get(position, length), name=name or self._name)


class _Bytes(Storage):  # type: ignore[misc]
    """The files of an index, as bytes."""

    readonly = True
    supports_mmap = False

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents

    def list(self) -> list[str]:
        return sorted(self._contents)

    def file_exists(self, name: str) -> bool:
        return name in self._contents

    def file_length(self, name: str) -> int:
        return len(self._contents[name])

    def file_modified(self, name: str) -> float:
        return 0.0

    def open_file(self, name: str, *args: Any, **kwargs: Any) -> _File:
        return _File(memoryview(self._contents[name]), name=name)


class _Codec(whoosh3.W3Codec):  # type: ignore[misc]
    def postings_reader(self, file: Any, info: Any, format_: Any, term: Any = None, scorer: Any = None) -> _Matcher:
        offset, length = info.extent()
        return _Matcher(file, offset, length, format_, term=term, scorer=scorer)

    def terms_reader(self, storage: Any, segment: Any) -> _Terms:
        name = segment.make_filename(self.TERMS_EXT)
        postings = segment.open_file(storage, self.POSTS_EXT)
        return _Terms(self, storage.open_file(name), storage.file_length(name), postings)


class _Terms(whoosh3.W3TermsReader):  # type: ignore[misc]
    def term_info(self, field: str, term: bytes) -> Any:
        data = self._tindex[self._keycoder(field, term)]
        if data[0]:
            # Whoosh would unpickle postings that stand within a term's entry; we write none there.
            raise ForeignPickle("the index holds postings within a term")
        return whoosh3.W3TermInfo.from_bytes(data)


class _Matcher(whoosh3.W3LeafMatcher):  # type: ignore[misc]
    def blocks(self) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
        """The rows and weights of each block."""
        while self.is_active():
            self._read_ids()
            self._read_weights()
            yield self._ids, self._weights
            self._next_block()

    def _read_data(self) -> None:
        if self._compression:
            raise ForeignPickle("the index is compressed")
        self._data = plain(self._postfile.get(self._dataoffset, self._nextoffset - self._dataoffset))
