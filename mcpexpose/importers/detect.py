"""Whose file it is: by its name where that tells, else by keys that one host alone has."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from mcpexpose.importers.dialects import BY_NAME, DIALECTS, Dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.importers.source import Source
    from mcpexpose.importers.tree import Path

_MARKS = (
    ("gemini", frozenset({"httpUrl", "includeTools", "excludeTools", "trust", "authProviderType"})),
    ("pi", frozenset({"toolExposure", "exposure"})),
    ("windsurf", frozenset({"serverUrl"})),
    ("copilot-cli", frozenset({"tools"})),
    ("claude", frozenset({"alwaysLoad"})),
    ("roo", frozenset({"watchPaths"})),
    ("cline", frozenset({"alwaysAllow"})),
)
"""Of files with `mcpServers`: keys of an entry that give a host away, the surest first."""
_TOPS = (
    ("zed", "context_servers"),
    ("amp", "amp.mcpServers"),
    ("vscode", "servers"),
    ("goose", "extensions"),
    ("codex", "mcp_servers"),
)
_TRANSPORT = frozenset({"command", "url", "serverUrl", "httpUrl"})
_SETTINGS = ("permissions", "allowedMcpServers", "deniedMcpServers", "disabledMcpjsonServers", "enabledMcpjsonServers")


def detect(source: Source) -> Dialect | None:
    """The dialect of SOURCE, which was read; None where it holds no servers of any host that is known."""
    data = source.data or {}
    fitting = [dialect for dialect in DIALECTS if _fits(dialect, source)]
    by_file = [each for each in fitting if _is_named_for(each, source.name)]
    if by_file:
        return by_file[0]
    by_rules = [each for each in DIALECTS if _has_rules_of(each, source) and _is_named_for(each, source.name)]
    if by_rules and not any(each.servers for each in fitting):
        return by_rules[0]
    if BY_NAME["opencode"] in fitting and "opencode" in str(data.get("$schema")):
        return BY_NAME["opencode"]
    for name, key in _TOPS:
        if isinstance(data.get(key), dict) and BY_NAME[name] in fitting:
            return _step_or(BY_NAME[name], data[key])
    entries = data.get("mcpServers")
    if _is_of_gemini(data.get("mcp")) and entries is None:
        return BY_NAME["gemini"]
    if not entries and BY_NAME["vscode"] in fitting:
        return BY_NAME["vscode"]  # its settings hold `mcp.servers`, whatever another host left there
    if isinstance(entries, dict):
        keys = {key for entry in entries.values() if isinstance(entry, dict) for key in entry}
        name = next((name for name, marks in _MARKS if marks & keys), "")
        other = "librechat" if source.form == "yaml" else "gemini" if "security" in data else "mcp-json"
        return BY_NAME[name or other]
    if _is_bare(BY_NAME["mcp-json"], data):
        return BY_NAME["librechat" if source.form == "yaml" else "mcp-json"] if source.form != "toml" else None
    return fitting[0] if fitting else None


def server_maps(dialect: Dialect, data: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The maps of servers that there are, with their paths; of nested places the innermost."""
    if _is_bare(dialect, data):
        yield (), {name: entry for name, entry in data.items() if isinstance(entry, dict)}
        return
    for place in sorted(dialect.servers, key=len, reverse=True):
        found = _reached(data, place)
        if not isinstance(found, dict):
            continue
        if dialect.name == "opencode":
            if len(place) == 1 or all(isinstance(entry, dict) for entry in found.values()):
                yield place, found
                return
        else:
            yield place, found


def _is_bare(dialect: Dialect, data: dict[str, Any]) -> bool:
    """Whether the file is the map itself, as plugins of Claude Code have it."""
    if ("mcpServers",) not in dialect.servers or "mcpServers" in data:
        return False
    tables = [value for value in data.values() if isinstance(value, dict)]
    return bool(tables) and all(_TRANSPORT & table.keys() for table in tables)


def no_maps(dialect: Dialect, data: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    """What stands in the place of a map of servers and is none."""
    for place in dialect.servers:
        found = _reached(data, place)
        if found is not None and not isinstance(found, dict):
            yield place, found


def _is_named_for(dialect: Dialect, name: str) -> bool:
    path = "/" + name.replace("\\", "/").lower()
    base = path.rpartition("/")[2]
    return any(fnmatchcase(path if "/" in each else base, each.lower()) for each in dialect.files)


def _fits(dialect: Dialect, source: Source) -> bool:
    data = source.data or {}
    if not _is_in_its_form(dialect, source):
        return False
    if dialect.name == "claude-settings":
        return any(key in data for key in _SETTINGS)
    if dialect.name == "opencode" and ("mcpServers" in data or _is_of_gemini(data.get("mcp"))):
        return False  # Gemini CLI has `mcp` as well
    if dialect.name == "goose" and "extensions" not in data:
        user = data.get("user")
        return isinstance(user, dict) and bool({"always_allow", "ask_before", "never_allow"} & user.keys())
    return any(_reached(data, place) is not None for place in dialect.servers) or _is_bare(dialect, data)


def _has_rules_of(dialect: Dialect, source: Source) -> bool:
    """Whether the file has no servers, and says more of those of the host's other files."""
    return _is_in_its_form(dialect, source) and any(key in (source.data or {}) for key in dialect.beside)


def _is_in_its_form(dialect: Dialect, source: Source) -> bool:
    toml, yaml = dialect.name in ("codex", "step"), dialect.name in ("goose", "librechat")
    return source.form == ("toml" if toml else "yaml" if yaml else "json")


def _is_of_gemini(table: Any) -> bool:
    return isinstance(table, dict) and any(isinstance(table.get(key), list) for key in ("allowed", "excluded"))


def _reached(data: Any, place: Path) -> Any:
    for step in place:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _step_or(dialect: Dialect, servers: dict[str, Any]) -> Dialect:
    """Step reads Codex's tables and has two keys more."""
    if dialect.name != "codex":
        return dialect
    keys = {key for entry in servers.values() if isinstance(entry, dict) for key in entry}
    return BY_NAME["step"] if keys & {"exposure", "description"} else dialect
