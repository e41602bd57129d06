"""Config to ResolvedConfig: transports with their references as names, packs, and one digest of what it all means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.config import references
from mcpexpose.config.withhold import Withheld, literals, withhold
from mcpexpose.model.canonical import digest
from mcpexpose.model.config import Config, ResolvedConfig, ResolvedPack, ServerTable
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.config.fault import Fault
    from mcpexpose.model.finding import Finding

STARTUP_TIMEOUT_S = 30.0
TOOL_TIMEOUT_S = 60.0


def resolve(
    config: Config, file: str, packs: tuple[ResolvedPack, ...], environ: Mapping[str, str]
) -> tuple[ResolvedConfig, tuple[Finding, ...]]:
    """The compiler's input. ENVIRON decides which variables are said to be unset, and nothing else: no value of it
    gets into the result. A literal credential is replaced by a reference to the variable that must be set instead.
    """
    found: list[Fault] = []
    transports: dict[str, Transport] = {}
    taken: set[str] = set()
    for server_id, server in sorted(config.written.items()):
        withheld = withhold(server_id, server, taken)
        found += withheld.faults
        if server.enabled:
            found += references.unset(("mcp_servers", server_id), server, environ)
            if server_id in config.mcp_servers:
                transports[server_id] = transport_of(server, withheld)
    resolved = ResolvedConfig(config, file, packs, transports, digest(_meaning(config, transports)), config.broken)
    return resolved, tuple(_in_file(file, each) for each in found)


def live_transports(config: Config) -> dict[str, Transport]:
    """Transports of enabled servers as the file has them, literal credentials among them: to connect, not to keep."""
    return {
        key: transport_of(server, Withheld()) for key, server in sorted(config.mcp_servers.items()) if server.enabled
    }


def literal_secrets(config: Config) -> frozenset[str]:
    """Every literal credential of the file, to be struck from what quotes the file. Never to be printed."""
    return frozenset(literal for server in config.written.values() for literal in literals(server))


def transport_of(server: ServerTable, withheld: Withheld) -> Transport:
    """How the server is reached. One without command and url has an empty command, and cannot be connected to."""
    kept = withheld.texts
    startup, tool = _startup_timeout(server), server.tool_timeout_sec
    if server.url and not server.command:
        return Transport(
            "sse" if server.transport == "sse" else "http",
            url=kept.get(("url",), server.url),
            headers={key: kept.get(("http_headers", key), text) for key, text in sorted(server.http_headers.items())},
            env_headers={
                key: kept.get(("env_http_headers", key), name) for key, name in sorted(server.env_http_headers.items())
            },
            bearer_token_env_var=kept.get(("bearer_token_env_var",), server.bearer_token_env_var or ""),
            startup_timeout_s=startup,
            tool_timeout_s=float(tool if tool is not None else TOOL_TIMEOUT_S),
        )
    return Transport(
        "stdio",
        command=kept.get(("command",), server.command or ""),
        args=tuple(kept.get(("args", n), text) for n, text in enumerate(server.args)),
        cwd=kept.get(("cwd",), server.cwd or ""),
        env={key: kept.get(("env", key), text) for key, text in sorted(server.env.items())},
        env_vars=tuple(kept.get(("env_vars", n), name) for n, name in enumerate(server.inherited)),
        startup_timeout_s=startup,
        tool_timeout_s=float(tool if tool is not None else TOOL_TIMEOUT_S),
    )


def seconds(duration: str) -> float:
    """The length of a time as `max_age` writes it: 90s, 15m, 24h, 7d, 2w. Raises ValueError for anything else."""
    unit = _UNITS.get(duration[-1:])
    if unit is None:
        raise ValueError("a number and s, m, h, d or w is wanted")
    return float(duration[:-1]) * unit


_UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}


def _startup_timeout(server: ServerTable) -> float:
    if server.startup_timeout_sec is not None:
        return float(server.startup_timeout_sec)
    return server.startup_timeout_ms / 1000 if server.startup_timeout_ms is not None else STARTUP_TIMEOUT_S


_DECIDING = {"exposure", "policy", "freshness", "limits", "groups", "profiles", "search"}
_DECIDING_OF_SERVER = {
    "description", "exposure", "owner", "groups", "trust_annotations", "tools", "default_tools_approval_mode",
}  # fmt: skip


def _meaning(config: Config, transports: Mapping[str, Transport]) -> Any:
    """What the config decides, as JSON: no credential, no other program's key, nothing that only lint reads."""
    whole = config.model_dump(_DECIDING, exclude_none=True)
    servers = {}
    for server_id, server in config.mcp_servers.items():
        if not server.enabled:
            continue
        own = server.model_dump(_DECIDING_OF_SERVER, exclude_none=True)
        own["allow"] = list(server.allow_patterns) if server.allow_patterns is not None else None
        own["deny"] = list(server.deny_patterns)
        own["transport"] = {
            # 30.0 and 30 have one canonical form, and the latter costs less to write.
            key: int(value) if isinstance(value, float) and value.is_integer() else value
            for key, value in to_json(transports[server_id]).items()
            if value
        }
        servers[server_id] = own
    return {**whole, "servers": servers}


def _in_file(file: str, each: Fault) -> Finding:
    place = each.finding.place
    return replace(each.finding, place=replace(place, file=file)) if place is not None else each.finding
