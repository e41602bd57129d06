"""One JSON line of evidence: who searched, inspected, called; never prompts, arguments, results, paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EventName = Literal["search", "inspect", "check", "call", "refresh", "load"]


@dataclass(frozen=True, slots=True)
class Event:
    """The fields of G12."""

    event: EventName
    at: str
    """RFC 3339, UTC."""
    run_id: str
    server: str | None = None
    revision: str | None = None
    query_class: str | None = None
    """The profile's name."""
    candidates: int | None = None
    tool: str | None = None
    policy_state: str | None = None
    gateway_route: str | None = None
    outcome: str | None = None
    latency_ms: float | None = None
