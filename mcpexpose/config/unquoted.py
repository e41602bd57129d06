"""An id with a dot that stands in a header without quotes: `[mcp_servers.my.server]` is a table within a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.config.subjects import dotted

if TYPE_CHECKING:
    from mcpexpose.config.scan import Path

_MOST_DOTS = 8


def header(path: Path, value: Any) -> str:
    """The header that was meant, where the unknown key at PATH holds a server; "" where it holds anything else."""
    if len(path) != 3 or path[0] != "mcp_servers":
        return ""
    steps = [str(step) for step in path[1:]]
    while isinstance(value, dict) and len(steps) <= _MOST_DOTS:
        if "command" in value or "url" in value:
            return f"[{dotted(('mcp_servers', '.'.join(steps)))}]"
        if len(value) != 1:
            return ""
        [(step, value)] = value.items()
        steps.append(step)
    return ""
