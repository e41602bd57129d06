"""Ids of servers, and names of groups and profiles: which cannot be, and which hosts would change."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, fault, warning
from mcpexpose.config.subjects import quoted
from mcpexpose.model.reserved import is_reserved_server_id
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PORTABLE = re.compile(r"[A-Za-z0-9_-]+")


def check(own: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults of every name that the config gives."""
    servers = own.get("mcp_servers")
    if isinstance(servers, dict):
        for server_id in servers:
            yield from check_server_id(server_id)
    for table in ("groups", "profiles"):
        names = own.get(table)
        for name in names if isinstance(names, dict) else ():
            if not name.strip():
                path = (table, name)
                yield fault("config-invalid", path, f"[{table}] has an empty name", "Name it.", on="key", drop=path)


def check_server_id(server_id: str) -> Iterator[Fault]:
    """Faults of one id, as it stands in `[mcp_servers.ID]`."""
    path = ("mcp_servers", server_id)
    name = shown(server_id, 80)
    trouble = _invalid(server_id)
    if trouble:
        message = f"the server id {quoted(server_id)} {trouble}"
        advice = "Use letters, digits, - and _."
        yield fault("server-id-invalid", path, message, advice, on="key", subject=server_id, drop=path)
        return
    if not _PORTABLE.fullmatch(server_id):
        odd = "".join(dict.fromkeys(char for char in server_id if not _PORTABLE.fullmatch(char)))
        message = f'the server id "{name}" holds characters that hosts replace: {_listed(odd)}'
        advice = "Use letters, digits, - and _, so that every host shows one name."
        yield warning("server-id-not-portable", path, message, advice, on="key", subject=server_id)
    if "__" in server_id or server_id.startswith("_") or server_id.endswith("_"):
        message = f'the server id "{name}" cannot be told from the separator `__` of exposed names'
        advice = "Use single underscores, and none at the ends."
        yield warning("server-id-separator", path, message, advice, on="key", subject=server_id)
    if is_reserved_server_id(server_id):
        message = f'the server id "{name}" is a name that hosts keep for themselves'
        advice = f"Choose another id, {name}-server for one."
        yield fault("reserved-name", path, message, advice, on="key", subject=server_id)


def is_possible(server_id: str) -> bool:
    """Whether a server can have this id at all."""
    return not _invalid(server_id)


def _invalid(server_id: str) -> str:
    if not server_id:
        return "is empty"
    if not server_id.strip():
        return "is blank"
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in server_id):
        return "holds control characters"
    if server_id in (".", ".."):
        return "is a path"
    if "/" in server_id or "\\" in server_id:
        return "holds a path separator"
    if len(server_id) > 128:
        return "is longer than 128 characters"
    return ""


def _listed(characters: str) -> str:
    return " ".join("blank" if char == " " else shown(char) for char in characters[:8])
