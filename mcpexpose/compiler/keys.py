"""How a key of a config is written in messages, subjects and the plan."""

from __future__ import annotations

import json
import re

_BARE = re.compile(r"[A-Za-z0-9_-]+")

Path = tuple[str | int, ...]


def written(path: Path) -> str:
    """A path as people write it: `mcp_servers.github.tools."get_*".exposure`, `policy.auto_approve[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False))
    return text


def entry(path: Path, value: str) -> str:
    """An entry of a list, by its text and not by its place: `policy.auto_approve "read_only"`."""
    return f"{written(path)} {json.dumps(value, ensure_ascii=False)}"


def subject(path: Path) -> str:
    """What a finding about a node is about: `server:key` inside a server's table, else the dotted path."""
    if len(path) > 2 and path[0] == "mcp_servers":
        return f"{path[1]}:{written(path[2:])}"
    return written(path)
