"""A drift from the lock as a reviewer reads it: by tool, sorted by risk, with what the config changed beside it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mcpexpose.model import changes as model
from mcpexpose.model.changes import THE_LOCK, Change, Changes, Part, Risk
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Approval, Exposure, SideEffect
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.catalog.drift import Drift, ServerDrift, ToolDrift
    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.lock import Lock, LockedTool
    from mcpexpose.model.plan import Compiled, ToolDecision


def accepted(drift: Drift, catalogs: Mapping[str, Catalog]) -> Changes:
    """What `mcpexpose lock` would accept: the servers' changes alone, whatever the config makes of them."""
    found = [*_servers(drift, catalogs), *(_change(each, None, None) for each in drift.tools)]
    return Changes(THE_LOCK, model.in_order(found))


def since(lock: Lock, drift: Drift, compiled: Compiled, catalogs: Mapping[str, Catalog]) -> Changes:
    """What is another for the model since the lock: the servers' changes, and those of exposure, class and approval."""
    drifts = {each.id: each for each in drift.tools}
    locked = {ToolId(server, name): tool for server, each in lock.servers.items() for name, tool in each.tools.items()}
    decisions = {decision.id: decision for decision in compiled.decisions}
    found = [*_servers(drift, catalogs)]
    for tool in sorted(drifts.keys() | (locked.keys() & decisions.keys())):
        each, decision = drifts.get(tool), decisions.get(tool)
        if each is not None:
            found.append(_change(each, locked.get(tool), decision))
        elif parts := _axes(locked[tool], decisions[tool]):
            found.append(model.change("tool", str(tool), parts, note=_note(parts, decision)))
    totals = compiled.plan.totals
    known = any(tool.exposure is not None for tool in locked.values())
    direct = sum(tool.exposure == Exposure.DIRECT for tool in locked.values())
    return Changes(
        THE_LOCK,
        model.in_order(found),
        (direct, totals.direct) if known else None,
        (lock.tokens, totals.tokens_request_1) if lock.tokens is not None else None,
    )


def _servers(drift: Drift, catalogs: Mapping[str, Catalog]) -> Iterator[Change]:
    for each in drift.servers:
        if each.kind != "unreviewed":  # information for lint: nothing that is reviewed changed
            yield model.change("server", each.server, [_of_server(each, catalogs)])


def _of_server(drift: ServerDrift, catalogs: Mapping[str, Catalog]) -> Part:
    if drift.kind == "identity":
        return Part(Risk.SAFETY, "transport", "reached in another way")
    if drift.kind == "unconfigured":
        return Part(Risk.NARROWS, "server", "in the lock, and no longer in the config")
    was = f"; reached as {shown(drift.was)} was" if drift.was else ""
    return Part(Risk.WIDENS, "server", f"never reviewed: {len(catalogs[drift.server].tools):,} tools{was}")


def _change(drift: ToolDrift, locked: LockedTool | None, decision: ToolDecision | None) -> Change:
    """One tool; without DECISION only what the server did."""
    subject = str(drift.id)
    if drift.kind == "removed":
        text = f"{locked.exposure} → none" if locked and locked.exposure else "gone"
        text += f", called {shown(drift.becomes)} now" if drift.becomes else ""
        return model.change("tool", subject, [Part(Risk.NARROWS, "exposure", text)])
    if drift.kind == "added":
        after = _exposure(decision) if decision else None
        risk = Risk.NARROWS if after is Exposure.HIDDEN else Risk.WIDENS
        text = f"none → {after.value}" if after else "new"
        text += f", reviewed as {shown(drift.was)}" if drift.was else ", back as it was" if drift.returned else ""
        parts: tuple[Part, ...] = (Part(risk, "exposure", text),)
        return model.change("tool", subject, parts, note=_note(parts, decision))
    parts = drift.parts
    if locked is not None and decision is not None:
        parts = (*parts, *_axes(locked, decision))
    if drift.was or drift.returned:
        how = f"reviewed as {shown(drift.was)}" if drift.was else "came back"
        parts = (dataclasses.replace(parts[0], text=f"{how}, {parts[0].text}"), *parts[1:])
    return model.change("tool", subject, parts, note=_note(parts, decision))


def _axes(locked: LockedTool, decision: ToolDecision) -> tuple[Part, ...]:
    """What config, packs and hints make of it now; nothing of what stays hidden, or where the lock does not know."""
    after = _exposure(decision)
    try:
        before = Exposure(locked.exposure or "")
        effect, consent = SideEffect(locked.side_effect or ""), Approval(locked.approval or "")
    except ValueError:
        return ()
    parts = model.exposure(before, after)
    if before is Exposure.HIDDEN or after is Exposure.HIDDEN:
        return parts
    return (*parts, *model.approval(consent, decision.approval), *model.side_effect(effect, decision.side_effect))


def _exposure(decision: ToolDecision) -> Exposure:
    return decision.exposure if decision.in_plan else Exposure.HIDDEN


def _note(parts: tuple[Part, ...], decision: ToolDecision | None) -> str:
    if decision is None or not any(part.risk is Risk.WIDENS for part in parts):
        return ""
    asks = "asks" if decision.approval is Approval.ASK else "runs without asking"
    return f"{decision.side_effect.value} · {asks}"
