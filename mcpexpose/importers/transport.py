"""How a draft's server is reached: one transport, and the keys that go with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcpexpose.config import connect, texts
from mcpexpose.config.connect import HTTP_KEYS, STDIO_KEYS
from mcpexpose.importers import write
from mcpexpose.model.finding import Severity
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.importers.draft import Draft, Leaf, Notes
    from mcpexpose.importers.tree import Path

_KINDS = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamable_http": "http",
    "streamablehttp": "http",
    "remote": "remote",
    "sse": "sse",
}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_UNSPOKEN = frozenset({"ws", "websocket", "grpc", "unix"})


def settle(draft: Draft, entry: dict[str, Any], notes: Notes) -> bool:
    """Whether the server has a transport of ours; then the draft has that one alone, or is a fragment."""
    written = str(draft.values.pop("type", ""))
    hint = draft.values.pop("transport_hint", "")
    kind = _kind(draft, written, entry, notes)
    if kind is None:
        return False
    command, url = draft.leaves.get(("command",)), draft.leaves.get(("url",))
    if command is None and url is None:
        draft.is_fragment = True
        return True
    if command is not None and url is not None:
        lost, kept = (command, "url") if kind in ("http", "sse", "remote") or hint else (url, "command")
        said = f"is left out, since the server has a {kept} too"
        notes.of("import-value", draft, lost.path, said, f"Remove the {kept} if this was meant.", on="key")
        del draft.leaves[("command",) if kept == "url" else ("url",)]
    is_remote = ("url",) in draft.leaves
    if is_remote and (scheme := _SCHEME.match(draft.leaves["url",].raw)) and scheme[1].lower() not in ("http", "https"):
        said = f"has the scheme {shown(scheme[1], 30)}, which mcpexpose does not speak: the server is not imported"
        notes.of("import-value", draft, draft.leaves["url",].path, said, "Reach it over stdio or HTTP.")
        return False
    if kind and (kind == "stdio") == is_remote:
        said = f"says {shown(written, 30)}, and the server has a {'url' if is_remote else 'command'}, which counts"
        notes.of("import-value", draft, (*draft.path, _key_of_kind(entry)), said, "Mend the one that is wrong.")
    _drop_the_others(draft, is_remote, notes)
    if is_remote:
        _http_or_sse(draft, entry, kind, hint, notes)
    return True


def say_faults(drafts: Iterable[Draft], notes: Notes) -> None:
    """What a config cannot be, and the host's file has: said where it stands there, before lint refuses it here."""
    for draft in drafts:
        table = write.table(draft)
        base = ("mcp_servers", draft.written_as)
        for item in (*connect.check(base, table), *texts.check({"mcp_servers": {draft.written_as: table}})):
            found = item.finding
            tail = found.place.path[2:] if found.place else ()
            leaf = draft.leaves.get(tail)
            if found.severity is Severity.ERROR:
                said = f"is kept, and is at fault here: {found.message}"
                notes.of("import-value", draft, leaf.path if leaf else draft.path, said, found.advice, ours=tail)


def _kind(draft: Draft, written: str, entry: dict[str, Any], notes: Notes) -> str | None:
    """The normal form of what `type` says, "" where it says nothing; None for a transport that nobody here speaks."""
    known = _KINDS.get(written.lower(), "")
    if not written or known:
        return known
    path = (*draft.path, _key_of_kind(entry))
    if written.lower() in _UNSPOKEN:
        said = f"is {shown(written, 30)}, which mcpexpose does not speak: the server is not imported"
        notes.of("import-value", draft, path, said, "Reach it over stdio or HTTP.")
        return None
    said = f"is {shown(written, 30)}, which is no transport that is known: command or url tells it"
    notes.of("import-value", draft, path, said, "Mend it by hand.")
    return ""


def _key_of_kind(entry: dict[str, Any]) -> str:
    return "type" if "type" in entry else "transport"


def _drop_the_others(draft: Draft, is_remote: bool, notes: Notes) -> None:
    """Keys that belong to the other transport mean nothing to the host, and would be a fault here."""
    keys = STDIO_KEYS if is_remote else (*HTTP_KEYS, "bearer_token")
    gone: dict[Path, str] = {}
    for tail in [tail for tail in draft.leaves if tail[0] in keys]:
        leaf: Leaf = draft.leaves.pop(tail)
        depth = len(draft.path) + 1
        gone.setdefault(leaf.path[:depth], str(tail[0]))
    for key in [key for key in draft.values if key in keys]:
        del draft.values[key]
        gone.setdefault((*draft.path, key), key)
    for path in gone:
        said = f"means nothing for a server with a {'url' if is_remote else 'command'}"
        notes.of("import-unmapped", draft, path, said, "It is left out.", on="key")


def _http_or_sse(draft: Draft, entry: dict[str, Any], kind: str, hint: str, notes: Notes) -> None:
    url = draft.leaves["url",]
    if kind == "sse":
        why = "is HTTP+SSE"
    elif kind == "http" or hint == "http" or kind == "stdio":
        return
    elif draft.dialect.url == "sse":
        why = f"is HTTP+SSE to {draft.dialect.title}"
    elif draft.dialect.url == "auto" and _ends_in_sse(url.raw):
        why = "ends like one of HTTP+SSE, which the host tries as well"
    else:
        return
    draft.values["transport"] = "sse"
    path = (*draft.path, _key_of_kind(entry)) if kind == "sse" else url.path
    notes.of(
        "import-transport-deprecated", draft, path, f'{why}: the old transport is kept, as transport = "sse"',
        "Use the server's streamable HTTP address if it has one, without transport.", ours=("url",),
    )  # fmt: skip


def _ends_in_sse(url: str) -> bool:
    try:
        return urlsplit(url).path.rstrip("/").rpartition("/")[2].lower() == "sse"
    except ValueError:
        return False
