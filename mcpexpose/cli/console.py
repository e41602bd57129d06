"""The way out: data to stdout, chatter to stderr, reports to files; colour and width as the receiver wants them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mcpexpose.model.errors import InputMissing
from mcpexpose.model.text import shown
from mcpexpose.report.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

READ_BY_PEOPLE = frozenset({"text", "concise"})
"""Formats that are laid out for the receiver; all others are UTF-8 and LF everywhere."""
PLAIN_WIDTH = 100
"""Columns of what is no terminal."""
_WIDEST, _NARROWEST = 120, 60


def screen(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> Screen:
    """How to lay out a text for STREAM (stdout): a terminal's width and colour, or 100 plain columns."""
    stream = sys.stdout if stream is None else stream
    environ = os.environ if environ is None else environ
    terminal = stream.isatty()
    try:
        width = int(environ.get("COLUMNS", ""))
    except ValueError:
        width = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns if terminal else PLAIN_WIDTH
    return Screen(
        width=min(max(width, _NARROWEST), _WIDEST),
        colour=_colour(terminal, environ),
        encoding=stream.encoding or "utf-8",
    )


def page() -> Screen:
    """How to lay out a text for a file."""
    return Screen(PLAIN_WIDTH, colour=False, encoding="utf-8")


def out(text: str) -> None:
    """Data for a reader. A reader that went away (`| head`) is no error. Raises InputMissing where stdout is full."""
    try:
        sys.stdout.write(_inert(text))
        sys.stdout.flush()
    except BrokenPipeError:
        to_nowhere(sys.stdout)
    except OSError as error:
        to_nowhere(sys.stdout)
        raise InputMissing(f"stdout cannot be written: {error.strerror}") from None


def is_delivered() -> bool:
    """Whether all that was printed so far has left; what cannot leave is thrown away, lest the exit trip over it."""
    try:
        sys.stdout.flush()
    except OSError:
        to_nowhere(sys.stdout)
        return False
    return True


def out_machine(text: str) -> None:
    """Data for a program: UTF-8 and LF on every system."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        out(text)
        return
    try:
        sys.stdout.flush()
        buffer.write(text.encode("utf-8", "backslashreplace"))
        buffer.flush()
    except BrokenPipeError:
        to_nowhere(sys.stdout)
    except OSError as error:
        to_nowhere(sys.stdout)
        raise InputMissing(f"stdout cannot be written: {error.strerror}") from None


def put(form: str, text: str) -> None:
    """A report to stdout, for a reader or a program as its format is."""
    (out if form in READ_BY_PEOPLE else out_machine)(text)


def say(text: str) -> None:
    """A line of chatter, to stderr; printed as it is, so text of servers passes `shown` before."""
    try:
        encoding = sys.stderr.encoding or "utf-8"
        sys.stderr.write(_inert(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stderr.flush()
    except OSError:
        to_nowhere(sys.stderr)


def progress(text: str) -> None:
    """What a long work is at, in a line that the next one replaces and "" takes away; on a terminal alone."""
    if sys.stderr.isatty():
        with contextlib.suppress(OSError, UnicodeEncodeError):
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


def chatty() -> bool:
    """Whether hints are of use: a person reads both streams."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def write_files(files: Iterable[tuple[Path, Callable[[], str]]]) -> None:
    """Reports to files, each as far as it can be written. Raises InputMissing, naming all that cannot be."""
    failed = []
    for path, made in files:
        try:
            write_file(path, made())
        except InputMissing as missing:
            failed.append(str(missing))
    if failed:
        raise InputMissing("; ".join(failed))


def write_file(path: Path, text: str) -> None:
    """A report to a file, UTF-8 and LF. Raises InputMissing where it cannot be written."""
    try:
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, ValueError):
            raise InputMissing(f"{shown(str(path))} is no path") from None
        raise InputMissing(f"{shown(str(path))} cannot be written: {error.strerror}") from None


def name_of(path: Path) -> str:
    """PATH as people would type it: relative to where they are, if it lies below; forward slashes."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return path.as_posix()


def _colour(terminal: bool, environ: Mapping[str, str]) -> bool:
    """https://no-color.org, https://force-color.org and https://bixense.com/clicolors, the first that says anything."""
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return terminal and environ.get("TERM") != "dumb" and environ.get("CLICOLOR") != "0"


def _inert(text: str) -> str:
    """TEXT as the log of a job at GitHub may hold it: there a line is a command that opens with `::`, or has `##[`."""
    if os.environ.get("GITHUB_ACTIONS") != "true" or not ("::" in text or "##[" in text):
        return text
    return re.sub(r"^(\s*):(?=:)", r"\1\\u{3A}", text, flags=re.MULTILINE).replace("##[", "#\\u{23}[")


def to_nowhere(stream: TextIO) -> None:
    """What is still written to a stream that nobody reads is thrown away."""
    # The interpreter flushes at exit and would complain of the closed pipe once more.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
