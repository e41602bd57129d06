"""A small plan made by hand: five servers, one of each thing that a preview tells apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.names import ToolId
from mcpexpose.model.plan import (
    Because,
    Compiled,
    Limits,
    Plan,
    PlannedProfile,
    PlannedServer,
    PlannedTool,
    SearchSettings,
    ToolDecision,
    Totals,
)
from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from mcpexpose.model.transport import Transport

D, F, H = Exposure.DIRECT, Exposure.DEFERRED, Exposure.HIDDEN
RO, W, X, U = SideEffect.READ_ONLY, SideEffect.WRITE, SideEffect.DESTRUCTIVE, SideEffect.UNKNOWN

TOOLS = [
    ("azure", "delete_vault", F, X, "Delete a key vault"),
    ("azure", "list_costs", F, RO, "List what was spent"),
    ("git", "git_commit", D, W, "Record changes"),
    ("git", "git_status", D, RO, "Show the working tree"),
    ("playwright", "click", F, U, "Click an element"),
    ("票務", "查詢", F, RO, "查詢票務"),
]
SUMMARIES = {
    "azure": "Azure resources, deployments and costs",
    "git": "Local git repositories",
    "playwright": "A browser to click, fill and read pages",
    "票務": "票務系統的查詢與訂購,供客服人員使用,含退票與改期",
}
SELECTED = {
    "click": (
        Because(
            "selection",
            "direct",
            "profile",
            "profiles.browse.default_tools",
            "",
            "config.toml",
            ("profiles", "browse", "default_tools", 0),
        ),
    )
}
TOKENS = {"azure": 54_000, "git": 240, "playwright": 4_102, "票務": 90}


def exposure_because(server: str, name: str, exposure: Exposure) -> Because:
    if exposure is D:
        path = ("mcp_servers", server, "tools", "git_*", "exposure")
        return Because("exposure", "direct", "tool", 'mcp_servers.git.tools."git_*".exposure', "", "config.toml", path)
    return Because("exposure", "deferred", "exposure", "[exposure] default", "", "config.toml", ("exposure", "default"))


def planned(server: str, name: str, exposure: Exposure, effect: SideEffect, text: str, line: bytes) -> PlannedTool:
    asks = effect is not RO
    return PlannedTool(
        server=server,
        name=name,
        alias=f"{server}__{name}",
        exposure=exposure,
        policy_state=PolicyState.APPROVAL_REQUIRED if asks else PolicyState.ALLOWED,
        side_effect=effect,
        approval=Approval.ASK if asks else Approval.AUTO,
        groups=("code",),
        title="",
        description=text,
        replaced_description_digest=None,
        keywords=(),
        idempotent=None,
        tokens=TOKENS[server],
        definition_digest="0" * 64,
        offset=0,
        length=len(line),
        because=(exposure_because(server, name, exposure),),
    )


def decision(server: str, name: str, **changes: Any) -> ToolDecision:
    fields: dict[str, Any] = {
        "id": ToolId(server, name),
        "alias": f"{server}__{name}",
        "exposure": F,
        "policy_state": PolicyState.ALLOWED,
        "side_effect": RO,
        "approval": Approval.AUTO,
        "groups": (),
        "description": "",
        "tokens": 100,
        "in_plan": False,
        "left_out_by": None,
        "because": (),
    }
    return ToolDecision(**{**fields, **changes})


def make_plan() -> Compiled:
    lines = []
    tools = []
    for server, name, exposure, effect, text in TOOLS:
        definition = {
            "server": server,
            "name": name,
            "alias": f"{server}__{name}",
            "title": "",
            "description": text,
            "inputSchema": {"type": "object"},
        }
        line = json.dumps(definition).encode()
        lines.append(line)
        tools.append(planned(server, name, exposure, effect, text, line))
    servers = tuple(
        PlannedServer(
            id=name,
            transport=Transport("stdio", command="x"),
            summary=summary,
            owner="platform",
            groups=("code",),
            revision=f"{n}a91c03f7" + "0" * 55,
            captured_at="2026-11-28T12:00:00Z",
            protocol=None,
            ttl_ms=None,
            trust_annotations=False,
        )
        for n, (name, summary) in enumerate(sorted(SUMMARIES.items()))
    )
    plan = Plan(
        format=1,
        tool_version="0.1.0",
        analyzer_version="a1",
        ranking_version="r1",
        estimator="regex-1",
        context_window=200_000,
        targets=(),
        inputs={},
        servers=servers,
        tools=tuple(tools),
        profiles=(
            PlannedProfile("browse", "read pages", None, None, False, ("playwright/click",), ("playwright/click",)),
        ),
        limits=Limits(100_000, 100_000, 604_800.0),
        search=SearchSettings(8, {}, 0.0),
        prompt_section="",
        totals=Totals(2, 4, 480, 300, 60, sum(TOKENS[tool[0]] for tool in TOOLS)),
    )
    decisions = [
        decision(
            tool.server,
            tool.name,
            exposure=tool.exposure,
            policy_state=tool.policy_state,
            side_effect=tool.side_effect,
            approval=tool.approval,
            description=tool.description,
            in_plan=True,
            because=(*tool.because, *SELECTED.get(tool.name, ())),
        )
        for tool in tools
    ]
    decisions.append(decision("azure", "purge", exposure=H))
    decisions.append(decision("azure", "send", policy_state=PolicyState.DENIED))
    decisions.append(decision("proxy", "go", left_out_by="schema-remote-ref"))
    return Compiled(plan, tuple(lines), tuple(sorted(decisions, key=lambda d: d.id)), (), True)


REMOTE = Finding(
    "schema-remote-ref",
    Severity.ERROR,
    "proxy/go refers to a schema elsewhere",
    ("proxy/go#/properties/creds/$ref",),
    "Have the server inline it.",
    Place("catalogs/proxy.json", ("tools", 0)),
    Location("catalogs/proxy.json", 14, 9, 14, 20),
)
WARNING = Finding("stale-catalog", Severity.WARNING, "playwright is older than 7d", ("playwright",))


@pytest.fixture
def compiled() -> Compiled:
    return make_plan()


@pytest.fixture
def findings() -> tuple[Finding, ...]:
    return (REMOTE, WARNING)


def locate(place: Place) -> Location | None:
    """As a workspace would: line 44 for the tool table, 7 for the default."""
    line = 44 if "tools" in place.path else 7
    return Location(place.file, line, 1, line, 10)
