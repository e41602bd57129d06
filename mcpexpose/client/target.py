"""From a transport as the config writes it to what is started or called: references filled in, at this moment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from mcpexpose.model.transport import Template, Transport, UnsetVariable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""All that a child inherits without being named in `env` or `env_vars`."""

_SHORTEST_SECRET = 4


@dataclass(frozen=True, slots=True)
class Target:
    """A server to ask."""

    server: str
    transport: Transport
    """With the literals of the config, and its references unexpanded."""
    max_tools: int = 2_000
    base: Path = field(default_factory=Path)
    """The config's folder: relative paths of the transport start there."""
    patience_s: float | None = None
    """How long `server/discover` is asked before `initialize` is asked too; None goes by the transport's limit."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A transport with every reference filled in. Its repr is not for messages: it holds secrets."""

    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    cwd: str = ""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Every value out of the environment or of `env`, longest first."""

    def strike(self, text: str) -> str:
        """TEXT with each secret as ***; values of fewer than four characters are left, since they are in any text."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def launch(target: Target, environ: Mapping[str, str]) -> Launch:
    """What to start or to call. Raises UnsetVariable, ReferenceSyntax, BadHeader, BadAddress."""
    transport = target.transport
    secrets = set(_values(transport, environ))

    def filled(text: str) -> str:
        return Template.parse(text).expand(environ)

    if transport.kind == "stdio":
        env = {name: environ[name] for name in INHERITED if name in environ}
        for name in transport.env_vars:
            if name not in environ:
                raise UnsetVariable(name)
            env[name] = environ[name]
            secrets.add(environ[name])
        own = {name: filled(value) for name, value in (transport.env or {}).items()}
        secrets.update(own.values())
        return Launch(
            command=_program(filled(transport.command), target.base),
            args=tuple(filled(arg) for arg in transport.args),
            cwd=str(target.base / filled(transport.cwd)),
            env=env | own,
            secrets=_ordered(secrets),
        )
    headers = {name: filled(value) for name, value in (transport.headers or {}).items()}
    for header, variable in (transport.env_headers or {}).items():
        headers[header] = _variable(variable, environ)
    if transport.bearer_token_env_var:
        headers["Authorization"] = f"Bearer {_variable(transport.bearer_token_env_var, environ)}"
        secrets.add(environ[transport.bearer_token_env_var])
    secrets.update(headers.values())
    for name, value in headers.items():
        if (
            not name.isascii()
            or not value.isascii()
            or any(ord(char) < 32 or ord(char) == 127 for char in name + value)
        ):
            raise BadHeader(name)
    url = filled(transport.url)
    if not _is_address(url):
        raise BadAddress(url)
    return Launch(url=url, headers=headers, secrets=_ordered(secrets))


class BadHeader(ValueError):
    """A header with a line end, a control character, or what is not ASCII in it. Its value is not in the text."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the header {name} holds a character that HTTP does not allow")
        self.name = name


class BadAddress(ValueError):
    """A `url` that is no http or https address."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{address(url)} is no http or https address to connect to")


def address(url: str) -> str:
    """URL without what may be a credential: userinfo, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "***"
    query = "***" if parts.query else ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _values(transport: Transport, environ: Mapping[str, str]) -> Iterator[str]:
    """What references of TRANSPORT stand for."""
    texts = [transport.command, transport.cwd, transport.url, *transport.args]
    for text in (*texts, *(transport.env or {}).values(), *(transport.headers or {}).values()):
        for reference in Template.parse(text).references:
            yield environ.get(reference.name) or reference.default or ""


def _variable(name: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        raise UnsetVariable(name)
    return environ[name]


def _ordered(secrets: set[str]) -> tuple[str, ...]:
    long = [text for text in secrets if len(text) >= _SHORTEST_SECRET]
    return tuple(sorted(long, key=lambda text: (-len(text), text)))


def _program(command: str, base: Path) -> str:
    """A path is relative to the config's folder; a bare name is looked up on the PATH."""
    return str(base / command) if os.sep in command else command
