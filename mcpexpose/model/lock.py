"""`mcpexpose.lock`: what was reviewed, definition by definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpexpose.model.canonical import digest
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.transport import Transport

LOCK_FORMAT = 1
LOCK_NAME = "mcpexpose.lock"
"""The file, beside its config."""


@dataclass(frozen=True, slots=True)
class LockedTool:
    """Digests of the five parts that a review looks at; None where the server gave no such part.

    The rest is derived from those parts, so that a change can be told by kind without the text that was reviewed.
    """

    title: str | None
    description: str | None
    input_schema: str | None
    output_schema: str | None
    annotations: str | None
    input_shape: str | None = None
    """Digest of the input schema without its wording: titles, descriptions, examples."""
    output_shape: str | None = None
    """The same of the output schema."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Path of each parameter to `required string DIGEST` or `optional …`, wording left out; "" is the whole."""
    hints: Mapping[str, bool] = field(default_factory=dict)
    """The four hints of the protocol, as far as they were booleans."""
    exposure: str | None = None
    """How the model met it when it was accepted: direct, deferred, hidden. For previews, as the next two: no rule
    compares them."""
    side_effect: str | None = None
    approval: str | None = None


@dataclass(frozen=True, slots=True)
class LockedServer:
    """One server as it was when somebody accepted it."""

    revision: str
    identity: str
    """Digest of the transport, references as names."""
    tools: Mapping[str, LockedTool]
    gone: Mapping[str, LockedTool] = field(default_factory=dict)
    """Reviewed once, and accepted as gone: one that returns with another definition is known as changed."""


@dataclass(frozen=True, slots=True)
class Lock:
    """The whole file."""

    format: int
    servers: Mapping[str, LockedServer]
    tokens: int | None = None
    """Of request 1 when it was accepted, for previews."""


def identity_of(transport: Transport) -> str:
    """Digest of how a server is reached, references as names; how long to wait for it is no part of that."""
    waits = ("startup_timeout_s", "tool_timeout_s")
    return digest({key: value for key, value in to_json(transport).items() if key not in waits})
