"""Results that were kept from a model, for whoever may look at them: only where a host asked for it (G16)."""

from __future__ import annotations

import json
import logging
import os
import uuid
from pathlib import Path
from typing import Any

_log = logging.getLogger(__name__)


LIMIT_BYTES = 256 << 20
"""Of a folder: a server may send as much as it likes, and a full disk stops everything else."""


class Evidence:
    """A folder for its owner alone (0700), one file a result (0600). The names tell nothing. Once its files have
    LIMIT_BYTES together, no more are kept until somebody takes some away.
    """

    def __init__(self, folder: str | Path, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = Path(folder)
        self._limit = limit_bytes

    def keep_value(self, value: Any) -> str | None:
        """The same of a JSON value, as far as it has a text: one that is nested without end has none."""
        try:
            return self.keep(json.dumps(value, default=repr).encode("ascii"))
        except (ValueError, RecursionError):
            return None

    def keep(self, data: bytes) -> str | None:
        """The name of the file that holds DATA now; None where it could not be written, which is logged."""
        name = f"{uuid.uuid4().hex}.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.folder.chmod(0o700)
            if sum(file.stat().st_size for file in self.folder.iterdir()) + len(data) > self._limit:
                _log.warning("a result was not kept as evidence: the folder is full")
                return None
            self._write(self.folder / name, data)
        except OSError as error:
            _log.warning("a result could not be kept as evidence: %s", error.strerror)
            return None
        return name

    def _write(self, path: Path, data: bytes) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
        except OSError:  # half of it is no evidence
            path.unlink(missing_ok=True)
            raise
