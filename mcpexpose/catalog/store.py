"""Catalogs on disk: read strictly, written atomically."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from mcpexpose.catalog.atomic import replace
from mcpexpose.catalog.names import candidates, file_name
from mcpexpose.catalog.shape import parse
from mcpexpose.catalog.unfold import read_text
from mcpexpose.model.canonical import readable
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcpexpose.model.catalog import Catalog

__all__ = ["dump", "file_name", "load", "load_one", "path_of", "read_text", "write", "write_bytes"]


def load(
    folder: Path, servers: Iterable[str], *, folder_name: str = "catalogs"
) -> tuple[dict[str, Catalog], tuple[Finding, ...]]:
    """The catalogs of SERVERS by id, and what is wrong with them; a server without a usable one is absent.

    Only the files of SERVERS are opened. FOLDER_NAME is how findings name the folder. Nothing is raised for what a
    file holds, or for one that is not there.
    """
    catalogs: dict[str, Catalog] = {}
    findings: list[Finding] = []
    for server in servers:
        catalog, found = load_one(folder, server, folder_name=folder_name)
        findings += found
        if catalog is not None:
            catalogs[server] = catalog
    return catalogs, tuple(findings)


def load_one(folder: Path, server: str, *, folder_name: str = "catalogs") -> tuple[Catalog | None, tuple[Finding, ...]]:
    """The same for one server."""
    path = path_of(folder, server)
    if path is None:
        file = f"{folder_name}/{file_name(server)}"
        return None, (_unreadable(server, file, folder_name) if _is_closed(folder) else _missing(server, file),)
    name = f"{folder_name}/{path.name}"
    return parse(lambda: read_text(path), server, name)


def path_of(folder: Path, server: str) -> Path | None:
    """The file that holds SERVER's catalog, compressed or not; None where there is none."""
    for name in candidates(server):
        path = folder / name
        if os.path.lexists(path):
            return path
    return None


def dump(catalog: Catalog) -> bytes:
    """The file's bytes: readable JSON, the tools sorted by name; fields without a value are left out.

    Raises ValueError for what has no place in a catalog: NaN, lone surrogates, thousands of levels.
    """
    fields = {
        "format": catalog.format,
        "server": catalog.server,
        "captured_at": catalog.captured_at,
        "protocol": catalog.protocol,
        "server_info": catalog.server_info,
        "instructions": catalog.instructions,
        "ttl_ms": catalog.ttl_ms,
        "cache_scope": catalog.cache_scope,
        "complete": catalog.complete,
        "tools": sorted((dict(tool) for tool in catalog.tools), key=lambda tool: str(tool["name"])),
    }
    try:
        return readable({key: value for key, value in fields.items() if value is not None})
    except RecursionError:
        raise ValueError("nested too deep to be written") from None


def write(folder: Path, catalog: Catalog) -> Path:
    """`dump` CATALOG to its file in FOLDER, in one step; an older file stays till then. Returns the path.

    Raises InputMissing where the folder cannot be written, and ValueError as `dump` does.
    """
    return write_bytes(folder, catalog.server, dump(catalog))


def write_bytes(folder: Path, server: str, data: bytes) -> Path:
    """The same for bytes that `dump` gave. A compressed or otherwise named older catalog of SERVER is removed."""
    path = folder / file_name(server)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace(path, data)
        for name in candidates(server)[1:]:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise InputMissing(f"{shown(path.name)} cannot be written: {error.strerror or 'unknown error'}") from error
    return path


def _is_closed(folder: Path) -> bool:
    """Whether a folder is there whose files nobody here can see."""
    return folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK)


def _unreadable(server: str, file: str, folder: str) -> Finding:
    return Finding(
        "catalog-missing",
        Severity.ERROR,
        f"{shown(server)} has no usable catalog: the folder {shown(folder)} cannot be read",
        (server,),
        "Give yourself the right to read and enter it.",
        Place(file),
    )


def _missing(server: str, file: str) -> Finding:
    return Finding(
        "catalog-missing",
        Severity.ERROR,
        f"{shown(server)} was never captured: there is no {shown(file)}",
        (server,),
        f"Run `mcpexpose capture {shown(shlex.quote(server))}`.",
        Place(file),
    )
