"""Reads Whoosh's files so that no byte of them can run anything.

Whoosh keeps pickles in its table of contents, in the directory of a segment's file, in the table of terms and in every
block of postings. The classes below read the same format through `plain`, an unpickler that knows no class at all; the
table of contents is not read. They are subclasses that our reader alone uses, made at the first use since whoosh is
imported with them: a host that works with whoosh for its own ends keeps it as it is.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from mcpexpose.search.whoosh_write import BLOCK, FIELD, INDEX, schema, segment_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ForeignPickle(pickle.UnpicklingError):
    """A file names a class or a function. Ours hold numbers, texts, tuples and dictionaries, so it is not ours."""


_InPython: Any = pickle._Unpickler
"""The unpickler that is written in Python, and so can be cut down; typeshed does not tell of it."""


class _Plain(_InPython):  # type: ignore[misc]
    """Knows the instructions that whoosh's numbers and texts need, and those for nothing else.

    None makes an object or asks for one. None copies what was made: of copies within copies a key could be built that
    takes for ever to hash. Keys are texts.
    """

    def load_key_value(self) -> None:
        value, key = self.stack.pop(), _key(self.stack.pop())
        self.stack[-1][key] = value

    def load_keys_values(self) -> None:
        items = self.pop_mark()
        for at in range(0, len(items), 2):
            self.stack[-1][_key(items[at])] = items[at + 1]

    def load_note(self) -> None:
        """BINPUT: a number for what was made last. It cannot leave a gap, and so not fill the memory."""
        self._note(self.read(1)[0])

    def load_long_note(self) -> None:
        self._note(int.from_bytes(self.read(4), "little"))

    def _note(self, number: int) -> None:
        if number > len(self.memo):
            raise ForeignPickle("a pickle of the index counts in leaps")
        self.memo[number] = self.stack[-1]

    dispatch: ClassVar[dict[int, Any]] = {
        instruction[0]: _InPython.dispatch[instruction[0]]
        for instruction in (
            pickle.PROTO, pickle.STOP, pickle.MARK, pickle.FRAME, pickle.MEMOIZE, pickle.BINGET, pickle.LONG_BINGET,
            pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE, pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1,
            pickle.BINFLOAT, pickle.SHORT_BINUNICODE, pickle.BINUNICODE, pickle.SHORT_BINBYTES, pickle.BINBYTES,
            pickle.EMPTY_TUPLE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3, pickle.EMPTY_DICT,
            pickle.EMPTY_LIST, pickle.APPEND, pickle.APPENDS,
        )
    } | {
        pickle.SETITEM[0]: load_key_value, pickle.SETITEMS[0]: load_keys_values,
        pickle.BINPUT[0]: load_note, pickle.LONG_BINPUT[0]: load_long_note,
    }  # fmt: skip

    def find_class(self, module: str, name: str) -> NoReturn:
        raise ForeignPickle("a pickle of the index names a class")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise ForeignPickle("a pickle of the index names an outside object")


def _key(value: Any) -> str:
    if not isinstance(value, str):
        raise ForeignPickle("a pickle of the index has a key that is no text")
    return value


def plain(data: bytes) -> Any:
    """The value of a pickle of builtin literals. Raises pickle.UnpicklingError and its kin for anything else."""
    return _loaded(BytesIO(data))


def _loaded(file: Any) -> Any:
    try:
        return _Plain(file).load()
    except KeyError as error:
        raise ForeignPickle("a pickle of the index has another instruction than ours") from error


class Reader:
    """The postings of one segment, out of bytes that somebody has checked."""

    def __init__(self, segment: bytes, segment_id: str, documents: int) -> None:
        """Schema and segment are made here, not read. Raises what whoosh raises over damage."""
        from whoosh.codec.whoosh3 import W3Segment
        from whoosh.reading import SegmentReader

        codec = _codec()(blocklimit=BLOCK, compression=0)
        described = W3Segment(codec, INDEX, doccount=documents, segid=segment_id)
        described.compound = True
        described._fieldlengths = defaultdict(int)
        store = _storage()(segment_file(segment_id), segment)
        self._reader = SegmentReader(store, schema(), described, generation=1, codec=codec)

    def postings(self, term: str) -> tuple[Sequence[int], Sequence[float]] | None:
        """Rows, ascending, and weights; None where no document has TERM."""
        key = (FIELD, term)
        if key not in self._reader:
            return None
        rows: list[int] = []
        weights: list[float] = []
        for block_rows, block_weights in self._reader.postings(*key).blocks():
            rows.extend(block_rows)
            weights.extend(block_weights)
        return rows, weights

    def terms(self) -> Iterator[str]:
        """Every term, sorted by its UTF-8."""
        return (text.decode() for _, text in self._reader.all_terms())

    def close(self) -> None:
        self._reader.close()


@cache
def _storage() -> Any:
    from whoosh.filedb.filestore import Storage
    from whoosh.filedb.structfile import BufferFile

    class File(BufferFile):  # type: ignore[misc]  # whoosh has no types
        """A file in memory whose pickles are plain."""

        def read_pickle(self) -> Any:
            return _loaded(self.file)

        def subset(self, position: int, length: int, name: str | None = None) -> File:
            return File(self.get(position, length), name=name or self._name)

    class OneFile(Storage):  # type: ignore[misc]
        """The one file of a segment."""

        readonly = True
        supports_mmap = False

        def __init__(self, name: str, content: bytes) -> None:
            self._name = name
            self._content = content

        def list(self) -> list[str]:
            return [self._name]

        def file_exists(self, name: str) -> bool:
            return name == self._name

        def file_length(self, name: str) -> int:
            return len(self._content)

        def open_file(self, name: str, *args: Any, **kwargs: Any) -> File:
            if name != self._name:
                raise KeyError(name)
            return File(memoryview(self._content), name=name)

    return OneFile


@cache
def _codec() -> Any:
    from whoosh.codec import whoosh3

    class Matcher(whoosh3.W3LeafMatcher):  # type: ignore[misc]
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

    class Terms(whoosh3.W3TermsReader):  # type: ignore[misc]
        def term_info(self, field: str, term: bytes) -> Any:
            data = self._tindex[self._keycoder(field, term)]
            if data[0]:
                # Whoosh would unpickle postings that stand within a term's entry; we write none there.
                raise ForeignPickle("the index holds postings within a term")
            return whoosh3.W3TermInfo.from_bytes(data)

    class Codec(whoosh3.W3Codec):  # type: ignore[misc]
        def postings_reader(self, file: Any, info: Any, format_: Any, term: Any = None, scorer: Any = None) -> Matcher:
            offset, length = info.extent()
            return Matcher(file, offset, length, format_, term=term, scorer=scorer)

        def terms_reader(self, storage: Any, segment: Any) -> Terms:
            name = segment.make_filename(self.TERMS_EXT)
            postings = segment.open_file(storage, self.POSTS_EXT)
            return Terms(self, storage.open_file(name), storage.file_length(name), postings)

    return Codec
