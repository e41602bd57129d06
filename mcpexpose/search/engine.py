"""Engines for whoever has the plan: over the Whoosh index of a bundle, and over definitions in memory."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

from mcpexpose.search import index, kinship, whoosh_read
from mcpexpose.search.analysis import ANALYZER_VERSION
from mcpexpose.search.answering import Engine, damaged, refused
from mcpexpose.search.postings import Listed, Names, Postings, TermPostings, invert
from mcpexpose.search.stemming import starts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcpexpose.model.plan import MinMatch, Plan

KEPT_TERMS = 4_096
"""Terms of which an engine over an index keeps the documents in memory, the last used ones."""

_SEGMENT = re.compile(r"MAIN_([0-9a-f]{16})\.seg")
_DAMAGE = Exception
"""What whoosh raises over files that are not as it wrote them: of its own, of Python's, and bare ones."""


class FileReader(Protocol):
    """The files of a bundle, each checked before its bytes are given out. Paths have forward slashes."""

    def list(self) -> Sequence[str]: ...

    def read(self, path: str) -> bytes: ...


class MemoryReader:
    """Files that are in memory, as a FileReader."""

    def __init__(self, files: Mapping[str, bytes], folder: str = index.FOLDER) -> None:
        self._files = {f"{folder}/{name}": content for name, content in files.items()}

    def list(self) -> Sequence[str]:
        return sorted(self._files)

    def read(self, path: str) -> bytes:
        return self._files[path]


def open_engine(reader: FileReader, plan: Plan, folder: str = index.FOLDER) -> Engine:
    """The engine over the Whoosh index that READER holds in FOLDER; no byte comes from anywhere else.

    Raises BundleRefused: plan-version where another analysis made the index, plan-damaged where files are missing,
    foreign or not what an index of this plan has.
    """
    if plan.analyzer_version != ANALYZER_VERSION:
        raise refused(
            "plan-version",
            f"The index was made by analysis {plan.analyzer_version!r}, and this is analysis {ANALYZER_VERSION!r}.",
            "Build the plan again with this version.",
            f"{folder}/",
        )
    segment_id, content = _segment(reader, folder, len(plan.tools))
    return Engine(*_indexed(content, segment_id, plan, f"{folder}/"))


def indexed(reader: FileReader, plan: Plan, folder: str = index.FOLDER) -> dict[str, TermPostings]:
    """Every term of that index with its documents: what a table is compared with. Raises what `open_engine` raises."""
    segment_id, content = _segment(reader, folder, len(plan.tools))
    if not plan.tools:
        return {}
    try:
        with index.quiet_whoosh():
            opened = whoosh_read.Reader(content, segment_id, len(plan.tools))
            try:
                found = ((term, opened.postings(term)) for term in opened.terms())
                return {term: _checked(*listed, len(plan.tools)) for term, listed in found if listed}
            finally:
                opened.close()
    except _DAMAGE as error:
        raise damaged(f"{folder}/") from error


def in_memory(definitions: Sequence[bytes], plan: Plan) -> Engine:
    """The engine over DEFINITIONS, the lines of definitions.bin of PLAN, without an index: for an unwritten plan."""
    return over(invert(index.decode(definitions), plan.search.synonyms), plan)


def over(terms: Mapping[str, TermPostings], plan: Plan) -> Engine:
    """The engine over the TERMS of PLAN, as `index.inverted` gives them."""
    return Engine(_Memory(terms, plan), plan.search.min_match)


class _Named:
    """What every engine takes from the plan itself."""

    def __init__(self, plan: Plan) -> None:
        self._names = Names((tool.server, tool.name, tool.alias) for tool in plan.tools)
        self._tools = plan.tools

    @property
    def size(self) -> int:
        return len(self._tools)

    def named(self, key: str) -> Sequence[int]:
        return self._names.rows(key)

    def verbs(self, rows: Sequence[int]) -> list[str]:
        return [kinship.name_verb(self._tools[row].name) for row in rows]

    def verb(self, term: str) -> str:
        return kinship.verbs().get(term, "")

    def get(self, term: str) -> TermPostings | None:
        raise NotImplementedError

    def kin(self, term: str, rows: Sequence[int]) -> Sequence[tuple[int, float]]:
        return kinship.gains(term, rows, self, self.size)


