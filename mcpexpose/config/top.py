"""The top of a config: which tables are ours, which are another program's, and which were meant to be ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, fault
from mcpexpose.config.nearest import fold, nearest
from mcpexpose.config.subjects import dotted
from mcpexpose.model import hosts
from mcpexpose.model.config import Config, ProfileTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OURS = frozenset(Config.model_fields)
_SERVERS_ELSEWHERE = frozenset({"servers", "mcp", "server", "contextservers"})
_NO_TABLES = frozenset({"schema_version", "extends"})
_OUR_WORDS = _NO_TABLES | {"exposure", "freshness", "waivers", "mcp_servers"}


def own_tables(data: Mapping[str, Any]) -> dict[str, Any]:
    """Our tables alone, without the keys and profiles of hosts in them."""
    own = {key: value for key, value in data.items() if key in OURS}
    profiles = own.get("profiles")
    if isinstance(profiles, dict):
        own["profiles"] = {
            name: _own_profile(table)
            for name, table in profiles.items()
            if not (isinstance(table, dict) and table and all(_is_of_host(*item) for item in table.items()))
        }
    return own


def near_misses(data: Mapping[str, Any]) -> Iterator[Fault]:
    """Tables that no program reads, because their name is almost one of ours."""
    for key, value in data.items():
        if key in OURS:
            continue
        meant = _meant(key, value, data)
        if meant is None:
            continue
        written = f"[{dotted((key,))}]" if isinstance(value, dict | list) else dotted((key,))
        yield fault(
            "config-unknown-key",
            (key,),
            f'{written} is nothing of ours; did you mean "{meant}"?',
            f"Rename it to {meant}, or list it in [compat] ignore_keys if it is another program's.",
            on="key",
            details={"suggests": [meant]},
        )


def _own_profile(table: Any) -> Any:
    if not isinstance(table, dict):
        return table
    return {
        key: value for key, value in table.items() if key in ProfileTable.model_fields or not _is_of_host(key, value)
    }


def _is_of_host(key: str, value: Any) -> bool:
    """Whether a key of a profile is Codex's; its `tools` is a table, and a list of tools was meant for us."""
    return key in hosts.PROFILE_KEYS and not (key == "tools" and isinstance(value, list))


def _meant(key: str, value: Any, data: Mapping[str, Any]) -> str | None:
    if fold(key) in _SERVERS_ELSEWHERE:
        # `[servers.x]` and `[mcp.servers.x]` are other hosts' spellings, and may be another program's own tables.
        return "mcp_servers" if _holds_servers(value) and "mcp_servers" not in data else None
    meant = nearest(key, OURS, aliases=False)
    if meant is None or (len(fold(key)) <= 4 and fold(key) != fold(meant) and fold(key) != fold(meant) + "s"):
        return None
    if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
        return meant if meant not in _NO_TABLES else None
    # `profile = "work"` is Codex's, `limit = 3` may be anybody's; these are too much our own words for that.
    return meant if meant in _OUR_WORDS else None


def _holds_servers(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    tables = [table for table in value.values() if isinstance(table, dict)]
    if any("command" in table or "url" in table for table in tables):
        return True
    return any(_holds_servers(table) for key, table in value.items() if fold(str(key)) == "servers")
