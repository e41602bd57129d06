"""A compile from TOML text and plain tools: no file, and no other room but the models."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from mcpexpose.compiler.pipeline import compile_plan
from mcpexpose.model.canonical import digest
from mcpexpose.model.catalog import Catalog, revision_of
from mcpexpose.model.config import Config, PolicyPack, ResolvedConfig, ResolvedPack
from mcpexpose.model.names import ToolId
from mcpexpose.model.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcpexpose.model.finding import Finding
    from mcpexpose.model.plan import Compiled, ToolDecision

EMPTY: Mapping[str, Any] = {"type": "object", "properties": {}}
READ = {"annotations": {"readOnlyHint": True}}


def tool(name: str, description: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": dict(EMPTY), **more}


def catalog(server: str, tools: Sequence[str | Mapping[str, Any]]) -> Catalog:
    listed = tuple(tool(each) if isinstance(each, str) else each for each in tools)
    return Catalog(
        server=server,
        tools=listed,
        file=f"catalogs/{server}.json",
        indices=tuple(range(len(listed))),
        captured_at="2026-11-01T00:00:00Z",
        protocol="2025-11-25",
        revision=revision_of(server, listed),
    )


def pack(text: str, name: str = "p") -> ResolvedPack:
    table = {"name": name, "version": 1, **tomllib.loads(text)}
    return ResolvedPack(PolicyPack.model_validate(_tuples(table)), f"{name}.toml", digest(table))


def compiled(
    text: str,
    catalogs: Mapping[str, Sequence[str | Mapping[str, Any]]],
    *packs: ResolvedPack,
    file: str = "config.toml",
    broken: tuple[str, ...] = (),
) -> Compiled:
    table = tomllib.loads(text)
    config = Config.model_validate(_tuples(table))
    transports = {name: Transport("stdio", "fake") for name, one in config.mcp_servers.items() if one.enabled}
    resolved = ResolvedConfig(config, file, packs, transports, digest(table), broken)
    return compile_plan(
        resolved,
        {server: catalog(server, tools) for server, tools in catalogs.items()},
        tool_version="0.1.0",
        analyzer_version="a-1",
        ranking_version="r-1",
    )


def decision(made: Compiled, name: str) -> ToolDecision:
    return next(each for each in made.decisions if each.id == ToolId.parse(name))


def names(made: Compiled) -> list[str]:
    """Tools of the plan."""
    return [str(each.id) for each in made.plan.tools]


def found(made: Compiled, slug: str) -> list[Finding]:
    return [finding for finding in made.findings if finding.slug == slug]


def subjects(made: Compiled, slug: str) -> list[str]:
    return [finding.subjects[0] for finding in found(made, slug)]


def _tuples(value: Any) -> Any:
    """Lists as tuples, as the config room hands them to the strict models."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    return value
