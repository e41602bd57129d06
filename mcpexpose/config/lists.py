"""Lists that name things: an entry that stands twice, and two keys that are one list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, fault, where
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.config.scan import Path

_TOP = (
    ("extends",),
    ("exposure", "targets"),
    ("policy", "auto_approve"),
    ("compat", "ignore_keys"),
    ("lint", "select"),
    ("lint", "ignore"),
)
_SERVER = ("allow", "enabled_tools", "deny", "disabled_tools", "groups", "env_vars")
_TOOL = ("groups", "keywords")
_PROFILE = ("groups", "default_tools", "side_effects")
_ALIASES = (("allow", "enabled_tools"), ("deny", "disabled_tools"))


def check(own: Mapping[str, Any]) -> Iterator[Fault]:
    """Every repeated entry, and every list that is given under both of its names."""
    for path in _TOP:
        yield from repeats(_get(own, path), path)
    for server_id, server in _tables(own, "mcp_servers"):
        base: Path = ("mcp_servers", server_id)
        for key in _SERVER:
            yield from repeats(server.get(key), (*base, key))
        for first, second in _ALIASES:
            if first in server and second in server:
                yield fault(
                    "config-conflict",
                    (*base, second),
                    f"{where(base)} gives one list under two names, {first} and {second}",
                    f"Put all entries into {first}.",
                    on="key",
                    drop=base,
                )
        for name, tool in _tables(server, "tools"):
            for key in _TOOL:
                yield from repeats(tool.get(key), (*base, "tools", name, key))
    for name, profile in _tables(own, "profiles"):
        for key in _PROFILE:
            yield from repeats(profile.get(key), ("profiles", name, key))
    for word, synonyms in _entries(_get(own, ("search", "synonyms"))):
        yield from repeats(synonyms, ("search", "synonyms", word))
    yield from _waivers(own.get("waivers"))


def repeats(values: Any, path: Path) -> Iterator[Fault]:
    """The second and later places of each entry of a list of texts."""
    if not isinstance(values, list | tuple):
        return
    seen: set[str] = set()
    for n, value in enumerate(values):
        if isinstance(value, dict):
            value = value.get("name")
        if not isinstance(value, str):
            continue
        if value in seen:
            message = f'{where(path)} names "{shown(value, 80)}" twice'
            yield fault("config-duplicate", (*path, n), message, "Keep one of the two.")
        seen.add(value)


def _waivers(waivers: Any) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for n, waiver in enumerate(waivers if isinstance(waivers, list | tuple) else ()):
        if not isinstance(waiver, dict):
            continue
        rule, subject = waiver.get("rule"), waiver.get("subject")
        if not isinstance(rule, str) or not isinstance(subject, str):
            continue
        if (rule, subject) in seen:
            message = f"[[waivers]] waives {shown(rule, 60)} for {shown(subject, 80)} twice"
            yield fault("config-duplicate", ("waivers", n), message, "Keep one of the two.", on="header")
        seen.add((rule, subject))


def _get(own: Any, path: Path) -> Any:
    for key in path:
        own = own.get(key) if isinstance(own, dict) else None
    return own


def _entries(table: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(table, dict):
        yield from table.items()


def _tables(parent: Mapping[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, table in _entries(parent.get(key)):
        if isinstance(table, dict):
            yield name, table
