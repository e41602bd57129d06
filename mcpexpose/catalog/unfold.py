"""The text of a catalog file, unfolded where it is compressed, within a bound."""

from __future__ import annotations

import gzip
import stat
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


class TooLarge(ValueError):
    """More than MAX_BYTES, compressed or not; nothing beyond that was unfolded."""


class NotText(ValueError):
    """Not UTF-8, or no whole gzip file. `line` and `column` count from 1, where there is a place."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def read_text(path: Path) -> str:
    """The text of PATH without its byte order mark; a name that ends in `.gz` is unfolded.

    Raises TooLarge, NotText, and OSError for what is no readable regular file.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is no regular file")
    return decode(_read_gzip(path) if path.suffix == ".gz" else _read_plain(path))


def decode(data: bytes | bytearray) -> str:
    """UTF-8, a byte order mark taken off. Raises NotText."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise NotText("it is UTF-16, not UTF-8", 1, 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode("utf-8")) + 1
        raise NotText("it is not UTF-8", data.count(b"\n", 0, error.start) + 1, column) from None
    return text.removeprefix("\ufeff")


def _read_plain(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TooLarge
    return data


def _read_gzip(path: Path) -> bytearray:
    data = bytearray()
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                data += chunk
                if len(data) > MAX_BYTES:
                    raise TooLarge
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise NotText("it is no whole gzip file") from None
    return data
