"""Where events go: a file of JSON lines, a logger, or whatever has `write`. An event is there before its answer is."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Literal, Protocol

from mcpexpose.model.jsonform import to_json

if TYPE_CHECKING:
    import logging
    from pathlib import Path

    from mcpexpose.model.event import Event

Fsync = Literal["never", "effects", "always"]


class Sink(Protocol):
    """Takes events. Raises whatever it likes where one cannot be kept; then calls with side effects are refused."""

    def write(self, event: Event, *, effects: bool) -> None:
        """Keeps one event; EFFECTS says that it is of a call that may change something."""
        ...


def line(event: Event) -> str:
    """One JSON object on one line, as `event.schema.json` has it; fields that say nothing are left out."""
    fields = {key: value for key, value in to_json(event).items() if value is not None}
    return json.dumps(fields, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


class FileSink:
    """Appends to the file at PATH, for its owner alone (0600); made, or made anew after a rotation, when need be.

    FSYNC "effects" waits for the disk where a call may change something, "always" for each event, "never" leaves it to
    the system: then a crash of the machine, not of the host, may lose the last ones.
    """

    def __init__(self, path: str | Path, *, fsync: Fsync = "effects") -> None:
        from pathlib import Path

        self.path = Path(path)
        self._fsync = fsync
        self._lock = threading.Lock()
        self._file = -1
        self._identity: tuple[int, int] | None = None
        self._torn = False

    def write(self, event: Event, *, effects: bool) -> None:
        """Appends one line. Raises OSError where it could not be written whole."""
        data = line(event).encode("ascii") + b"\n"
        with self._lock:
            self._open()
            # A line that a full disk cut short is ended first, so that it spoils no other.
            whole = b"\n" + data if self._torn else data
            written = os.write(self._file, whole)
            if written != len(whole):
                self._torn = True
                raise OSError("an event was not written whole")
            self._torn = False
            if self._fsync == "always" or (self._fsync == "effects" and effects):
                os.fsync(self._file)

    def close(self) -> None:
        """Closes the file; the next event opens it again."""
        with self._lock:
            self._shut()

    def _open(self) -> None:
        try:
            there = self.path.stat()
            same = self._identity == (there.st_dev, there.st_ino)
        except FileNotFoundError:
            same = False
        if same and self._file >= 0:
            return
        self._shut()
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        made = os.fstat(self._file)
        self._identity = (made.st_dev, made.st_ino)
        self._torn = made.st_size > 0 and not _ends_whole(self.path)
        if made.st_size == 0 and self._fsync != "never":
            from mcpexpose.bundle.exchange import sync_folder

            sync_folder(self.path.parent)

    def _shut(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file, self._identity = -1, None


class LoggerSink:
    """Hands each event to a logger of the standard library: its line as the message, its fields as `record.event`.

    Where the logger drops events of LEVEL, or nobody handles them, they count as not kept. A handler that fails later
    tells nobody: that is how `logging` is.
    """

    def __init__(self, logger: logging.Logger | None = None, level: int = 20) -> None:
        """LEVEL is one of `logging`'s; 20 is its INFO."""
        import logging

        self._logger = logger or logging.getLogger("mcpexpose.events")
        self._level = level

    def write(self, event: Event, *, effects: bool) -> None:
        """Logs one event. Raises OSError where nobody would hear it."""
        if not _is_heard(self._logger, self._level):
            raise OSError(f"the logger {self._logger.name} drops events of this level")
        self._logger.log(self._level, "%s", line(event), extra={"event": to_json(event)})


def _is_heard(logger: logging.Logger, level: int) -> bool:
    from logging import NullHandler

    if not logger.isEnabledFor(level):
        return False
    at: logging.Logger | None = logger
    while at is not None:
        if any(each.level <= level and not isinstance(each, NullHandler) for each in at.handlers):
            return True
        at = at.parent if at.propagate else None
    return False


def keep(sink: Sink | None, event: Event, *, effects: bool = False) -> bool:
    """Whether the event was kept; True where nobody wants events. Never raises for what a sink does."""
    if sink is None:
        return True
    try:
        sink.write(event, effects=effects)
    except Exception as error:
        import logging

        logging.getLogger(__name__).warning("an event could not be kept: %s", type(error).__name__)
        return False
    return True


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
