"""Results that were kept from a model, for whoever may look at them: only where a host asked for it (G16)."""

from __future__ import annotations

import json
import logging
import os
import uuid
from pathlib import Path
from typing import Any

_log = logging.getLogger(__name__)


class Evidence:
    """A folder for its owner alone (0700), one file a result (0600). The names tell nothing."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

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
            handle = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
        except OSError as error:
            _log.warning("a result could not be kept as evidence: %s", error.strerror)
            return None
        return name
