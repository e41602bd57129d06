"""`mcpexpose.lock` on disk: read strictly, made from what is at hand, written in one step."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any

from mcpexpose.catalog.atomic import replace
from mcpexpose.catalog.jsontext import JsonTooDeep, JsonTrouble, line_and_column
from mcpexpose.catalog.jsontext import read as read_json
from mcpexpose.catalog.unfold import MAX_BYTES, NotText, TooLarge, read_text
from mcpexpose.model.canonical import readable
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.jsonform import from_json, to_json
from mcpexpose.model.lock import LOCK_FORMAT, LOCK_NAME, Lock, LockedServer, LockedTool
from mcpexpose.model.text import shown
from mcpexpose.toolschema.review import reviewed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import ToolDecision


def read(path: Path, name: str = LOCK_NAME) -> tuple[Lock | None, tuple[Finding, ...]]:
    """The lock, or what is wrong with it; neither where there is no file. Raises nothing for what the file holds."""
    try:
        value = read_json(read_text(path))
    except FileNotFoundError:
        return None, ()
    except TooLarge:
        return None, (_broken(name, f"it has more than {MAX_BYTES // 2**20} MiB"),)
    except NotText as trouble:
        return None, (_broken(name, trouble.message, trouble.line, trouble.column),)
    except JsonTrouble as trouble:
        return None, (_broken(name, trouble.message, *line_and_column(read_text(path), trouble.offset)),)
    except JsonTooDeep as trouble:
        return None, (_broken(name, str(trouble)),)
    except OSError as error:
        return None, (_broken(name, f"it cannot be read: {error.strerror or error}"),)
    return _parse(value, name)


def is_newer(findings: Collection[Finding]) -> bool:
    """Whether what is wrong with a lock is that a newer mcpexpose wrote it."""
    return any("format" in finding.details for finding in findings)


def make(
    catalogs: Mapping[str, Catalog],
    identities: Mapping[str, str],
    before: Lock | None,
    *,
    decisions: Mapping[ToolId, ToolDecision],
    keep: Collection[str] = (),
    tokens: int | None = None,
) -> Lock:
    """The lock that accepts CATALOGS, of servers that are reached as IDENTITIES say.

    BEFORE is the lock so far: its servers of KEEP stay as they are, and what it knew of tools that went is kept, so
    that one that returns changed is known as changed. DECISIONS say how a model meets each tool.
    """
    old = before.servers if before else {}
    servers = {server: old[server] for server in keep if server in old}
    for server, catalog in catalogs.items():
        was = old.get(server)
        tools = {name: _as_met(tool, decisions.get(_id(server, name))) for name, tool in tools_of(catalog, was).items()}
        known = {**was.gone, **was.tools} if was else {}
        gone = {name: tool for name, tool in known.items() if name not in tools}
        servers[server] = LockedServer(catalog.revision, identities[server], tools, gone)
    return Lock(LOCK_FORMAT, servers, tokens)


def tools_of(catalog: Catalog, before: LockedServer | None = None) -> dict[str, LockedTool]:
    """The reviewed form of each tool. A name that is listed twice cannot be reviewed: it stays as it was BEFORE."""
    counts = Counter(tool["name"] for tool in catalog.tools)
    found = {tool["name"]: reviewed(tool) for tool in catalog.tools if counts[tool["name"]] == 1}
    if before is not None:
        found |= {name: before.tools[name] for name, count in counts.items() if count > 1 and name in before.tools}
    return found


def dump(lock: Lock) -> bytes:
    """The file's bytes: readable JSON, keys sorted, what is empty left out but for the five digests."""
    return readable(
        {
            "format": lock.format,
            "servers": {name: _server(server) for name, server in lock.servers.items()},
            **({"tokens": lock.tokens} if lock.tokens is not None else {}),
        }
    )


def write(path: Path, lock: Lock) -> None:
    """Put LOCK in place of the older one, in one step. Raises InputMissing where it cannot be written."""
    try:
        replace(path, dump(lock))
    except OSError as error:
        raise InputMissing(f"{shown(path.name)} cannot be written: {error.strerror or 'unknown error'}") from error


def _id(server: str, name: str) -> ToolId:
    from mcpexpose.model.names import ToolId

    return ToolId(server, name)


def _as_met(tool: LockedTool, decision: ToolDecision | None) -> LockedTool:
    if decision is None:
        return tool
    return dataclasses.replace(
        tool,
        exposure=decision.exposure.value if decision.in_plan else "hidden",
        side_effect=decision.side_effect.value,
        approval=decision.approval.value,
    )


def _server(server: LockedServer) -> dict[str, Any]:
    value = {"revision": server.revision, "identity": server.identity, "tools": _tools(server.tools)}
    return {**value, **({"gone": _tools(server.gone)} if server.gone else {})}


def _tools(tools: Mapping[str, LockedTool]) -> dict[str, Any]:
    always = ("title", "description", "input_schema", "output_schema", "annotations")
    return {
        name: {key: value for key, value in to_json(tool).items() if key in always or value not in (None, {})}
        for name, tool in tools.items()
    }


def _parse(value: Any, name: str) -> tuple[Lock | None, tuple[Finding, ...]]:
    form = value.get("format") if isinstance(value, dict) else None
    if type(form) is int and form > LOCK_FORMAT:
        return None, (
            Finding(
                "lock-invalid",
                Severity.ERROR,
                f"{shown(name)} is of format {form}, and this mcpexpose reads {LOCK_FORMAT}: nothing can be compared",
                (name,),
                "Use the mcpexpose that wrote it, or a newer one.",
                Place(name, ("format",)),
                details={"format": form},
            ),
        )
    try:
        lock = from_json(Lock, value)
        if lock.format != LOCK_FORMAT:
            raise ValueError(f"there is no format {lock.format}")
        for server in lock.servers.values():
            _check(server)
    except (ValueError, TypeError) as error:
        return None, (_broken(name, f"it has another shape than a lock ({error})"),)
    return lock, ()


def _check(server: LockedServer) -> None:
    texts = [server.revision, server.identity]
    for tool in (*server.tools.values(), *server.gone.values()):
        texts += tool.parameters.values()
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("a text is wanted")


def _broken(name: str, what: str, line: int | None = None, column: int | None = None) -> Finding:
    at = Location(name, line, column or 1, line, (column or 1) + 1) if line is not None else None
    return Finding(
        "lock-invalid",
        Severity.ERROR,
        f"{shown(name)} is no lock: {shown(what, 300)}",
        (name,),
        "Take it from version control again; `mcpexpose lock` makes a new one, which accepts everything as it is now.",
        Place(name),
        at,
    )
