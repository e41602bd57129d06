"""Servers that a provider connects to by itself: where they are, and with which credentials, by name."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcpexpose.model import secrets
from mcpexpose.model.text import shown
from mcpexpose.model.transport import ReferenceSyntax, Template

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.plan import PlannedServer
    from mcpexpose.surface.fitting import Fitting

_BEARER = re.compile(r"[Bb]earer +(\$\{[^}]*\})")


@dataclass(frozen=True, slots=True)
class Address:
    """Texts may hold references, `${NAME}`, that the host replaces; none holds a credential."""

    url: str
    token: str
    """A reference; "" where there is none."""
    headers: Mapping[str, str]


def address(server: PlannedServer, fitting: Fitting, *, https: bool) -> Address | None:
    """Where the provider reaches SERVER; None, and a loss, where it cannot. With HTTPS it takes no other scheme."""
    way = server.transport
    why = "" if way.kind != "stdio" else "it is started by a command, and the target reaches a server by its URL"
    why = why or _unreachable(way.url, https=https)
    if why:
        fitting.lose("server-left-out", server.id, why)
        return None
    token = f"${{{way.bearer_token_env_var}}}" if way.bearer_token_env_var else ""
    headers: dict[str, str] = {}
    for name, text in sorted((way.headers or {}).items()):
        bearer = _BEARER.fullmatch(text) if name.lower() == "authorization" else None
        if bearer and not token and not secrets.find(text, name):
            token = bearer[1]
        elif secrets.find(text, name):
            fitting.lose("credential-left-out", server.id, f"the header {shown(name, 80)} holds a credential")
        else:
            headers[name] = _written(text)
    headers.update({name: f"${{{variable}}}" for name, variable in sorted((way.env_headers or {}).items())})
    found = Address(_written(way.url), token, headers)
    for variable in _variables(found):
        fitting.lose("credential-by-name", server.id, f"${{{variable}}} stands for its value")
    return found


def _unreachable(url: str, *, https: bool) -> str:
    if secrets.find(url):
        return "its URL holds a credential"
    parts = urlsplit(re.sub(r"\$\{[^}]*\}", "x", url))
    if https and parts.scheme == "http":
        return "its URL is no https, and the target takes no other"
    host = (parts.hostname or "").rstrip(".")
    try:
        near = not ipaddress.ip_address(host).is_global
    except ValueError:
        near = host == "localhost" or host.endswith((".localhost", ".local"))
    return f"{shown(host, 80)} is reached from this machine or network alone" if near else ""


def _written(text: str) -> str:
    """As the plan has it, where it holds references; else the text that it stands for."""
    try:
        template = Template.parse(text)
    except ReferenceSyntax:
        return text
    return text if template.references else template.expand({})


def _variables(found: Address) -> list[str]:
    names: dict[str, None] = {}
    for text in (found.url, found.token, *found.headers.values()):
        try:
            names.update(dict.fromkeys(reference.name for reference in Template.parse(text).references))
        except ReferenceSyntax:
            continue
    return list(names)
