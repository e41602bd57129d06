"""Where this user's derived files are kept, outside of any project."""

from __future__ import annotations

import os
from pathlib import Path


def folder() -> Path | None:
    """MCPEXPOSE_STATE_DIR, else `mcpexpose` in XDG_CACHE_HOME or ~/.cache; None where there is no home."""
    if own := os.environ.get("MCPEXPOSE_STATE_DIR"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "mcpexpose"
    try:
        return Path.home() / ".cache" / "mcpexpose"
    except RuntimeError:
        return None
