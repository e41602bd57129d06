"""Matching a pattern of a schema within a time: at once where that is cheap, else in a process that can be ended.

Python's matcher cannot be interrupted, and holds every thread up while it backtracks. So what might take long runs
elsewhere, and nobody else waits for it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import re
import select
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mcpexpose.toolschema import patterns

# The parser has been `re._parser` since Python 3.11; it has no public name.
from re import _constants as _op  # type: ignore[attr-defined]  # isort: skip
from re import _parser  # type: ignore[attr-defined]  # isort: skip

_BITS_AT_ONCE = 20.0
"""Attempts of a matcher that are made in place, as a power of two: some hundredths of a second."""
_LOOP = 8
"""A repetition that may run this often counts as one without end."""
_IDLE = 2
"""Processes that are kept for the next pattern."""
_START_S = 10.0
"""For a process to say that it is there, on a machine that is busy."""


class MatchTimeout(Exception):
    """The pattern was not matched in the time there was."""


def is_cheap(pattern: str, length: int, bits: float = _BITS_AT_ONCE) -> bool:
    """Whether PATTERN is matched against any text of LENGTH characters in few steps, whatever the text holds.

    BITS says how many are few, as a power of two.
    """
    cost = _cost(pattern)
    return cost is not None and cost.loops * math.log2(max(length, 2)) + cost.bits <= bits


def search(pattern: str, text: str, deadline: float) -> bool:
    """Whether PATTERN, as ECMA-262 reads it, occurs in TEXT. DEADLINE is of `time.monotonic()`.

    Raises MatchTimeout, and what `re.compile` raises for what is no pattern.
    """
    if is_cheap(pattern, len(text)):
        return patterns.compiled(pattern).search(text) is not None
    return _elsewhere(patterns.compiled(pattern).pattern, text, deadline)


@dataclass(frozen=True, slots=True)
class _Cost:
    """A bound of a matcher's attempts: the length of the text to the power of `loops`, times two to that of `bits`."""

    loops: int = 0
    bits: float = 0.0
    empty: bool = True
    """Whether the part can match nothing."""


class _NoBound(Exception):
    pass


@lru_cache(maxsize=4096)
def _cost(pattern: str) -> _Cost | None:
    """None where there is no such bound, or nobody knows.

    A pattern that is not exponentially ambiguous has at most as many nested or consecutive choices of a place as it has
    endless repetitions. What can be empty within a repetition is not analysed, and counts as unknown.
    """
    if patterns.risk(pattern) or len(pattern) > patterns.ANALYSED_LENGTH:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(patterns.compiled(pattern).pattern)
        cost = _sum(parsed)
    except (re.error, RecursionError, OverflowError, _NoBound):
        return None
    anchored = bool(parsed) and parsed[0][0] is _op.AT and parsed[0][1] in (_op.AT_BEGINNING, _op.AT_BEGINNING_STRING)
    return _Cost(cost.loops + (0 if anchored else 1), cost.bits)


def _sum(items: Any) -> _Cost:
    """Of parts one after the other: each choice may meet each other one."""
    parts = [_part(code, argument) for code, argument in items]
    empty = all(part.empty for part in parts)
    return _Cost(sum(part.loops for part in parts), sum(part.bits for part in parts), empty)


def _part(code: Any, argument: Any) -> _Cost:
    if code in (_op.LITERAL, _op.NOT_LITERAL, _op.ANY, _op.IN):
        return _Cost(empty=False)
    if code is _op.AT:
        return _Cost()
    if code is _op.SUBPATTERN:
        return _sum(argument[3])
    if code is _op.ATOMIC_GROUP:
        return _sum(argument)
    if code in (_op.ASSERT, _op.ASSERT_NOT):
        inside = _sum(argument[1])
        return _Cost(inside.loops, inside.bits)
    if code is _op.BRANCH:
        ways = [_sum(way) for way in argument[1]]
        bits = max(way.bits for way in ways) + math.log2(len(ways))
        return _Cost(max(way.loops for way in ways), bits, any(way.empty for way in ways))
    if code in (_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT):
        return _repeat(argument[0], argument[1], _sum(argument[2]))
    raise _NoBound  # back references, and what a later Python brings


def _repeat(low: int, high: Any, body: _Cost) -> _Cost:
    if high is _op.MAXREPEAT or high >= _LOOP:
        if body.empty:
            raise _NoBound
        return _Cost(body.loops + 1, body.bits, low == 0)
    if body.empty and high > 1:
        raise _NoBound
    return _Cost(body.loops * high, body.bits * high + math.log2(high - low + 1), body.empty or low == 0)


# A child that knows `re` and `json` and nothing of us: the pattern comes in Python's spelling.
_CHILD = """\
import json, re, sys, warnings
warnings.simplefilter("ignore")
print("there", flush=True)
for line in sys.stdin:
    pattern, text = json.loads(line)
    print("1" if re.search(pattern, text) else "0", flush=True)
"""


class _Matcher:
    """One such process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            close_fds=True,
        )
        self.owner = os.getpid()
        try:
            self._line(time.monotonic() + _START_S)
        except MatchTimeout:
            self.end()
            raise

    def ask(self, pattern: str, text: str, deadline: float) -> bool:
        assert self._process.stdin is not None
        message = json.dumps([pattern, text]).encode() + b"\n"
        # A process that waits for us reads all of it, however long: nothing is written before its answer.
        try:
            self._process.stdin.write(message)
            self._process.stdin.flush()
        except OSError:
            raise MatchTimeout from None
        return self._line(deadline) == b"1"

    def _line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        line = self._process.stdout.readline() if ready else b""
        if not line:
            raise MatchTimeout
        return line.strip()

    def end(self) -> None:
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._process.wait()


_idle: list[_Matcher] = []
_lock = threading.Lock()


def _elsewhere(pattern: str, text: str, deadline: float) -> bool:
    if sys.platform == "win32":  # which cannot wait for a pipe: a process for each
        return _once(pattern, text, deadline)
    with _lock:
        matcher = _idle.pop() if _idle else None
    if matcher is not None and matcher.owner != os.getpid():  # we are the child of a fork: it is not ours
        matcher = None
    if matcher is None:
        begun = time.monotonic()
        matcher = _Matcher()
        deadline += time.monotonic() - begun  # its start is not the pattern's time
    try:
        found = matcher.ask(pattern, text, deadline)
    except BaseException:
        matcher.end()
        raise
    with _lock:
        if len(_idle) < _IDLE:
            _idle.append(matcher)
            return found
    matcher.end()
    return found


def _once(pattern: str, text: str, deadline: float) -> bool:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=json.dumps([pattern, text]).encode() + b"\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(0.1, deadline - time.monotonic()),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MatchTimeout from None
    return done.stdout.split()[-1:] == [b"1"]


@atexit.register
def _end_all() -> None:
    with _lock:
        waiting, _idle[:] = [each for each in _idle if each.owner == os.getpid()], []
    for matcher in waiting:
        matcher.end()
