"""What the gate decides and what becomes of a call. `text` is what the model reads; `outcome` what the event says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.host.inspector import Refused

if TYPE_CHECKING:
    from mcpexpose.model.policy import SideEffect
    from mcpexpose.model.transport import Transport

Refuse = Refused
"""The same value as a decision."""


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may be made as it is: it runs by itself, or an approval stands for exactly these arguments."""

    server: str
    tool: str
    revision: str
    digest: str
    """Of the canonical arguments."""
    outcome: str = field(default="allowed", init=False)


@dataclass(frozen=True, slots=True)
class Ask:
    """Somebody has to say yes to exactly this."""

    server: str
    tool: str
    revision: str
    digest: str
    side_effect: SideEffect
    arguments: Mapping[str, Any] = field(repr=False)
    """For whoever is asked. A copy: changing it changes nothing."""
    reason: Literal["approval-required", "approval-mismatch"] = "approval-required"
    """Mismatch: an approval stands for other arguments of the tool at this revision."""
    text: str = ""
    """What the model reads where nobody can be asked."""
    outcome: str = field(default="ask", init=False)


Decision = Allow | Ask | Refused
Approve = Callable[[Ask], bool | Awaitable[bool]]
"""Says yes or no, at once or when somebody has answered."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A call as it goes to a host's own carrier. The host sends it once, and changes nothing of it."""

    server: str
    tool: str
    """The server's name for it."""
    arguments: Mapping[str, Any] = field(repr=False)
    revision: str
    transport: Transport
    timeout_s: float
    progress: Callable[[], None]
    """To be called when the server reports progress: the time limit begins anew. From any thread."""
    mirrored: Mapping[str, Any] | None = field(default=None, repr=False)
    """The pinned input schema, where it names arguments that go into HTTP headers too (`x-mcp-header`, 2026-07-28)."""


Through = Callable[[Carried], Any]
"""Gives the result of `tools/call` as JSON, or the SDK's object of it, at once or awaited. Raises what
`mcpexpose.model.calling` names, or TimeoutError; anything else counts as a lost connection."""
Reduce = Callable[[dict[str, Any]], Any]
"""Shortens a valid result, sync or async: gives a result again."""


@dataclass(frozen=True, slots=True)
class Completed:
    """There is a result, of the shape that was promised and within the budget."""

    server: str
    tool: str
    revision: str
    result: Mapping[str, Any] = field(repr=False)
    """Cleaned of control characters; no number changed."""
    text: str = field(repr=False)
    outcome: str = field(default="ok", init=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no result, and nothing is open: the server says so, a reader was silent, or nothing was sent."""

    server: str
    tool: str
    revision: str
    outcome: Literal["tool-error", "timed-out", "not-sent"]
    text: str = field(repr=False)
    code: int | None = None
    """The protocol's error code, where the server answered with one."""
    result: Mapping[str, Any] | None = field(default=None, repr=False)
    """The server's own, where it is one with `isError`."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """It was sent, and nobody knows whether it was carried out. An equal call is refused until this one is settled."""

    server: str
    tool: str
    revision: str
    text: str
    key: str
    """By which `mcpexpose runs` names it."""
    outcome: str = field(default="unknown-completion", init=False)


@dataclass(frozen=True, slots=True)
class Quarantined:
    """It was carried out, and its result is kept from the model."""

    server: str
    tool: str
    revision: str
    reason: Literal["result-too-large", "result-malformed"]
    text: str
    size: int | None = None
    """UTF-8 bytes as compact JSON; None where that is not known."""
    kept: str | None = None
    """Name of the file in the evidence folder, where there is one."""

    @property
    def outcome(self) -> str:
        """As events have it: `quarantined:` and the reason."""
        return f"quarantined:{self.reason}"


Outcome = Completed | Failed | Unknown | Quarantined | Refused
