"""Findings about what differs from the lock. What no model meets is told, and holds nothing up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcpexpose.model.changes import Risk
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.lock import LOCK_NAME
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcpexpose.catalog.drift import Drift, ServerDrift, ToolDrift
    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.names import ToolId

HOLDING = frozenset({"catalog-drift", "annotation-softened", "lock-stale", "lock-invalid"})
"""Slugs whose errors keep a bundle from being written: nobody accepted what it would hold."""
_ACCEPT = "Read the change; `mcpexpose lock` accepts it, and no plan is written before."
_RISKS = (Risk.SAFETY, Risk.SCHEMA, Risk.TEXT)


def missing() -> Finding:
    """There is no lock beside the config."""
    return Finding(
        "lock-missing",
        Severity.INFO,
        f"There is no {LOCK_NAME}, so a definition that a server changed is taken without a word",
        (LOCK_NAME,),
        "Run `mcpexpose lock` once the catalogs are reviewed, and commit it.",
        Place(LOCK_NAME),
    )


def findings(
    drift: Drift, catalogs: Mapping[str, Catalog], config: str, meets: Callable[[ToolId], bool]
) -> tuple[Finding, ...]:
    """One a fact. MEETS says whether the operator lets a model meet a tool; CONFIG is the file's name."""
    out: list[Finding] = []
    for server in drift.servers:
        out.append(_of_server(server, config, catalogs))
    for tool in drift.tools:
        out += _of_tool(tool, catalogs[tool.id.server], meets(tool.id))
    return tuple(out)


def _of_server(drift: ServerDrift, config: str, catalogs: Mapping[str, Catalog]) -> Finding:
    server = shown(drift.server)
    table = Place(config, ("mcp_servers", drift.server), "header")
    locked = Place(LOCK_NAME, ("servers", drift.server), "key")
    if drift.kind == "identity":
        return Finding(
            "server-identity-changed",
            Severity.WARNING,
            f"{server} is reached in another way than when it was reviewed",
            (drift.server,),
            "Check that it is meant: the same id may now stand for other code; `mcpexpose lock` accepts it.",
            table,
            related=(locked,),
        )
    if drift.kind == "unlocked":
        hint = f"; it is reached as {shown(drift.was)} was" if drift.was else ""
        return Finding(
            "lock-stale",
            Severity.ERROR,
            f"{server} is not in {LOCK_NAME}, so it was never reviewed{hint}",
            (drift.server,),
            "Review its catalog; `mcpexpose lock` accepts it.",
            table,
        )
    if drift.kind == "unconfigured":
        return Finding(
            "lock-stale",
            Severity.ERROR,
            f"{LOCK_NAME} holds {server}, which the config no longer has",
            (drift.server,),
            "Run `mcpexpose lock`, which drops it.",
            locked,
        )
    return Finding(
        "catalog-drift",
        Severity.INFO,
        f"{server} has another revision than {LOCK_NAME}, and nothing that is reviewed changed (but `_meta`, icons …)",
        (drift.server,),
        "Nothing need be done; `mcpexpose lock` takes the revision.",
        Place(catalogs[drift.server].file),
        details={"fields": []},
    )


def _of_tool(drift: ToolDrift, catalog: Catalog, met: bool) -> Iterator[Finding]:
    tool = shown(str(drift.id))
    if drift.kind == "removed":
        what = f"{tool} is gone since the lock"
        yield Finding(
            "tool-removed",
            Severity.WARNING,
            f"{what}; it is called {shown(drift.becomes)} now" if drift.becomes else what,
            (str(drift.id),),
            "Look for what names it; `mcpexpose lock` accepts it.",
            Place(catalog.file),
            related=(Place(LOCK_NAME, ("servers", drift.id.server, "tools", drift.id.name), "key"),),
            details={"becomes": drift.becomes} if drift.becomes else {},
        )
        return
    if drift.kind == "added":
        how = f" under this name; it was reviewed as {shown(drift.was)}" if drift.was else ""
        how = ": it was gone, and is back as it was reviewed" if drift.returned else how
        yield Finding(
            "tool-added",
            Severity.WARNING,
            f"{tool} is new since the lock{how}",
            (str(drift.id),),
            "Read it, and deny it where it is not wanted; `mcpexpose lock` accepts it.",
            _place(drift, catalog, ""),
            details={"was": drift.was} if drift.was else {},
        )
        return
    yield from _changed(drift, catalog, met)


def _changed(drift: ToolDrift, catalog: Catalog, met: bool) -> Iterator[Finding]:
    tool = shown(str(drift.id))
    fields = sorted({part.field for part in drift.parts})
    kinds = [risk for risk in _RISKS if any(part.risk is risk for part in drift.parts)]
    said = "; ".join(f"{risk}: " + ", ".join(part.text for part in drift.parts if part.risk is risk) for risk in kinds)
    since = f"was reviewed as {shown(drift.was)} and" if drift.was else "came back and" if drift.returned else ""
    related = Place(LOCK_NAME, ("servers", drift.id.server, "tools", drift.was or drift.id.name), "key")
    yield Finding(
        "catalog-drift",
        Severity.ERROR if met else Severity.INFO,
        f"{tool} {since} changed since the lock in its {_and(fields)} ({said})".replace("  ", " "),
        (str(drift.id),),
        _ACCEPT if met else "No model meets it, so nothing is held up; `mcpexpose lock` accepts the change.",
        _place(drift, catalog, fields[0]),
        related=(related,),
        details={
            "fields": fields,
            "kinds": [risk.value for risk in kinds],
            "changes": [{"kind": part.risk.value, "field": part.field, "text": part.text} for part in drift.parts],
            **({"was": drift.was} if drift.was else {}),
        },
    )
    for part in drift.parts:
        if part.softened and met:
            yield Finding(
                "annotation-softened",
                Severity.ERROR,
                f"{tool} promises less harm than when it was reviewed: {part.text}",
                (str(drift.id),),
                f"Ask the maker of the server why; set `side_effect` in {_table(drift.id)} if it is not so.",
                _place(drift, catalog, "annotations"),
                details={"hint": part.softened},
            )


def _place(drift: ToolDrift, catalog: Catalog, field: str) -> Place:
    """The part that changed, in the catalog; the entry where the part is no longer there."""
    indices = catalog.indices or tuple(range(len(catalog.tools)))
    for index, raw in zip(indices, catalog.tools, strict=True):
        if raw["name"] == drift.id.name:
            return Place(catalog.file, ("tools", index, *([field] if field and field in raw else [])))
    return Place(catalog.file)


def _table(tool: ToolId) -> str:
    return shown(f"[mcp_servers.{_key(tool.server)}.tools.{_key(tool.name)}]")


def _key(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else json.dumps(name, ensure_ascii=False)


def _and(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
