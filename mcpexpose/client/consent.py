"""Before anything is run or called: what it is, and whether somebody agreed to exactly this before."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpexpose.client.target import address
from mcpexpose.model import caches
from mcpexpose.model.canonical import digest, readable
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mcpexpose.client.target import Target

_FILE = "consent.json"
_MAX_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Ask:
    """What would be run or called for one server."""

    server: str
    line: str
    """For people, escaped: a command line with its references as names, or an address without credentials."""
    digest: str
    """Of all that decides what is run: command, arguments, folder, variables; or address and names of headers."""


def ask_of(target: Target, conceal: Callable[[Sequence[str]], Sequence[str]] = list) -> Ask:
    """The question about TARGET. CONCEAL strikes literal credentials out of words that stand in this order."""
    transport = target.transport
    folder = str(target.base.absolute() / transport.cwd)
    if transport.kind == "stdio":
        words = [transport.command, *transport.args]
        line = " ".join(_word(word) for word in conceal(words))
        own = transport.env or {}
        names = sorted([*own, *transport.env_vars])
        said = f"{line}  (in {folder}" + (f", with {', '.join(names)})" if names else ")")
        key: list[Any] = ["stdio", transport.command, list(transport.args), folder, names, dict(own)]
    else:
        said = conceal([address(transport.url)])[0]
        headers = sorted([*(transport.headers or {}), *(transport.env_headers or {})])
        key = [transport.kind, address(transport.url), headers, transport.bearer_token_env_var]
    return Ask(target.server, shown(said), digest(key))


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where this user's consent is kept: MCPEXPOSE_STATE_DIR, else `mcpexpose` in XDG_STATE_HOME."""
    if own := environ.get("MCPEXPOSE_STATE_DIR"):
        return Path(own)
    if xdg := environ.get("XDG_STATE_HOME"):
        return Path(xdg) / "mcpexpose"
    return Path(environ.get("HOME") or str(Path.home())) / ".local" / "state" / "mcpexpose"


def remembered(folder: Path) -> frozenset[str]:
    """The digests that this user agreed to; none where the memory is not there, cannot be read, or may be another's."""
    try:
        stored = json.loads(caches.read_own(folder / _FILE, _MAX_BYTES))
        return frozenset(entry for entry in stored["agreed"] if isinstance(entry, str))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return frozenset()


def remember(folder: Path, asks: Iterable[Ask]) -> None:
    """Add ASKS to the memory, for this user alone. Raises OSError where it cannot be written."""
    agreed = sorted(remembered(folder) | {ask.digest for ask in asks})
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(prefix=".", dir=folder)  # only this user may read it
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(readable({"agreed": agreed, "version": 1}))
        os.replace(temporary, folder / _FILE)  # noqa: PTH105 - a name as mkstemp gives it
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _word(text: str) -> str:
    """TEXT as a shell would need it, but with references left as people wrote them."""
    return text if text and all(char.isalnum() or char in "@%+=:,./-_${}" for char in text) else shlex.quote(text)
