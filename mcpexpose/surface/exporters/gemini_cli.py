"""Gemini CLI, as settings.json: servers with the plan's tools alone; the host asks before every call.

https://geminicli.com/docs/tools/mcp-server
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.surface import hostfile
from mcpexpose.surface.exported import Export, in_order
from mcpexpose.surface.fitting import Fitting

if TYPE_CHECKING:
    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.offered import Surface

_EXPANDED = re.compile(r"\$[A-Za-z_{]")
"""What the host would take for a reference, with no way to write it as it is."""


def export(surface: Surface) -> Export:
    """A tool that a server adds later is left out until a plan allows it. `trust`, which asks nobody, is not set."""
    fitting = Fitting("gemini")
    servers: dict[str, Any] = {}
    for server, entry in hostfile.reached(surface, fitting, _reached):
        entry["includeTools"] = [each.tool.name for each in hostfile.told(surface, server, fitting)]
        servers[server.id] = entry
    return Export("gemini-cli", {"mcpServers": servers}, in_order(fitting.losses))


def _reached(server: PlannedServer) -> dict[str, Any]:
    """The host fills in `${NAME}`, and knows no default."""
    way = server.transport
    entry: dict[str, Any] = {}
    if way.kind == "stdio":
        entry["command"] = hostfile.say(way.command, "command", _text)
        if way.args:
            entry["args"] = [hostfile.say(text, f"args[{n}]", _text) for n, text in enumerate(way.args)]
        if way.cwd:
            entry["cwd"] = hostfile.folder(way.cwd, _text)
        env = {name: f"${{{name}}}" for name in way.env_vars} | dict(way.env or {})
        if env:
            entry["env"] = hostfile.say_all(env, "env", _text)
    else:
        entry["httpUrl" if way.kind == "http" else "url"] = hostfile.say(way.url, "url", _text)
        headers = hostfile.say_all(hostfile.other_headers(server), "http_headers", _text)
        headers |= {name: f"${{{variable}}}" for name, variable in (way.env_headers or {}).items()}
        if variable := hostfile.bearer(server):
            headers["Authorization"] = f"Bearer ${{{variable}}}"
        if headers:
            entry["headers"] = dict(sorted(headers.items()))
    entry["timeout"] = round(way.tool_timeout_s * 1_000)
    if server.summary:
        entry["description"] = server.summary
    return entry


def _text(text: str) -> str | None:
    out = []
    for part in hostfile.template(text).parts:
        if isinstance(part, str):
            if _EXPANDED.search(part):
                return None
            out.append(part)
        elif part.default is not None:
            return None
        else:
            out.append(f"${{{part.name}}}")
    return "".join(out)
