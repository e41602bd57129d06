"""What a query asks for: its words, mended where no document has them, and the names that it spells."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING, Literal

from mcpexpose.model.records import dataclass
from mcpexpose.search.analysis import CHUNK, Token, name_key, normal, tokens
from mcpexpose.search.stemming import start, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

MAX_QUERY = 1_000
"""Characters; a longer query is refused."""
MAX_WORDS = 24
"""Words that are looked up, the rarest of them."""
MAX_MENDED = 4
"""Unknown words of one query that are mended."""
MAX_TRIED = 8
"""Unknown words of one query that are tried, since each costs some hundreds of spellings."""
MAX_PAIRED = 8
"""Words of one query, one of them unknown, that are tried together with the next."""
MAX_LETTERS = 64
"""Letters of those words together, since a long word costs thousands."""

_CORE = re.compile(r"[^\W_](?:\S*[^\W_])?")
"""A word without the signs at its ends; in one pass, however many there are."""
_PARTS = r"[./:]+|__+"
_LATIN = r"[A-Za-z0-9]+(?:[_\-./:]+[A-Za-z0-9]+)*"
_HOSTS = "mcp_"
"""How many hosts begin the name of a server's tool."""
_IDENTIFIER = re.compile(r"[_\-./\d]|[^\W\d_A-Z][A-Z]")
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


How = Literal["kept", "stop", "joined", "split", "edited"]
"""What became of a word: searched as it is (its stem, its pairs of characters); dropped; run together with the next
one; taken for two words of the index, or for one that is one edit away."""


@dataclass(frozen=True, slots=True)
class Step:
    """A word of a query, as it was written, and the terms that it is searched as."""

    word: str
    terms: tuple[str, ...]
    how: How


@dataclass(frozen=True, slots=True)
class Query:
    """A query, analysed against the words of one index."""

    words: tuple[str, ...]
    """Terms, each once, in the query's order; those that no document has are among them."""
    wholes: tuple[tuple[str, tuple[str, ...]], ...]
    """Identifiers as one term, with the words that are their parts."""
    names: tuple[Spelling, ...]
    """The names that it may spell."""
    spelled: tuple[str, ...]
    """The same letter by letter: of two tools whose names have one key, the one that is spelled comes first."""


Spelling = tuple[tuple[str, ...], ...]
"""Keys (`analysis.name_key`) that a word may be, in turns: the first turn with a key that a tool has counts. A word is
a name as a whole before its parts are: github/get_logs is one tool's, get_logs/get_jobs may be two."""


def named(query: Query, rows: Callable[[str], Iterable[int]]) -> set[int]:
    """The rows of the tools that QUERY names. ROWS are those of a key."""
    found: set[int] = set()
    for turns in query.names:
        for keys in turns:
            if these := [row for key in keys for row in rows(key)]:
                found.update(these)
                break
    return found


def parse(text: str, index: Container[str]) -> Query:
    """Analyse TEXT, of at most MAX_QUERY characters. INDEX tells which terms are in a document."""
    text = bounded(text)
    found = tokens(text)
    wholes = _wholes(found, index)
    words = [
        term
        for _, terms, _ in _mended([token for token in found if token.joins == 0 and token.term], index, _parts(wholes))
        for term in terms
    ]
    names, spelled = _names(text)
    return Query(tuple(dict.fromkeys(words)), tuple(dict.fromkeys(wholes)), names, spelled)


def steps(text: str, index: Container[str]) -> list[Step]:
    """What `parse` makes of each word of TEXT, in the query's order, dropped ones among them."""
    found = tokens(bounded(text))
    words = [token for token in found if token.joins == 0]
    mended = iter(_mended([token for token in words if token.term], index, _parts(_wholes(found, index))))
    made: list[Step] = []
    skip = 0
    for n, token in enumerate(words):
        if not token.term:
            made.append(Step(token.word, (), "stop"))
        elif skip:
            skip = 0
        else:
            taken, terms, how = next(mended)
            following = [each.word for each in words[n + 1 :] if each.term][: taken - 1]
            skip = taken - 1
            made.append(Step(" ".join([token.word, *following]), terms, how))
    return made


def bounded(text: str) -> str:
    """TEXT, of which one character may be eighteen in its normal form, with no more than MAX_QUERY of them."""
    if text.isascii():
        return text
    normal = unicodedata.normalize("NFKC", text)
    return text if len(normal) <= MAX_QUERY else normal[:MAX_QUERY]


def _wholes(found: list[Token], index: Container[str]) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (token.term, tuple(part.term for part in found[n - token.joins : n] if part.joins == 0 and part.term))
        for n, token in enumerate(found)
        if token.joins > 0 and token.term in index
    ]


def _parts(wholes: list[tuple[str, tuple[str, ...]]]) -> set[str]:
    return {part for _, parts in wholes for part in parts}


def _names(text: str) -> tuple[tuple[Spelling, ...], tuple[str, ...]]:
    """All of the query, and each word of it that is an identifier: get_logs, get-logs, github/get_logs, getLogs, s3."""
    names: dict[Spelling, None] = {((name_key(text),),): None}
    spelled = {text: None}
    if text.isascii() and text.islower() and text.replace(" ", "").isalpha():
        return tuple(names), tuple(spelled)  # plain words, none of which is an identifier
    for word in (text if text.isascii() else normal(text)).split():
        for core in dict.fromkeys((*_CORE.findall(word), *CHUNK.findall(word))):
            if _IDENTIFIER.search(core):
                turns, parts = _turns(core)
                names[turns] = None
                spelled.update(dict.fromkeys((core, *parts)))
    return tuple(names), tuple(spelled)


