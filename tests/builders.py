"""Plans made by hand, for tests of the rooms that take a plan and do not care how it came about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.model.answer import Match
from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.model.catalog import revision_of
from mcpexpose.model.plan import (
    PLAN_FORMAT,
    Because,
    Compiled,
    Limits,
    Plan,
    PlannedProfile,
    PlannedServer,
    PlannedTool,
    SearchSettings,
    Totals,
)
from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect
from mcpexpose.model.transport import Transport
from mcpexpose.search.analysis import ANALYZER_VERSION
from mcpexpose.search.ranking import RANKING_VERSION
from mcpexpose.surface.prompt import prompt_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EMPTY_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}}


def definition(
    server: str, name: str, description: str = "", schema: Mapping[str, Any] = EMPTY_SCHEMA, **more: Any
) -> dict[str, Any]:
    """A line of definitions.bin."""
    return {
        "server": server,
        "name": name,
        "alias": f"{server}__{name}",
        "title": "",
        "description": description,
        "inputSchema": dict(schema),
        "keywords": [],
    } | more


def tool(
    server: str,
    name: str,
    description: str = "",
    *,
    exposure: Exposure = Exposure.DEFERRED,
    side_effect: SideEffect = SideEffect.READ_ONLY,
    groups: Sequence[str] = (),
    schema: Mapping[str, Any] = EMPTY_SCHEMA,
    **more: Any,
) -> tuple[PlannedTool, bytes]:
    """A planned tool with its definition; `compiled` sets its offset."""
    line = canonical(definition(server, name, description, schema, **more))
    low = side_effect is SideEffect.READ_ONLY
    planned = PlannedTool(
        server=server,
        name=name,
        alias=f"{server}__{name}",
        exposure=exposure,
        policy_state=PolicyState.ALLOWED if low else PolicyState.APPROVAL_REQUIRED,
        side_effect=side_effect,
        approval=Approval.AUTO if low else Approval.ASK,
        groups=tuple(groups),
        title="",
        description=description,
        replaced_description_digest=None,
        keywords=(),
        idempotent=None,
        tokens=20,
        definition_digest=digest_bytes(line),
        offset=0,
        length=len(line),
        because=(Because("exposure", exposure.value, "exposure", "exposure.default", file="config.toml"),),
    )
    return planned, line


def profile(
    name: str,
    tools: Sequence[str],
    default_tools: Sequence[str] = (),
    side_effects: tuple[SideEffect, ...] | None = None,
) -> PlannedProfile:
    return PlannedProfile(name, "", None, side_effects, False, tuple(sorted(tools)), tuple(sorted(default_tools)))


def compiled(
    *tools: tuple[PlannedTool, bytes],
    summaries: Mapping[str, str] | None = None,
    captured_at: Mapping[str, str | None] | None = None,
    profiles: Sequence[PlannedProfile] = (),
    max_age_s: float | None = None,
    analyzer_version: str = ANALYZER_VERSION,
    ranking_version: str = RANKING_VERSION,
    search_limit: int = 8,
) -> Compiled:
    """What a compile of these tools gives."""
    pairs = sorted(tools, key=lambda pair: pair[0].id)
    placed: list[PlannedTool] = []
    at = 0
    for planned, line in pairs:
        placed.append(replace(planned, offset=at))
        at += len(line) + 1
    names = sorted({planned.server for planned in placed})
    servers = tuple(
        PlannedServer(
            id=name,
            transport=Transport("stdio", "fake-server", (name,), env={"TOKEN": "${TOKEN}"}),
            summary=(summaries or {}).get(name, f"Example server {name}"),
            owner="somebody",
            groups=(),
            revision=revision_of(name, [{"name": planned.name} for planned in placed if planned.server == name]),
            captured_at=(captured_at or {}).get(name, "2026-11-01T00:00:00Z"),
            protocol="2025-11-25",
            ttl_ms=None,
            trust_annotations=False,
        )
        for name in names
    )
    deferred = {planned.server for planned in placed if planned.exposure is Exposure.DEFERRED}
    section = prompt_section((server.id, server.summary) for server in servers if server.id in deferred)
    plan = Plan(
        format=PLAN_FORMAT,
        tool_version="0.1.0",
        analyzer_version=analyzer_version,
        ranking_version=ranking_version,
        estimator="regex-1",
        context_window=200_000,
        targets=(),
        inputs={"config": "0" * 64},
        servers=servers,
        tools=tuple(placed),
        profiles=tuple(profiles),
        limits=Limits(100_000, 100_000, max_age_s),
        search=SearchSettings(search_limit, {}, 0.0),
        prompt_section=section,
        totals=Totals(0, len(placed), 0, 0, 0, 0),
    )
    return Compiled(plan, tuple(line for _, line in pairs), (), (), True)


def match(
    planned: PlannedTool,
    line: Mapping[str, Any],
    score: float = 1.0,
    *,
    declared: bool = False,
    fresh: bool = True,
    weak: bool = False,
) -> Match:
    return Match(planned, score, "ab" * 32, declared, fresh, weak, line)
