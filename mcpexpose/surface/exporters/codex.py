"""Codex, as config.toml: servers with the plan's tools alone, and a prompt where a call must be approved.

https://developers.openai.com/codex/config-reference
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.surface import hostfile
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Fitting

if TYPE_CHECKING:
    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.offered import Surface


def export(surface: Surface) -> Export:
    """A tool that a server adds later is not enabled until a plan allows it."""
    fitting = Fitting("codex")
    servers: dict[str, Any] = {}
    for server, entry in hostfile.reached(surface, fitting, _reached):
        tools = hostfile.told(surface, server, fitting)
        entry["enabled_tools"] = [each.tool.name for each in tools]
        if asked := {each.tool.name: {"approval_mode": "prompt"} for each in tools if hostfile.asks(each)}:
            entry["tools"] = asked
        servers[server.id] = entry
    return Export("codex", {"mcp_servers": servers}, in_order(fitting.losses), form="toml")


def _reached(server: PlannedServer) -> dict[str, Any]:
    """Codex fills in no references; it inherits variables by name, and takes headers and a token from them."""
    way = server.transport
    entry: dict[str, Any] = {}
    if way.kind == "sse":
        raise hostfile.Unsaid("it speaks the old HTTP+SSE, which the host does not")
    if way.kind == "stdio":
        entry["command"] = hostfile.say(way.command, "command", _literal)
        if way.args:
            entry["args"] = [hostfile.say(text, f"args[{n}]", _literal) for n, text in enumerate(way.args)]
        if way.cwd:
            entry["cwd"] = hostfile.folder(way.cwd, _literal)
        inherited = {name for name, text in (way.env or {}).items() if text == f"${{{name}}}"}
        given = {name: text for name, text in (way.env or {}).items() if name not in inherited}
        if given:
            entry["env"] = hostfile.say_all(given, "env", _literal)
        if names := sorted({*way.env_vars, *inherited}):
            entry["env_vars"] = names
    else:
        entry["url"] = hostfile.say(way.url, "url", _literal)
        if variable := hostfile.bearer(server):
            entry["bearer_token_env_var"] = variable
        whole = {name: text for name, text in hostfile.other_headers(server).items() if _variable(text)}
        given = {name: text for name, text in hostfile.other_headers(server).items() if name not in whole}
        if given:
            entry["http_headers"] = hostfile.say_all(given, "http_headers", _literal)
        if named := {**(way.env_headers or {}), **{name: _variable(text) for name, text in whole.items()}}:
            entry["env_http_headers"] = dict(sorted(named.items()))
    entry["startup_timeout_sec"] = _number(way.startup_timeout_s)
    entry["tool_timeout_sec"] = _number(way.tool_timeout_s)
    return entry


def _literal(text: str) -> str | None:
    found = hostfile.template(text)
    return None if found.references else found.expand({})


def _variable(text: str) -> str:
    """The variable that TEXT is, whole and without a default; "" where it is more or less than that."""
    parts = hostfile.template(text).parts
    return parts[0].name if len(parts) == 1 and not isinstance(parts[0], str) and parts[0].default is None else ""


def _number(seconds: float) -> int | float:
    return int(seconds) if seconds == int(seconds) else seconds