def _turns(word: str) -> tuple[Spelling, tuple[str, ...]]:
    """What an identifier may name: itself, or what a host set `mcp` before, or its parts; and those parts as written.

    In a text that is written without blanks, its Latin words are parts too.
    """
    parts = [word.lstrip("_") for word in re.split(_PARTS, word)]
    if not word.isascii():
        parts += re.findall(_LATIN, word)
    parts = [part for part in dict.fromkeys(parts) if part != word and _IDENTIFIER.search(part)]
    turns: list[tuple[str, ...]] = [(name_key(word),)]
    if word.startswith(_HOSTS):
        turns.append((name_key(word.removeprefix(_HOSTS)),))
    if parts:
        turns.append(tuple(dict.fromkeys(map(name_key, parts))))
    behind = (word[sign.end() :] for sign in islice(re.finditer(_PARTS, word), 3))  # a server, a host
    return tuple(turns), (*parts, *behind)


class _Spellings:
    """Looks spellings up, hundreds a word: of most the start tells that they are none, where the index knows starts."""

    def __init__(self, index: Container[str]) -> None:
        self._index = index
        self._may: Callable[[str], bool] = getattr(index, "begins", lambda start: True)
        self._begins: dict[str, bool] = {}

    def term(self, word: str) -> str:
        """The term of WORD where it is in a document, else ""."""
        if begin := start(word):
            begins = self._begins.get(begin)
            if begins is None:
                begins = self._begins[begin] = self._may(begin)
            if not begins:
                return ""
        term = stem(word)
        return term if term in self._index else ""


def _mended(found: list[Token], index: Container[str], known: set[str]) -> Iterator[tuple[int, tuple[str, ...], How]]:
    """The terms of FOUND, with other words in place of those that are in no document and in no identifier of KNOWN.

    Before the terms, how many of FOUND they stand for.
    """
    spellings = _Spellings(index)
    mended = tried = letters = paired = 0
    skip = False
    for n, token in enumerate(found):
        if skip:
            skip = False
            continue
        word = token.word
        if mended == MAX_MENDED or not word.isalpha() or not _alphabet(word):
            yield 1, (token.term,), "kept"
            continue
        held = token.term in index or token.term in known
        following = found[n + 1] if n + 1 < len(found) and paired < MAX_PAIRED else None
        if following is not None and not (held and (following.term in index or following.term in known)):
            paired += 1
            if joined := _joined(word + following.word, index):
                mended, skip = mended + 1, True
                yield 2, (joined,), "joined"
                continue
        spent = tried == MAX_TRIED or (tried and letters + len(word) > MAX_LETTERS)
        if held or spent or len(word) < 4:
            yield 1, (token.term,), "kept"
            continue
        tried += 1
        letters += len(word)
        if parts := _split(word, spellings):
            mended += 1
            yield 1, parts, "split"
        elif other := _edited(word, spellings):
            mended += 1
            yield 1, other, "edited"
        else:
            yield 1, (token.term,), "kept"


def _joined(word: str, index: Container[str]) -> str:
    """Two words of the query that are one WORD of the index: "play wright"."""
    return next((term for term in (word, stem(word)) if term in index), "") if len(word) > 3 else ""


def _split(word: str, spellings: _Spellings) -> tuple[str, ...]:
    """Two words of the index that were run together, as even as possible: cosmosdb, teslable."""
    best: tuple[str, ...] = ()
    evenness = 0
    for at in range(2, len(word) - 1):
        if min(at, len(word) - at) > evenness:
            left = spellings.term(word[:at])
            right = left and spellings.term(word[at:])
            if right:
                best, evenness = (left, right), min(at, len(word) - at)
    return best


def _edited(word: str, spellings: _Spellings) -> tuple[str, ...]:
    """The word of the index that is one edit away; the first letter is taken as right, and digits as meant."""
    edits = (_swaps, _insertions, _deletions, _replacements)
    # Of few letters too much else is one edit away: "world" is no typing error for "word".
    for edit in edits[: 2 if len(word) == 4 else None]:
        for candidate in edit(word):
            if term := spellings.term(candidate):
                return (term,)
    return ()


def _alphabet(word: str) -> str:
    return next((letters for letters in _ALPHABETS if word[0] in letters), "")


def _swaps(word: str) -> Iterator[str]:
    for n in range(len(word) - 1):
        if word[n] != word[n + 1]:
            yield word[:n] + word[n + 1] + word[n] + word[n + 2 :]


def _insertions(word: str) -> Iterator[str]:
    for n in range(1, len(word) + 1):
        for letter in _alphabet(word):
            yield word[:n] + letter + word[n:]


def _deletions(word: str) -> Iterator[str]:
    for n in range(1, len(word)):
        if len(word) > 5 or word[n] == word[n - 1]:
            yield word[:n] + word[n + 1 :]


def _replacements(word: str) -> Iterator[str]:
    for n in range(1, len(word)):
        for letter in _alphabet(word):
            if letter != word[n]:
                yield word[:n] + letter + word[n + 1 :]
