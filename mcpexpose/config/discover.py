"""Which config is meant: the named one, or the nearest, upward to the repository's root and not past it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.model.errors import InputMissing, NothingChecked
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VARIABLE = "MCPEXPOSE_CONFIG"
_SHARED = "config.toml"
"""A name that other programs give their files, too."""
_ROOT_MARKS = (".git", ".hg", ".jj")
_SERVERS = re.compile(r"""^[ \t]*\[{0,2}[ \t]*["']?mcp_servers["']?[ \t]*[.\]=]""", re.MULTILINE)

_ALMOST = re.compile(r"""^[ \t]*\[{0,2}[ \t]*["']?mcp[_-]?servers?["']?[ \t]*[.\]=]""", re.MULTILINE | re.IGNORECASE)
"""Our table under a name that is almost its own: `[mcpServers.a]`, `[mcp-server.a]`."""


def find(start: Path, explicit: Path | None, environ: Mapping[str, str]) -> Path:
    """The config for the folder START.

    EXPLICIT, then $MCPEXPOSE_CONFIG, are taken at their word: a file, or a folder that holds a config. Else the nearest
    `mcpexpose.toml`, `.mcpexpose/config.toml`, or `config.toml` that has `[mcp_servers]`, in this order in each folder
    from START up to the root of its repository; without a repository in START alone. Where none has it, a `config.toml`
    with a name that is almost that is found, to be told of. Raises InputMissing where a named one is not there,
    NothingChecked where none is found.
    """
    named = explicit if explicit is not None else _from_environment(start, environ)
    whose = "" if explicit is not None else f" (${VARIABLE} names it)"
    if named is not None:
        if named.is_dir():
            found = in_folder(named)
            if found is None:
                raise NothingChecked(f"no config in {shown(str(named))}{whose}")
            return found
        if not named.exists():
            raise InputMissing(f"{shown(str(named))} is not there{whose}")
        return named
    start = start.resolve()
    folders = _upward(start)
    for folder in folders:
        if found := in_folder(folder):
            return found
    for folder in folders:
        if (almost := folder / _SHARED).is_file() and _holds(almost, _ALMOST):
            return almost
        if trouble := _trouble(folder / _SHARED):
            raise InputMissing(f"{shown(str(folder / _SHARED))} cannot be read, so it may be the config: {trouble}")
    raise NothingChecked(
        f"no mcpexpose.toml, .mcpexpose/config.toml, or config.toml with [mcp_servers] in {shown(str(start))}"
        " or above it, as far as its repository reaches; `mcpexpose init` writes one, --config names another"
    )


def in_folder(folder: Path) -> Path | None:
    """The config of one folder; None where it has none."""
    for candidate in (folder / "mcpexpose.toml", folder / ".mcpexpose" / "config.toml"):
        if candidate.is_file():
            return candidate
    shared = folder / _SHARED
    return shared if shared.is_file() and _holds(shared, _SERVERS) else None


def _from_environment(start: Path, environ: Mapping[str, str]) -> Path | None:
    named = environ.get(VARIABLE, "")
    return start / named if named else None


def _upward(start: Path) -> list[Path]:
    folders: list[Path] = []
    for folder in (start, *start.parents):
        folders.append(folder)
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return folders
    return [start]


def _trouble(path: Path) -> str:
    """Why a file that is there cannot be read; "" where it can, or is not there."""
    try:
        path.open("rb").close()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or "unknown error"
    return ""


def _holds(path: Path, table: re.Pattern[str]) -> bool:
    """Whether the text has the TABLE; a file that is no TOML, or of another encoding, may have it too."""
    try:
        with path.open("rb") as file:
            data = file.read(4 * 1_048_576)
    except OSError:
        return False
    text = data.replace(b"\0", b"").decode("utf-8", "replace").lstrip("\ufeff\ufffd").replace("\r", "\n")
    return table.search(text) is not None