class _Memory(_Named):
    def __init__(self, inverted: Mapping[str, TermPostings], plan: Plan) -> None:
        super().__init__(plan)
        self._inverted = inverted

    def get(self, term: str) -> TermPostings | None:
        return self._inverted.get(term)

    def __contains__(self, term: object) -> bool:
        return term in self._inverted

    @cached_property
    def _starts(self) -> set[str]:
        return starts(self._inverted)

    def begins(self, start: str) -> bool:
        return start in self._starts


class _Indexed(_Named):
    def __init__(self, reader: Any, plan: Plan, folder: str) -> None:
        super().__init__(plan)
        self._reader = reader
        self._folder = folder
        self._kept: OrderedDict[str, TermPostings | None] = OrderedDict()
        self._vocabulary: frozenset[str] | None = None
        self._lock = threading.Lock()

    def get(self, term: str) -> TermPostings | None:
        # Whoosh's files have one position each, and a plan is shared by all threads of a host.
        with self._lock:
            if term in self._kept:
                self._kept.move_to_end(term)
                return self._kept[term]
            try:
                found = self._reader.postings(term)
                checked = None if found is None else _checked(found[0], found[1], self.size)
            except _DAMAGE as error:
                raise damaged(self._folder) from error
            self._kept[term] = checked
            if len(self._kept) > KEPT_TERMS:
                self._kept.popitem(last=False)
            return checked

    def __contains__(self, term: object) -> bool:
        # Mending asks for hundreds of spellings: one pass over the table of terms costs less than as many look-ups.
        if self._vocabulary is None:
            with self._lock:
                try:
                    self._vocabulary = frozenset(self._reader.terms())
                except _DAMAGE as error:
                    raise damaged(self._folder) from error
        return term in self._vocabulary

    def begins(self, start: str) -> bool:
        return True


def _segment(reader: FileReader, folder: str, documents: int) -> tuple[str, bytes]:
    """The segment's id and bytes, out of exactly the files that an index has; ("", b"") for a plan without tools."""
    names = sorted(path.removeprefix(f"{folder}/") for path in reader.list() if path.startswith(f"{folder}/"))
    segments = [match.group(1) for name in names if (match := _SEGMENT.fullmatch(name))]
    if len(segments) != bool(documents) or names != sorted(["_MAIN_1.toc", *(f"MAIN_{one}.seg" for one in segments)]):
        raise damaged(f"{folder}/")
    return (segments[0], reader.read(f"{folder}/MAIN_{segments[0]}.seg")) if segments else ("", b"")


def _indexed(
    content: bytes, segment_id: str, plan: Plan, folder: str
) -> tuple[Postings, MinMatch, Callable[[], None] | None]:
    if not plan.tools:
        return _Memory({}, plan), plan.search.min_match, None
    try:
        with index.quiet_whoosh():
            reader = whoosh_read.Reader(content, segment_id, len(plan.tools))
    except _DAMAGE as error:
        raise damaged(folder) from error
    return _Indexed(reader, plan, folder), plan.search.min_match, reader.close


def _checked(rows: Sequence[int], weights: Sequence[float], size: int) -> TermPostings:
    """Postings as an index of SIZE documents can have them. Raises ValueError for others."""
    if len(rows) != len(weights) or not rows or not all(isinstance(row, int) for row in rows):
        raise ValueError("not the postings of a term")
    if rows[0] < 0 or rows[-1] >= size or any(a >= b for a, b in pairwise(rows)):
        raise ValueError("rows that no index of this plan has")
    if not all(isinstance(weight, float) and isfinite(weight) and weight > 0 for weight in weights):
        raise ValueError("weights that no index has")
    return Listed(rows, weights)
