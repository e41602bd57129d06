"""One JSON line of evidence: who searched, inspected, called; never prompts, arguments, results, paths."""

from __future__ import annotations

from typing import Literal

from mcpexpose.model.records import dataclass

EventName = Literal["load", "search", "inspect", "check", "approve", "call", "refresh", "settle"]


@dataclass(frozen=True, slots=True)
class Event:
    """The fields of G12, and some more facts. A field that says nothing here is null."""

    event: EventName
    at: str
    """RFC 3339, UTC."""
    run_id: str
    server: str | None = None
    revision: str | None = None
    """Of the server's catalog in the plan."""
    query_class: str | None = None
    """The profile's name."""
    candidates: int | None = None
    """How many tools a search matched."""
    tool: str | None = None
    policy_state: str | None = None
    side_effect: str | None = None
    exposure: str | None = None
    """Of the tool in the plan: what is used a lot and deferred may be worth declaring."""
    gateway_route: str | None = None
    outcome: str | None = None
    """ok, allowed, tool-error, timed-out, unknown-completion, not-sent, refused:REASON, quarantined:REASON; cancelled
    where the host gave up a call that only reads or had not left, failed where it fell over; of an approval granted,
    denied, failed; of a search "ok" or why nothing was found; of a refresh unchanged, changed, failed; of a
    settlement what it was."""
    latency_ms: float | None = None
    size_bytes: int | None = None
    """Of a result, or of refused arguments."""
    limit_bytes: int | None = None
    """The budget that it was held against."""
    drift: str | None = None
    """Of a refresh that found another list: SAFETY, SCHEMA or TEXT, the worst that changed on the plan's tools."""
    plan: str | None = None
    """Digest of the bundle's manifest; null where the plan was never written."""
