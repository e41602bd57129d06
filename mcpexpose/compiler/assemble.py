"""The plan itself, from the decisions: sorted, without clock, place or anything that is hidden or denied."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.compiler.approve import without_place
from mcpexpose.compiler.settings import in_force
from mcpexpose.model.canonical import digest_bytes
from mcpexpose.model.plan import (
    PLAN_FORMAT,
    Limits,
    Plan,
    PlannedServer,
    PlannedTool,
    SearchSettings,
    Totals,
)
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import first_line
from mcpexpose.model.tokens import ESTIMATOR, estimate
from mcpexpose.model.transport import Transport
from mcpexpose.surface.declarations import declaration_text, search_tool
from mcpexpose.surface.prompt import prompt_section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.compiler.budget import Defined
    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.settings import Tables
    from mcpexpose.model.names import ToolId
    from mcpexpose.model.plan import PlannedProfile, ToolDecision

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def assemble(
    inputs: Inputs,
    tables: Tables,
    decisions: Mapping[ToolId, ToolDecision],
    defined: Mapping[ToolId, Defined],
    profiles: tuple[PlannedProfile, ...],
    versions: tuple[str, str, str],
) -> tuple[Plan, tuple[bytes, ...]]:
    """The plan and its definitions; VERSIONS are those of the tool, the analyzer and the ranking."""
    config = inputs.resolved.config
    tools: list[PlannedTool] = []
    lines: list[bytes] = []
    offset = 0
    for tool, decision in decisions.items():
        if not decision.in_plan:
            continue
        line = defined[tool].line
        tools.append(_tool(decision, defined[tool], tables, offset))
        lines.append(line)
        offset += len(line) + 1
    servers = _servers(inputs, tools)
    searched = {tool.server for tool in tools if tool.exposure is Exposure.DEFERRED}
    section = prompt_section((server.id, server.summary) for server in servers if server.id in searched)
    tool_version, analyzer_version, ranking_version = versions
    plan = Plan(
        format=PLAN_FORMAT,
        tool_version=tool_version,
        analyzer_version=analyzer_version,
        ranking_version=ranking_version,
        estimator=ESTIMATOR,
        context_window=config.exposure.context_window,
        targets=config.exposure.targets,
        inputs=_inputs(inputs, servers),
        servers=servers,
        tools=tuple(tools),
        profiles=profiles,
        limits=Limits(config.limits.result_max_bytes, config.limits.args_max_bytes, seconds(config.freshness.max_age)),
        search=SearchSettings(
            config.exposure.search_limit, dict(sorted(config.search.synonyms.items())), config.search.min_match
        ),
        prompt_section=section,
        totals=_totals(tools, section, config.exposure.search_limit),
    )
    return plan, tuple(lines)


def seconds(duration: str | None) -> float | None:
    """`7d` in seconds; None for None. Raises ValueError for what is no duration."""
    if duration is None:
        return None
    parts = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhdw])", duration)
    if parts is None:
        raise ValueError(f"no duration: {duration!r}")
    return float(parts[1]) * _SECONDS[parts[2]]


def _tool(decision: ToolDecision, defined: Defined, tables: Tables, offset: int) -> PlannedTool:
    idempotent = in_force(tables.get(decision.id), "idempotent")
    return PlannedTool(
        server=decision.id.server,
        name=decision.id.name,
        alias=decision.alias,
        exposure=decision.exposure,
        policy_state=decision.policy_state,
        side_effect=decision.side_effect,
        approval=decision.approval,
        groups=decision.groups,
        title=defined.title,
        description=defined.description,
        replaced_description_digest=defined.replaced,
        keywords=defined.keywords,
        idempotent=bool(idempotent.value) if idempotent else None,
        tokens=defined.tokens,
        definition_digest=digest_bytes(defined.line),
        offset=offset,
        length=len(defined.line),
        because=tuple(without_place(because) for because in decision.because),
    )


def _servers(inputs: Inputs, tools: list[PlannedTool]) -> tuple[PlannedServer, ...]:
    """Those of which a tool is in the plan."""
    seen = {tool.server for tool in tools}
    planned: list[PlannedServer] = []
    for server in inputs.servers.values():
        catalog = server.catalog
        if catalog is None or server.id not in seen:
            continue
        planned.append(
            PlannedServer(
                id=server.id,
                transport=inputs.resolved.transports.get(server.id, Transport("stdio")),
                summary=first_line(server.table.description or ""),
                owner=server.table.owner,
                groups=tuple(sorted(set(server.table.groups))),
                revision=catalog.revision,
                captured_at=catalog.captured_at,
                protocol=catalog.protocol,
                ttl_ms=catalog.ttl_ms,
                trust_annotations=server.table.trust_annotations,
            )
        )
    return tuple(planned)


def _inputs(inputs: Inputs, servers: tuple[PlannedServer, ...]) -> dict[str, str]:
    """Digests of meaning. Of servers that no model meets none is named."""
    named = {"config": inputs.resolved.digest}
    for pack in inputs.resolved.packs:
        named[f"pack {pack.pack.name}@{pack.pack.version}"] = pack.digest
    for server in servers:
        named[f"catalog {server.id}"] = server.revision
    return dict(sorted(named.items()))


def _totals(tools: list[PlannedTool], section: str, search_limit: int) -> Totals:
    direct = [tool.tokens for tool in tools if tool.exposure is Exposure.DIRECT]
    deferred = [tool.tokens for tool in tools if tool.exposure is Exposure.DEFERRED]
    search = estimate(declaration_text(search_tool(search_limit))) if deferred else 0
    return Totals(
        direct=len(direct),
        deferred=len(deferred),
        tokens_direct=sum(direct),
        tokens_search_tool=search,
        tokens_prompt_section=estimate(section),
        tokens_if_all=sum(direct) + sum(deferred),
    )
