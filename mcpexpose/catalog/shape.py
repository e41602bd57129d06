"""From the text of a catalog file to a Catalog: ours, a stored `tools/list` result, or a whole JSON-RPC answer."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from mcpexpose.catalog.jsontext import MAX_DEPTH, JsonTooDeep, JsonTrouble, line_and_column, read
from mcpexpose.catalog.unfold import MAX_BYTES, NotText, TooLarge
from mcpexpose.model.catalog import CATALOG_FORMAT, Catalog, revision_of
from mcpexpose.model.entry import bad_entry, entry_fault, json_kind
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.freshness import parse_stamp
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST_STAMP = 64
_LONGEST_TTL_MS = 10**15
"""Thirty thousand years; a server may send any number of digits, and nobody divides by them."""
_MOST_TOLD = 100
"""Entries that are no tools, of one catalog, with a finding each; a file has room for millions."""


class _Refused(Exception):
    """The file gives no catalog, for the reason of the finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def parse(text_of: Callable[[], str], server: str, file: str) -> tuple[Catalog | None, tuple[Finding, ...]]:
    """SERVER's catalog out of the text that TEXT_OF gives, and what is wrong with it. FILE is how findings name it.

    TEXT_OF may raise what `unfold.read_text` raises. Entries that are no tools are left out and found.
    """
    try:
        document = _document(text_of, server, file)
        head, root = _head(document, server, file)
        return _catalog(head, root, server, file)
    except _Refused as refused:
        return None, (refused.finding,)


def _document(text_of: Callable[[], str], server: str, file: str) -> Any:
    again = f"Run `mcpexpose capture {shown(shlex.quote(server))}`."
    try:
        text = text_of()
    except TooLarge:
        raise _refusal(
            "catalog-too-large", f"{shown(file)} holds more than {MAX_BYTES // 2**20} MiB", server, file, again
        ) from None
    except NotText as error:
        location = None
        if error.line is not None and error.column is not None:
            location = Location(file, error.line, error.column, error.line, error.column + 1)
        raise _refusal(
            "catalog-invalid-json", f"{shown(file)}: {error.message}", server, file, again, location=location
        ) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise _refusal("catalog-missing", f"{shown(file)} cannot be read: {why}", server, file, again) from None
    try:
        return read(text)
    except JsonTrouble as error:
        line, column = line_and_column(text, error.offset)
        location = Location(file, line, column, line, column + 1)
        raise _refusal(
            "catalog-invalid-json",
            f"{shown(file)}: {shown(error.message, 200)}",
            server,
            file,
            again,
            location=location,
        ) from None
    except JsonTooDeep:
        raise _refusal(
            "catalog-too-deep", f"{shown(file)} is nested deeper than {MAX_DEPTH:,} levels", server, file, again
        ) from None


