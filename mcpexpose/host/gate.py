"""The gate between a proposed call and a server. The first thing that speaks against a call is the answer.

The order: unknown-tool, not-in-profile, not-inspected, stale-revision, invalid-arguments or validation-timeout,
outcome-unknown, approval-mismatch or approval-required; audit-unavailable is the recorder's to say, last.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from mcpexpose.host import arguments as reading
from mcpexpose.host import inspector
from mcpexpose.host.inspector import Inspection, Refused
from mcpexpose.host.ledger import Bound, LedgerUnavailable
from mcpexpose.host.outcome import Allow, Ask, Decision
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Approval, PolicyState, SideEffect
from mcpexpose.model.records import dataclass
from mcpexpose.surface import refusals
from mcpexpose.toolschema.validate import CannotCheck, Misfit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.host.arguments import Arguments
    from mcpexpose.host.grounds import Grounds
    from mcpexpose.host.inspector import Reason
    from mcpexpose.host.ledger import Ledger
    from mcpexpose.model.plan import PlannedServer, PlannedTool
    from mcpexpose.toolschema.validate import Checker

_HANDLES = 256
"""Live handles of one tool that a session remembers."""

Named = Inspection | Refused | ToolId | tuple[str, str]
"""A handle, or the (server, tool) whose live inspection is meant; what `inspect` refused stands for its pair."""


class Handles:
    """The inspections of a session that are good for a call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: dict[ToolId, deque[Inspection]] = defaultdict(lambda: deque(maxlen=_HANDLES))

    def issue(self, handle: Inspection) -> None:
        with self._lock:
            self._live[ToolId(handle.server, handle.tool)].append(handle)

    def void(self, tool: ToolId) -> None:
        with self._lock:
            self._live.pop(tool, None)

    def live(self, named: Named) -> Inspection | None:
        """The handle where it is live, the latest one of a pair; None where there is none."""
        with self._lock:
            if not isinstance(named, Inspection):
                known = self._live.get(tool_of(named))
                return known[-1] if known else None
            issued = self._live.get(ToolId(named.server, named.tool), ())
            # The one that was issued, whatever was made of it since.
            return next((each for each in issued if each.issue == named.issue), None)


@dataclass(frozen=True, slots=True)
class Located:
    """A tool that may be called, by a handle that is good, at a revision that is current."""

    grounds: Grounds
    row: int
    tool: PlannedTool
    server: PlannedServer

    @property
    def effects(self) -> bool:
        """Whether a call may change something; a tool of unknown class may."""
        return self.tool.side_effect is not SideEffect.READ_ONLY

    @property
    def runs_by_itself(self) -> bool:
        return self.tool.policy_state is PolicyState.ALLOWED and self.tool.approval is Approval.AUTO

    @property
    def checker(self) -> Checker:
        found = self.grounds.plan.checker(self.row, "inputSchema")
        assert found is not None  # the inspection made sure
        return found

    def bound(self, arguments: Arguments) -> Bound:
        """What an approval, or an open call, of these arguments is bound to."""
        tool, server = self.tool, self.server
        return Bound.of(server.id, server.transport, tool.name, server.revision, arguments.digest)

    def refused(self, reason: Reason, text: str, misfit: Misfit | None = None) -> Refused:
        return Refused(
            reason,
            text,
            self.tool.server,
            self.tool.name,
            self.server.revision,
            misfit.pointer if misfit else None,
            misfit.wanted if misfit else None,
        )


def tool_of(named: Named) -> ToolId:
    """Raises TypeError for what is neither a handle nor a pair: a bare name is no key (G04)."""
    if isinstance(named, Inspection | Refused):
        return ToolId(named.server, named.tool)
    if isinstance(named, ToolId):
        return named
    if isinstance(named, tuple) and len(named) == 2 and all(isinstance(part, str) for part in named):
        return ToolId(*named)
    raise TypeError("a call takes what `inspect` gave, or a pair of server and tool, never a bare name")


def locate(grounds: Grounds, away: tuple[str, ...], handles: Handles, named: Named) -> Located | Refused:
    """The first four questions: is there such a tool, for this task, inspected, and current?"""
    tool = tool_of(named)
    plan = grounds.plan
    row = plan.row(tool)
    if row is None or tool.server in away:
        return inspector.unknown_tool(tool.server, tool.name)
    if row not in grounds.pool:
        return inspector.outside_profile(tool.server, tool.name)
    handle = handles.live(named)
    if handle is None:
        text = refusals.not_inspected(tool.server, tool.name)
        return Refused("not-inspected", text, tool.server, tool.name)
    server = plan.servers[tool.server]
    claimed = named.revision if isinstance(named, Inspection) else handle.revision
    if not claimed == handle.revision == server.revision or plan.freshness(server.id).state != "fresh":
        text = refusals.stale_revision(tool.server, tool.name, claimed)
        return Refused("stale-revision", text, tool.server, tool.name, claimed)
    return Located(grounds, row, plan.tool(row), server)


def read(located: Located, given: Mapping[str, Any] | str | bytes) -> Arguments | Refused:
    """The arguments as they would be sent, or what is wrong with them whatever the schema says."""
    found = reading.read(given, located.grounds.plan.limits.args_max_bytes)
    return _misfit(located, found) if isinstance(found, Misfit) else found


def fit(located: Located, arguments: Arguments) -> Refused | None:
    """Whether the arguments fit the inspected schema. May take as long as `toolschema.validate.SECONDS`."""
    try:
        misfit = located.checker.misfit(arguments.value)
    except CannotCheck:
        text = refusals.validation_timeout(located.tool.server, located.tool.name)
        return located.refused("validation-timeout", text)
    return None if misfit is None else _misfit(located, misfit)


def decide(
    located: Located, arguments: Arguments, ledger: Ledger, *, unattended: bool, approved: bool = False
) -> Decision:
    """The last questions: is an equal call open, and may this one run? APPROVED: somebody said yes just now."""
    server, name = located.tool.server, located.tool.name
    bound = located.bound(arguments)
    try:
        if located.effects and ledger.open_run(bound) is not None:
            return located.refused("outcome-unknown", refusals.outcome_unknown(server, name))
        allow = Allow(server, name, located.server.revision, arguments.digest)
        if located.runs_by_itself or approved:
            return allow
        if unattended:  # there is nobody whose approval it could be
            return located.refused("approval-required", refusals.approval_required(server, name))
        standing = ledger.standing(bound)
    except LedgerUnavailable:
        return located.refused("audit-unavailable", refusals.audit_unavailable(server, name))
    if standing == "granted":
        return allow
    mismatch = standing == "other"
    return Ask(
        server,
        name,
        located.server.revision,
        arguments.digest,
        located.tool.side_effect,
        reading.copied(arguments.value),
        "approval-mismatch" if mismatch else "approval-required",
        refusals.approval_mismatch(server, name) if mismatch else refusals.approval_required(server, name),
    )


def unasked(located: Located, ask: Ask) -> Refused:
    """What becomes of a question that nobody said yes to."""
    return located.refused(ask.reason, ask.text)


def _misfit(located: Located, misfit: Misfit) -> Refused:
    text = refusals.invalid_arguments(located.tool.server, located.tool.name, misfit.pointer, misfit.wanted)
    return located.refused("invalid-arguments", text, misfit)
