"""`mcpexpose.lock`: what was reviewed, definition by definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LOCK_FORMAT = 1


@dataclass(frozen=True, slots=True)
class LockedTool:
    """Digests of the five parts that a review looks at; None where the server gave no such part."""

    title: str | None
    description: str | None
    input_schema: str | None
    output_schema: str | None
    annotations: str | None


@dataclass(frozen=True, slots=True)
class LockedServer:
    """One server as it was when somebody accepted it."""

    revision: str
    identity: str
    """Digest of the transport, references as names."""
    tools: Mapping[str, LockedTool]


@dataclass(frozen=True, slots=True)
class Lock:
    """The whole file."""

    format: int
    servers: Mapping[str, LockedServer]
