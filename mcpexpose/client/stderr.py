"""The end of what a child wrote to stderr: kept for whoever asks, never in the child's way."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

_KEPT = 4_096


class StderrTail:
    """A pipe that is always drained, so that no flood stops the child. `file` is what the child writes to."""

    def __init__(self) -> None:
        self._tail = bytearray()
        self._lock = threading.Lock()

    def __enter__(self) -> StderrTail:
        reading, writing = os.pipe()
        self.file: TextIO = os.fdopen(writing, "w")
        # A daemon: a grandchild may hold the pipe open long after the server is gone.
        threading.Thread(target=self._drain, args=(reading,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    @property
    def text(self) -> str:
        """The last four KiB, as UTF-8 as far as it goes; raw."""
        with self._lock:
            return self._tail.decode("utf-8", "replace")

    def _drain(self, reading: int) -> None:
        try:
            while block := os.read(reading, 65_536):
                with self._lock:
                    self._tail += block
                    del self._tail[:-_KEPT]
        finally:
            os.close(reading)
