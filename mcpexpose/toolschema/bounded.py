"""Matching a pattern of a schema within a time: at once where that is cheap, else in a process that can be ended.

Python's matcher cannot be interrupted, and holds every thread up while it backtracks. So what might take long runs
elsewhere, and nobody else waits for it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import select
import subprocess
import sys
import threading
import time
import warnings
from functools import lru_cache
from typing import Any

from mcpexpose.toolschema import patterns

# The parser has been `re._parser` since Python 3.11; it has no public name.
from re import _constants as _op  # type: ignore[attr-defined]  # isort: skip
from re import _parser  # type: ignore[attr-defined]  # isort: skip

STEPS_AT_ONCE = 1_000_000
"""Attempts of a matcher that are made in place: some hundredths of a second."""
_LOOP = 8
"""A repetition that may run this often counts as one without end."""
_IDLE = 2
"""Processes that are kept for the next pattern."""
_START_S = 10.0
"""For a process to say that it is there, on a machine that is busy."""


class MatchTimeout(Exception):
    """The pattern was not matched in the time there was."""


def is_cheap(pattern: str, length: int) -> bool:
    """Whether PATTERN is matched against any text of LENGTH characters in few steps, whatever the text holds."""
    loops = _loops(pattern)
    return loops is not None and max(length, 1) ** loops <= STEPS_AT_ONCE


def search(pattern: str, text: str, deadline: float) -> bool:
    """Whether PATTERN, as ECMA-262 reads it, occurs in TEXT. DEADLINE is of `time.monotonic()`.

    Raises MatchTimeout, and what `re.compile` raises for what is no pattern.
    """
    if is_cheap(pattern, len(text)):
        return patterns.compiled(pattern).search(text) is not None
    return _elsewhere(patterns.compiled(pattern).pattern, text, deadline)


@lru_cache(maxsize=4096)
def _loops(pattern: str) -> int | None:
    """The power of a text's length that bounds the steps; None where there is no such power, or nobody knows."""
    if patterns.risk(pattern) or len(pattern) > patterns.ANALYSED_LENGTH:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(patterns.compiled(pattern).pattern)
        count, back = _count(parsed)
    except (re.error, RecursionError, OverflowError):
        return None
    if back:
        return None
    anchored = bool(parsed) and parsed[0][0] is _op.AT and parsed[0][1] in (_op.AT_BEGINNING, _op.AT_BEGINNING_STRING)
    return count + (0 if anchored else 1)


def _count(items: Any) -> tuple[int, bool]:
    """How many endless repetitions there are, one inside another or one after the other; and any back reference."""
    loops, back = 0, False
    waiting = [items]
    while waiting:
        for code, argument in waiting.pop():
            if code in (_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT):
                loops += argument[1] is _op.MAXREPEAT or argument[1] >= _LOOP
                waiting.append(argument[2])
            elif code is _op.SUBPATTERN:
                waiting.append(argument[3])
            elif code is _op.BRANCH:
                waiting.extend(argument[1])
            elif code in (_op.ASSERT, _op.ASSERT_NOT):
                waiting.append(argument[1])
            elif code is _op.ATOMIC_GROUP:
                waiting.append(argument)
            elif code in (_op.GROUPREF, _op.GROUPREF_EXISTS, _op.GROUPREF_IGNORE):
                back = True
    return loops, back


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
