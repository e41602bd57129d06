"""How a node of a config is named in findings: `github:deny[1]`, `policy.auto_approve[0]`, `mcp_servers.a`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.config.scan import Path

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dotted(path: Path) -> str:
    """A path from the top as TOML writes it: `mcp_servers."my.server".allow[0]`."""
    out = ""
    for step in path:
        if isinstance(step, int):
            out += f"[{step}]"
        else:
            out += ("." if out else "") + quoted(step)
    return out


def quoted(key: str) -> str:
    """A key as TOML writes it: bare where it can be, else in double quotes, safe to print."""
    if _BARE.fullmatch(key):
        return key
    return '"' + shown(key.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def subject_of(path: Path) -> str:
    """The subject of a finding about PATH: inside a server's table `server:key`, else the dotted path."""
    if len(path) > 2 and path[0] == "mcp_servers" and isinstance(path[1], str):
        return f"{path[1]}:{dotted(path[2:])}"
    return dotted(path)
