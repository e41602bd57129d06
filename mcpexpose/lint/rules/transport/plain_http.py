"""Calls, results and credentials in the clear."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0")


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    url = server.table.url or ""
    if not url.strip().lower().startswith("http://"):
        return
    try:
        host = urlsplit(url.strip()).hostname or ""
    except ValueError:
        return
    # A host that a variable gives may be this machine: what cannot be told is not said.
    if "$" in host or not host or _loopback(host):
        return
    yield rule.finding(
        f"{shown(server.id)} is reached over plain http at {shown(host, 80)}",
        (f"{server.id}:url",),
        "Use https: whoever is on the way reads tokens and results, and can change what tools say.",
        server.key("url"),
    )


def _loopback(host: str) -> bool:
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
