"""Whether a regular expression has two ways to match one text that multiply with its length.

A backtracking matcher tries them all before it gives up: `^(a+)+$` on thirty letters and a dash is a thousand million
attempts. The test is the classical one for exponential ambiguity. The pattern becomes a position automaton (Glushkov);
it runs away where some position can be left and reached again by one text along two paths.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

# The parser has been `re._parser` since Python 3.11; it has no public name.
from re import _constants as _op  # type: ignore[attr-defined]  # isort: skip
from re import _parser  # type: ignore[attr-defined]  # isort: skip

if TYPE_CHECKING:
    from collections.abc import Iterable

_POSITIONS = 400
_PAIRS = 20_000
_STEPS = 1_000_000
"""Pairs of ways that are compared."""
_PARTS = 20_000
"""Parts of a pattern that are looked at; a group that is empty, or refers to one, may stand in it without end."""
_LOOP = 8
"""A repetition that may run this often is taken for one without end; shorter ones are written out."""
_ASCII = (1 << 128) - 1
_OTHER = 1 << 128
"""One bit stands for all that is not ASCII."""
_ALL = _ASCII | _OTHER


def check(pattern: str) -> None:
    """Raises what `re.compile` raises for a PATTERN that is none, at the cost of reading it."""
    waiting = [_parsed(pattern)]
    while waiting:
        for code, argument in waiting.pop():
            if code in (_op.ASSERT, _op.ASSERT_NOT):
                direction, inside = argument
                low, high = inside.getwidth()
                if direction < 0 and low != high:
                    raise re.error("look-behind requires fixed-width pattern")
                waiting.append(inside)
            elif code is _op.SUBPATTERN:
                waiting.append(argument[3])
            elif code is _op.BRANCH:
                waiting.extend(argument[1])
            elif code in (_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT):
                waiting.append(argument[2])
            elif code is _op.ATOMIC_GROUP:
                waiting.append(argument)
            elif code is _op.GROUPREF_EXISTS:
                waiting.extend(branch for branch in argument[1:] if branch is not None)


def _parsed(pattern: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _parser.parse(pattern)


def runs_away(pattern: str) -> bool:
    """Whether PATTERN, in Python's spelling, is exponentially ambiguous. A pattern too large to tell is not.

    Raises re.error where it is no pattern.
    """
    parsed = _parsed(pattern)
    automaton = _Automaton(bool(parsed.state.flags & re.IGNORECASE))
    try:
        automaton.add(parsed)
    except _TooLarge:
        return False
    return automaton.ambiguous()


class _TooLarge(Exception):
    pass


class _Piece:
    """A part of a pattern: the positions it can begin and end with, and in how many ways it can be empty.

    A position that can be the first or the last in more than one way stands there twice.
    """

    __slots__ = ("empty", "first", "last")

    def __init__(self, first: list[int], last: list[int], empty: int) -> None:
        self.first, self.last, self.empty = _at_most_twice(first), _at_most_twice(last), min(empty, 2)


class _Automaton:
    def __init__(self, fold: bool) -> None:
        self.fold = fold
        self.letters: list[int] = []
        self.ways: list[dict[int, int]] = []
        """For each position, the positions that can follow, and in how many ways (2: more than one)."""
        self.groups: dict[int, Any] = {}
        self.parts = 0

    def add(self, items: Any) -> _Piece:
        piece = _Piece([], [], 1)
        for code, argument in items:
            piece = self._then(piece, self._part(code, argument))
        return piece

    def _part(self, code: Any, argument: Any) -> _Piece:
        self.parts += 1
        if self.parts > _PARTS:
            raise _TooLarge
        if code in (_op.LITERAL, _op.NOT_LITERAL, _op.ANY, _op.IN):
            return self._position(self._set(code, argument))
        if code is _op.SUBPATTERN:
            self.groups[argument[0]] = argument[3]
            return self.add(argument[3])
        if code is _op.BRANCH:
            return self._either(self.add(branch) for branch in argument[1])
        if code in (_op.MAX_REPEAT, _op.MIN_REPEAT):
            return self._repeat(*argument)
        if code in (_op.ASSERT, _op.ASSERT_NOT):
            self.add(argument[1])  # matched for itself: its own loops count, its text is not consumed
        elif code is _op.GROUPREF_EXISTS:
            return self._either(self.add(branch) for branch in argument[1:] if branch is not None)
        elif code is _op.GROUPREF and argument in self.groups:
            return self.add(self.groups[argument])
        # What is left consumes nothing, or (possessive, atomic) is never tried a second way.
        return _Piece([], [], 1)

    def _repeat(self, low: int, high: int, items: Any) -> _Piece:
        if high is _op.MAXREPEAT or high >= _LOOP:
            piece = self.add(items)
            self._link(piece.last, piece.first)
            return _Piece(piece.first, piece.last, piece.empty + int(low == 0))
        whole = _Piece([], [], 1)
        for _ in range(low):
            whole = self._then(whole, self.add(items))
        rest = _Piece([], [], 1)
        for _ in range(high - low):  # the next only after the one before: x{2,4} is xx(x(x)?)?, one way for each number
            again = self._then(self.add(items), rest)
            rest = _Piece(again.first, again.last, again.empty + 1)
        return self._then(whole, rest)

    def _position(self, letters: int) -> _Piece:
        if len(self.letters) >= _POSITIONS:
            raise _TooLarge
        self.letters.append(letters)
        self.ways.append({})
        here = [len(self.letters) - 1]
        return _Piece(here, here, 0)

    def _then(self, one: _Piece, two: _Piece) -> _Piece:
        self._link(one.last, two.first)
        first = one.first + two.first * one.empty
        last = one.last * two.empty + two.last
        return _Piece(first, last, one.empty * two.empty)

    def _either(self, pieces: Iterable[_Piece]) -> _Piece:
        first: list[int] = []
        last: list[int] = []
        empty = 0
        for piece in pieces:
            first, last, empty = first + piece.first, last + piece.last, empty + piece.empty
        return _Piece(first, last, empty)

    def _link(self, ends: list[int], starts: list[int]) -> None:
        for end in ends:
            ways = self.ways[end]
            for start in starts:
                ways[start] = min(2, ways.get(start, 0) + 1)

    def _set(self, code: Any, argument: Any) -> int:
        """The letters that a part accepts, as bits."""
        if code is _op.ANY:
            return _ALL & ~(1 << 10)
        if code is _op.LITERAL:
            return self._bits(argument, argument)
        if code is _op.NOT_LITERAL:
            return _OTHER | (_ASCII & ~self._bits(argument, argument))
        letters = 0
        negated = False
        for kind, value in argument:
            if kind is _op.NEGATE:
                negated = True
            elif kind is _op.LITERAL:
                letters |= self._bits(value, value)
            elif kind is _op.RANGE:
                letters |= self._bits(*value)
            elif kind is _op.CATEGORY:
                letters |= _CATEGORIES.get(str(value).removeprefix("CATEGORY_"), _ALL)
        return _OTHER | (_ASCII & ~letters) if negated else letters

    def _bits(self, low: int, high: int) -> int:
        letters = _OTHER if high > 127 else 0
        for code in range(low, min(high, 127) + 1):
            letters |= 1 << code
            if self.fold and chr(code).isalpha():
                letters |= 1 << ord(chr(code).swapcase())
        return letters

    def ambiguous(self) -> bool:
        for component in _components([list(ways) for ways in self.ways]):
            inside = set(component)
            if any(self.ways[one].get(two) == 2 for one in component for two in self.ways[one] if two in inside):
                return True
            ways = sum(len(self.ways[one]) for one in component)
            if len(component) ** 2 <= _PAIRS and ways**2 <= _STEPS and self._pairs_meet(component, inside):
                return True
        return False

    def _pairs_meet(self, component: list[int], inside: set[int]) -> bool:
        """Whether two different paths over one text lead from a position of COMPONENT back to it."""
        number = {(one, two): n for n, (one, two) in enumerate((a, b) for a in component for b in component)}
        following: list[list[int]] = []
        for one, two in number:
            after_two = [other for other in self.ways[two] if other in inside]
            following.append(
                [
                    number[next_one, next_two]
                    for next_one in self.ways[one]
                    if next_one in inside
                    for next_two in after_two
                    if self.letters[next_one] & self.letters[next_two]
                ]
            )
        names = list(number)
        for group in _components(following):
            pairs = [names[n] for n in group]
            if any(one == two for one, two in pairs) and any(one != two for one, two in pairs):
                return True
        return False


def _at_most_twice(positions: list[int]) -> list[int]:
    return [each for each, times in Counter(positions).items() for _ in range(min(times, 2))]


def _ascii(characters: Iterable[int]) -> int:
    return sum(1 << code for code in characters)


_DIGITS = _ascii(range(48, 58))
_SPACES = _ascii([*range(9, 14), *range(28, 33)])
_WORDS = _DIGITS | _ascii([*range(65, 91), *range(97, 123), 95])
_CATEGORIES = {
    "DIGIT": _DIGITS,
    "NOT_DIGIT": _ALL & ~_DIGITS,
    "SPACE": _SPACES | _OTHER,
    "NOT_SPACE": _ALL & ~_SPACES,
    "WORD": _WORDS | _OTHER,
    "NOT_WORD": _ALL & ~_WORDS,
}


def _components(following: list[list[int]]) -> list[list[int]]:
    """The strongly connected components that hold a cycle (Tarjan's algorithm, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    held: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(following)):
        if root in index:
            continue
        work = [(root, 0)]
        while work:
            node, n = work.pop()
            if n == 0:
                index[node] = low[node] = len(index)
                waiting.append(node)
                held.add(node)
            descended = False
            for m in range(n, len(following[node])):
                other = following[node][m]
                if other not in index:
                    work.append((node, m + 1))
                    work.append((other, 0))
                    descended = True
                    break
                if other in held:
                    low[node] = min(low[node], index[other])
            if descended:
                continue
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                component = []
                while True:
                    other = waiting.pop()
                    held.discard(other)
                    component.append(other)
                    if other == node:
                        break
                if len(component) > 1 or node in following[node]:
                    found.append(component)
    return found
