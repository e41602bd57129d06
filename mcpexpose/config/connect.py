"""A server's transport as it is written: one way to connect, and keys that go with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcpexpose.config.fault import Fault, fault, where
from mcpexpose.config.subjects import quoted
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.config.scan import Path

STDIO_KEYS = ("args", "cwd", "env", "env_vars")
HTTP_KEYS = ("http_headers", "env_http_headers", "bearer_token_env_var")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def check(base: Path, server: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults of one server's table. Wrong types are another's business and pass."""
    has_command, has_url = "command" in server, "url" in server
    if has_command and has_url:
        yield fault(
            "config-conflict",
            base,
            f"{where(base)} has two transports, command and url",
            "Keep one of them.",
            on="header",
            subject=str(base[1]),
        )
    elif has_url:
        yield from _mixed(base, server, STDIO_KEYS, "url", "command")
    elif has_command:
        yield from _mixed(base, server, HTTP_KEYS, "command", "url")
    if not has_command and not has_url:
        yield fault(
            "missing-transport",
            base,
            f"{where(base)} has neither command nor url",
            "Give it a command, for a local server, or a url.",
            on="header",
            subject=str(base[1]),
        )
    yield from _kind(base, server, has_command, has_url)
    if isinstance(url := server.get("url"), str):
        yield from _url((*base, "url"), url)
    yield from _names(base, server)
    yield from _headers(base, server)


def _mixed(base: Path, server: Mapping[str, Any], keys: tuple[str, ...], has: str, wants: str) -> Iterator[Fault]:
    for key in keys:
        if key in server:
            path = (*base, key)
            message = f"{where(base)} has a {has}, and {key} belongs to a {wants}"
            yield fault("config-conflict", path, message, f"Remove {key}, or the {has}.", on="key")


def _kind(base: Path, server: Mapping[str, Any], has_command: bool, has_url: bool) -> Iterator[Fault]:
    kind = server.get("transport")
    wrong = "command" if kind in ("http", "streamable-http", "sse") and has_command and not has_url else ""
    wrong = "url" if kind == "stdio" and has_url and not has_command else wrong
    if wrong:
        message = f'{where(base)} says transport = "{kind}", and has a {wrong}'
        yield fault("config-conflict", (*base, "transport"), message, "Leave transport out.")


def _url(path: Path, url: str) -> Iterator[Fault]:
    if not url:
        return  # too short: said with the types
    trouble = ""
    scheme = _SCHEME.match(url)
    if any(char.isspace() for char in url):
        trouble = "holds blanks"
    elif url.startswith("${"):
        return
    elif scheme is None or (scheme[1].lower() not in ("http", "https") and "//" not in url):
        trouble = "does not start with https://"
    elif scheme[1].lower() not in ("http", "https"):
        trouble = f"has the scheme {shown(scheme[1], 20)}, and only https and http can be reached"
    else:
        try:
            parts = urlsplit(re.sub(r"\$\{[^}]*\}", "1", url))
            trouble = "" if parts.hostname and (parts.port or 1) > 0 else "names no host"
        except ValueError:
            trouble = "has a host or port that cannot be"
    if trouble:
        yield fault(
            "config-invalid", path, f"{where(path)} {trouble}", 'Write it as in url = "https://mcp.example.com/mcp".'
        )


def _names(base: Path, server: Mapping[str, Any]) -> Iterator[Fault]:
    """Keys whose values are names of variables; what else stands there may be a secret, and is not shown."""
    named: list[tuple[Path, Any]] = [((*base, "bearer_token_env_var"), server.get("bearer_token_env_var"))]
    headers = server.get("env_http_headers")
    if isinstance(headers, dict):
        named += [((*base, "env_http_headers", key), value) for key, value in headers.items()]
    inherited = server.get("env_vars")
    for n, entry in enumerate(inherited if isinstance(inherited, list | tuple) else ()):
        named.append(((*base, "env_vars", n), entry.get("name") if isinstance(entry, dict) else entry))
    for path, value in named:
        if isinstance(value, str) and value and not _NAME.fullmatch(value):
            message = f"{where(path)} is no variable's name"
            yield fault("config-invalid", path, message, "Write the variable's name alone, as in GITHUB_TOKEN.")
    env = server.get("env")
    for name in env if isinstance(env, dict) else ():
        if not name or "=" in name or "\0" in name:
            path = (*base, "env", name)
            yield fault("config-invalid", path, f"{where(path)} is no variable's name", "Rename it.", on="key")


def _headers(base: Path, server: Mapping[str, Any]) -> Iterator[Fault]:
    seen: dict[str, tuple[str, str]] = {}
    for table in ("http_headers", "env_http_headers"):
        headers = server.get(table)
        for name in headers if isinstance(headers, dict) else ():
            path = (*base, table, name)
            if not _HEADER.fullmatch(name):
                message = f"{where(path)} is no name of a header"
                yield fault("config-invalid", path, message, "Use letters, digits and -.", on="key")
                continue
            first = seen.setdefault(name.lower(), (table, name))
            if first == (table, name):
                continue
            slug = "config-duplicate" if first[0] == table else "config-conflict"
            message = f"{where(base)} sets the header {quoted(name)} twice, as {first[0]}.{quoted(first[1])} too"
            yield fault(slug, path, message, "Keep one of the two; letter case makes no difference.", on="key")
