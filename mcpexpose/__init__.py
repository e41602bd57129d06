"""mcpexpose: decide in one reviewed config which MCP tools a model is told, may find, or never meets.

A host needs `load_plan` and what it returns. Names are loaded on first use, so importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mcpexpose.host.inspector import Inspection, Refused
    from mcpexpose.host.plan import HostPlan, load_plan
    from mcpexpose.host.session import Session
    from mcpexpose.model.answer import Answer, Match
    from mcpexpose.model.errors import BundleRefused, InputMissing, McpexposeError, SelectionRefused, UsageRefused
    from mcpexpose.model.finding import Finding, Severity
    from mcpexpose.model.freshness import Freshness
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import Plan, PlannedProfile, PlannedServer, PlannedTool
    from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect

_HOMES = {
    "Answer": "model.answer",
    "Approval": "model.policy",
    "BundleRefused": "model.errors",
    "Exposure": "model.policy",
    "Finding": "model.finding",
    "Freshness": "model.freshness",
    "HostPlan": "host.plan",
    "InputMissing": "model.errors",
    "Inspection": "host.inspector",
    "Match": "model.answer",
    "McpexposeError": "model.errors",
    "Plan": "model.plan",
    "PlannedProfile": "model.plan",
    "PlannedServer": "model.plan",
    "PlannedTool": "model.plan",
    "PolicyState": "model.policy",
    "Refused": "host.inspector",
    "SelectionRefused": "model.errors",
    "Session": "host.session",
    "Severity": "model.finding",
    "SideEffect": "model.policy",
    "ToolId": "model.names",
    "UsageRefused": "model.errors",
    "load_plan": "host.plan",
}

__all__ = [
    "Answer",
    "Approval",
    "BundleRefused",
    "Exposure",
    "Finding",
    "Freshness",
    "HostPlan",
    "InputMissing",
    "Inspection",
    "Match",
    "McpexposeError",
    "Plan",
    "PlannedProfile",
    "PlannedServer",
    "PlannedTool",
    "PolicyState",
    "Refused",
    "SelectionRefused",
    "Session",
    "Severity",
    "SideEffect",
    "ToolId",
    "UsageRefused",
    "__version__",
    "load_plan",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return list(__all__)