def _head(document: Any, server: str, file: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The object that holds `tools`, and the path to it."""
    if not isinstance(document, dict):
        raise _invalid(f"{shown(file)} holds {json_kind(document)}, not an object with `tools`", server, file)
    if "tools" not in document and "jsonrpc" in document:
        if "error" in document:
            raise _invalid(f"{shown(file)} holds a server's error, not its tools", server, file, ("error",))
        if isinstance(document.get("result"), dict):
            return document["result"], ("result",)
    return document, ()


def _catalog(
    head: Mapping[str, Any], root: tuple[str, ...], server: str, file: str
) -> tuple[Catalog, tuple[Finding, ...]]:
    if "tools" not in head:
        raise _invalid(f"{shown(file)} has no `tools`", server, file, root)
    _check_fields(head, root, server, file)
    findings: list[Finding] = []
    stamp = _stamp(head, root, server, file, findings)
    tools, indices = _tools(head["tools"], root, server, file, findings)
    try:
        revision = revision_of(server, tools)
    except ValueError as error:  # a value that the strict reader let through and that has no canonical form
        raise _refusal("catalog-invalid-json", f"{shown(file)}: {error}", server, file) from None
    ttl = _first(head, "ttl_ms", "ttlMs")
    scope = _first(head, "cache_scope", "cacheScope")
    catalog = Catalog(
        server=server,
        tools=tools,
        file=file,
        indices=indices,
        captured_at=stamp,
        protocol=head.get("protocol"),
        server_info=_first(head, "server_info", "serverInfo"),
        instructions=head.get("instructions"),
        ttl_ms=None if ttl is None else min(max(ttl, 0), _LONGEST_TTL_MS),
        cache_scope=scope,
        revision=revision,
    )
    return catalog, tuple(findings)


def _check_fields(head: Mapping[str, Any], root: tuple[str, ...], server: str, file: str) -> None:
    """What else stands beside `tools` is another program's; what bears one of our names has our type."""

    def wrong(key: str, wanted: str) -> _Refused:
        return _invalid(
            f"{shown(file)}: `{key}` is {json_kind(head[key])}, where {wanted} is wanted", server, file, (*root, key)
        )

    if not isinstance(head["tools"], list):
        raise wrong("tools", "an array")
    for key in ("server", "protocol", "instructions"):
        if not isinstance(head.get(key), str | None):
            raise wrong(key, "a string")
    for key in ("server_info", "serverInfo"):
        if not isinstance(head.get(key), dict | None):
            raise wrong(key, "an object")
    for key in ("ttl_ms", "ttlMs"):
        if not isinstance(head.get(key), int | None) or isinstance(head.get(key), bool):
            raise wrong(key, "a whole number")
    for key in ("cache_scope", "cacheScope"):
        if head.get(key) not in (None, "public", "private"):
            raise wrong(key, '"public" or "private"')
    version = head.get("format")
    if version is not None and (type(version) is not int or version != CATALOG_FORMAT):
        found = version if type(version) is int else json_kind(version)
        raise _invalid(
            f"{shown(file)}: `format` is {found}, and this version reads {CATALOG_FORMAT}",
            server,
            file,
            (*root, "format"),
        )
    if head.get("server") not in (None, server):
        raise _refusal(
            "catalog-server-mismatch",
            f'{shown(file)} is the catalog of "{shown(head["server"], 100)}", not of "{shown(server)}"',
            server,
            file,
            f"Run `mcpexpose capture {shown(shlex.quote(server))}`, or put the file where it belongs.",
            (*root, "server"),
        )
    complete = head.get("complete", True)
    if not isinstance(complete, bool):
        raise wrong("complete", "true or false")
    if not complete or head.get("nextCursor") is not None:
        raise _refusal(
            "catalog-incomplete",
            f"{shown(file)} does not hold all tools of {shown(server)}: a page was left over",
            server,
            file,
            f"Run `mcpexpose capture {shown(shlex.quote(server))}`, which reads all pages.",
            (*root, "complete" if not complete else "nextCursor"),
        )


def _stamp(
    head: Mapping[str, Any], root: tuple[str, ...], server: str, file: str, findings: list[Finding]
) -> str | None:
    """As written; what is no string as its JSON text, so that it is never mistaken for a stamp, or for none."""
    if "captured_at" not in head:
        return None
    value = head["captured_at"]
    text = (value if isinstance(value, str) else json.dumps(value))[:_LONGEST_STAMP]
    if not isinstance(value, str) or parse_stamp(value) is None:
        findings.append(
            Finding(
                "catalog-bad-timestamp",
                Severity.ERROR,
                f"{shown(file)}: `captured_at` is {_as_json(value)}, no RFC 3339 time with a zone",
                (server,),
                'Capture again, or write it like "2026-11-30T12:00:00Z".',
                Place(file, (*root, "captured_at")),
            )
        )
    return text


def _as_json(value: Any) -> str:
    """A text in quotes, anything else as JSON has it; safe to print, and cut where it is long."""
    return f'"{shown(value, _LONGEST_STAMP)}"' if isinstance(value, str) else shown(json.dumps(value), _LONGEST_STAMP)


def _tools(
    entries: list[Any], root: tuple[str, ...], server: str, file: str, findings: list[Finding]
) -> tuple[tuple[Mapping[str, Any], ...], tuple[int, ...]]:
    tools: list[Mapping[str, Any]] = []
    indices: list[int] = []
    bad = 0
    for index, entry in enumerate(entries):
        if fault := entry_fault(entry):
            bad += 1
            if bad <= _MOST_TOLD:
                findings.append(bad_entry(server, index, fault, Place(file, (*root, "tools", index))))
        else:
            tools.append(entry)
            indices.append(index)
    if bad > _MOST_TOLD:
        findings.append(_more_bad(server, bad - _MOST_TOLD, Place(file, (*root, "tools"))))
    return tuple(tools), tuple(indices)


def _more_bad(server: str, count: int, place: Place) -> Finding:
    return Finding(
        "catalog-invalid",
        Severity.ERROR,
        f"{count:,} more entries of the tools of {shown(server)} are no tools either",
        (server,),
        "Have the server mended; the entries are left out.",
        place,
        details={"count": count},
    )


def _first(head: Mapping[str, Any], *keys: str) -> Any:
    return next((head[key] for key in keys if head.get(key) is not None), None)


def _invalid(message: str, server: str, file: str, path: tuple[str, ...] = ()) -> _Refused:
    advice = f"Run `mcpexpose capture {shown(shlex.quote(server))}`, or store the result of `tools/list`."
    return _refusal("catalog-invalid", message, server, file, advice, path)


def _refusal(
    slug: str,
    message: str,
    server: str,
    file: str,
    advice: str = "",
    path: tuple[str, ...] = (),
    *,
    location: Location | None = None,
) -> _Refused:
    return _Refused(Finding(slug, Severity.ERROR, message, (server,), advice, Place(file, path), location, details={}))
