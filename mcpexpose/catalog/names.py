"""The file that holds a server's catalog: no id leads out of the folder, and no file system folds two into one."""

from __future__ import annotations

import hashlib
import os
import re

_PLAIN = re.compile(r"[a-z0-9_-][a-z0-9._-]*")
_ODD = re.compile(r"[^a-z0-9_-]")
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)
_LONGEST = 100
_ON_WINDOWS = os.name == "nt"


def file_name(server: str) -> str:
    """`<id>.json`; for an id that is not plain everywhere, its cleaned form, `~` and 8 hex of its SHA-256."""
    device = server.partition(".")[0] in _DEVICES
    if _PLAIN.fullmatch(server) and len(server) <= _LONGEST and not device:
        return f"{server}.json"
    cleaned = _ODD.sub("_", server.lower())[:_LONGEST]
    return f"{cleaned}~{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}.json"


def candidates(server: str) -> tuple[str, ...]:
    """The names under which SERVER's catalog is looked for, best first."""
    own = file_name(server)
    names = [own, f"{own}.gz"]
    if own != f"{server}.json" and _is_safe(server):
        names += [f"{server}.json", f"{server}.json.gz"]
    return tuple(names)


def _is_safe(component: str) -> bool:
    """Whether `<id>.json` is one file of the folder here; Windows reads more into a name than others do."""
    return (
        bool(component.strip())
        and component not in (".", "..")
        and not any(char in "/\\" or ord(char) < 32 for char in component)
        and not any("\ud800" <= char <= "\udfff" for char in component)
        and len(component.encode("utf-8")) <= 200
        and not (_ON_WINDOWS and (set(component) & set(':*?"<>|') or component.partition(".")[0].lower() in _DEVICES))
    )
