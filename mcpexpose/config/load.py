"""Document to Config: every fault of the operator's text with its place, and what can be read all the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.config import connect, idents, lists, references, shape, texts, top
from mcpexpose.config.fault import Fault, fault
from mcpexpose.model.config import Config, ExposureTable, ServerTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcpexpose.config.document import Document
    from mcpexpose.config.scan import Path
    from mcpexpose.model.finding import Finding

SCHEMA_VERSION = 1

# Without them a server's tools stay what they are; without any other key they might be more than was meant.
_NOT_ABOUT_TOOLS = frozenset(
    {"command", "args", "cwd", "env", "env_vars", "url", "transport", "http_headers", "env_http_headers"}
    | {"bearer_token_env_var", "startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec", "required", "name"}
    | {"description", "owner"}
)
_TOOL_TEXTS = frozenset({"description", "keywords", "require_in_plan"})


def parse(document: Document) -> tuple[Config | None, tuple[Finding, ...]]:
    """The config in DOCUMENT, and what is wrong with it.

    A table at fault is left out and the rest is read, so that a preview has something to show: a server in `broken` of
    the config is one of those. None where there is nothing to read: no TOML, or a format that is newer than this.
    """
    data = document.data
    if data is None:
        return None, ()
    newer = _newer(data)
    if newer is not None:
        return None, (_named(document.name, newer),)
    own = top.own_tables(data)
    ignored = _ignored_keys(own)
    near = [item for item in top.near_misses(data) if not shape.matches_any(_path(item), ignored)]
    found = [*near, *_checked(own)]
    shaped = shape.shaped(Config, shape.frozen(own), ignored)
    found += shaped.faults
    drops = {item.drop for item in found if item.drop is not None}
    misnamed = frozenset(name for item in near for name in item.finding.details["suggests"])
    config = shaped.value
    if config is None or drops or misnamed:
        config = _what_is_right(shape.without(own, shaped.ignored), drops, misnamed)
    return config, tuple(_named(document.name, item) for item in found)


def _newer(data: dict[str, Any]) -> Fault | None:
    version = data.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version <= SCHEMA_VERSION:
        return None
    message = f"schema_version is {version}, and this mcpexpose reads {SCHEMA_VERSION}"
    return fault("config-version-unsupported", ("schema_version",), message, "Use a newer mcpexpose.")


def _checked(own: dict[str, Any]) -> Iterator[Fault]:
    yield from idents.check(own)
    yield from lists.check(own)
    yield from texts.check(own)
    servers = own.get("mcp_servers")
    for server_id, server in servers.items() if isinstance(servers, dict) else ():
        if isinstance(server, dict):
            base = ("mcp_servers", server_id)
            yield from connect.check(base, server)
            yield from references.check(base, server)


def _doubted(own: Mapping[str, Any], drops: Iterable[Path], misnamed: frozenset[str]) -> Iterator[str]:
    """Tables whose author meant more than can be read, where what is left might be wider than that.

    MISNAMED are tables that stand there under a name that is almost theirs.
    """
    paths = tuple(drops)
    if "policy" in misnamed or any(path[0] == "policy" for path in paths):
        yield "policy"
    table = own.get("exposure")
    has_default = isinstance(table, dict) and "default" in table
    in_table = {path[1] if len(path) > 1 else "default" for path in paths if path[0] == "exposure"}
    if (
        "exposure" in misnamed
        or "default" in in_table
        or (in_table - ExposureTable.model_fields.keys() and not has_default)
    ):
        yield "exposure"


def _what_is_right(own: dict[str, Any], drops: set[Path], misnamed: frozenset[str]) -> Config | None:
    """The config without what is at fault; a server goes as a whole unless the fault cannot widen what it shows."""
    for _ in range(4):  # what is left may complain again, by the entry of a list that was behind another
        kept = shape.without(own, {_reach(path) for path in drops})
        doubted = set(_doubted(own, drops, misnamed))
        if "policy" in doubted:
            kept["policy"] = {"auto_approve": []}
        if "exposure" in doubted:
            kept["exposure"] = {**(kept.get("exposure") or {}), "default": "hidden"}
        shaped = shape.shaped(Config, shape.frozen(kept))
        if shaped.value is not None:
            written = own.get("mcp_servers")
            servers = written.keys() if isinstance(written, dict) else set()
            broken = servers - shaped.value.mcp_servers.keys()
            return shaped.value.without_servers(broken, _readable(own, broken, drops))
        drops = drops | {item.drop for item in shaped.faults if item.drop is not None}
    return None


def _readable(own: dict[str, Any], broken: set[str], drops: set[Path]) -> dict[str, ServerTable]:
    """The tables of BROKEN without the very nodes that are at fault; one that is no table at all is not there."""
    inside: dict[str, set[Path]] = {}
    for path in drops:
        if path[0] == "mcp_servers" and len(path) > 2:
            inside.setdefault(str(path[1]), set()).add(path[2:])
    out = {}
    for server_id in broken:
        written = own["mcp_servers"][server_id]
        if not isinstance(written, dict):
            continue
        gone = inside.get(server_id, set())
        for _ in range(4):
            # The table alone is copied: with the whole config, thousands of broken servers would take minutes.
            shaped = shape.shaped(ServerTable, shape.frozen(shape.without(written, gone)))
            if shaped.value is not None:
                out[server_id] = shaped.value
                break
            gone = gone | {item.drop for item in shaped.faults if item.drop}
    return out


def _reach(path: Path) -> Path:
    """What goes with the node at PATH."""
    if path[0] == "mcp_servers":
        if len(path) > 3 and path[2] in ("env", "http_headers", "env_http_headers"):
            return path[:4]
        if len(path) > 2 and path[2] in _NOT_ABOUT_TOOLS:
            return path[:3]
        if len(path) > 4 and path[2] == "tools" and path[4] in _TOOL_TEXTS:
            return path[:5]
        return path[:2]
    return path[:3] if path[:2] in (("search", "synonyms"), ("lint", "severity")) else path[:2]


def _ignored_keys(own: dict[str, Any]) -> tuple[str, ...]:
    compat = own.get("compat")
    keys = compat.get("ignore_keys") if isinstance(compat, dict) else None
    return tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else ()


def _path(item: Fault) -> Path:
    return item.finding.place.path if item.finding.place is not None else ()


def _named(name: str, item: Fault) -> Finding:
    place = item.finding.place
    return replace(item.finding, place=replace(place, file=name)) if place is not None else item.finding
