"""mcpexpose: decide in one reviewed config which MCP tools a model is told, may find, or never meets.

A host needs `load_plan` and what it returns. Names are loaded on first use, so importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mcpexpose.client.connections import Connections
    from mcpexpose.host.audit import FileSink, LoggerSink, Sink
    from mcpexpose.host.clock import Clock
    from mcpexpose.host.evidence import Evidence
    from mcpexpose.host.exporting import export, export_answer
    from mcpexpose.host.inspector import Inspection, Refused
    from mcpexpose.host.ledger import Ledger, LedgerUnavailable
    from mcpexpose.host.outcome import (
        Allow,
        Approve,
        Ask,
        Carried,
        Completed,
        Decision,
        Failed,
        Outcome,
        Quarantined,
        Reduce,
        Refuse,
        Through,
        Unknown,
    )
    from mcpexpose.host.plan import HostPlan, load_plan
    from mcpexpose.host.queue import ApprovalQueue
    from mcpexpose.host.runtime import Recompile, Refresh, Runtime
    from mcpexpose.host.session import Session
    from mcpexpose.host.telemetry import TelemetrySink
    from mcpexpose.model.answer import Answer, Match
    from mcpexpose.model.calling import ConnectionLost, NotSent, ServerError
    from mcpexpose.model.errors import BundleRefused, InputMissing, McpexposeError, SelectionRefused, UsageRefused
    from mcpexpose.model.event import Event
    from mcpexpose.model.finding import Finding, Severity
    from mcpexpose.model.freshness import Freshness
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Plan, PlannedProfile, PlannedServer, PlannedTool
    from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
    from mcpexpose.surface.exported import Export, Loss

_HOMES = {
    "Allow": "host.outcome",
    "Answer": "model.answer",
    "Approval": "model.policy",
    "ApprovalQueue": "host.queue",
    "Approve": "host.outcome",
    "Ask": "host.outcome",
    "BundleRefused": "model.errors",
    "Carried": "host.outcome",
    "Clock": "host.clock",
    "Completed": "host.outcome",
    "ConnectionLost": "model.calling",
    "Connections": "client.connections",
    "Decision": "host.outcome",
    "Event": "model.event",
    "Evidence": "host.evidence",
    "Export": "surface.exported",
    "Exposure": "model.policy",
    "Failed": "host.outcome",
    "FileSink": "host.audit",
    "Finding": "model.finding",
    "Freshness": "model.freshness",
    "HostPlan": "host.plan",
    "InputMissing": "model.errors",
    "Inspection": "host.inspector",
    "Ledger": "host.ledger",
    "LedgerUnavailable": "host.ledger",
    "LoggerSink": "host.audit",
    "Loss": "surface.exported",
    "Match": "model.answer",
    "McpexposeError": "model.errors",
    "NotSent": "model.calling",
    "Outcome": "host.outcome",
    "Plan": "model.plan",
    "PlannedProfile": "model.plan",
    "PlannedServer": "model.plan",
    "PlannedTool": "model.plan",
    "PolicyState": "model.policy",
    "Quarantined": "host.outcome",
    "Recompile": "host.runtime",
    "Reduce": "host.outcome",
    "Refresh": "host.runtime",
    "Refuse": "host.outcome",
    "Refused": "host.inspector",
    "Runtime": "host.runtime",
    "SelectionRefused": "model.errors",
    "ServerError": "model.calling",
    "Session": "host.session",
    "Severity": "model.finding",
    "SideEffect": "model.policy",
    "Sink": "host.audit",
    "TelemetrySink": "host.telemetry",
    "Through": "host.outcome",
    "ToolId": "model.names",
    "Unknown": "host.outcome",
    "UsageRefused": "model.errors",
    "export": "host.exporting",
    "export_answer": "host.exporting",
    "load_plan": "host.plan",
}

__all__ = [
    "Allow",
    "Answer",
    "Approval",
    "ApprovalQueue",
    "Approve",
    "Ask",
    "BundleRefused",
    "Carried",
    "Clock",
    "Completed",
    "ConnectionLost",
    "Connections",
    "Decision",
    "Event",
    "Evidence",
    "Export",
    "Exposure",
    "Failed",
    "FileSink",
    "Finding",
    "Freshness",
    "HostPlan",
    "InputMissing",
    "Inspection",
    "Ledger",
    "LedgerUnavailable",
    "LoggerSink",
    "Loss",
    "Match",
    "McpexposeError",
    "NotSent",
    "Outcome",
    "Plan",
    "PlannedProfile",
    "PlannedServer",
    "PlannedTool",
    "PolicyState",
    "Quarantined",
    "Recompile",
    "Reduce",
    "Refresh",
    "Refuse",
    "Refused",
    "Runtime",
    "SelectionRefused",
    "ServerError",
    "Session",
    "Severity",
    "SideEffect",
    "Sink",
    "TelemetrySink",
    "Through",
    "ToolId",
    "Unknown",
    "UsageRefused",
    "__version__",
    "export",
    "export_answer",
    "load_plan",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return list(__all__)
