"""An address that hands out a cloud machine's credentials."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.lint.transports import texts
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")

_HOST = re.compile(r"https?://(?:[^/@\s]*@)?(\[[0-9a-fA-F:.]+\]|[^/:\s?#]+)", re.IGNORECASE)
_NAMES = frozenset({"metadata.google.internal", "metadata", "instance-data", "metadata.azure.internal"})


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    for path, subject, text in texts(server):
        for match in _HOST.finditer(text):
            host = match[1].strip("[]").rstrip(".").lower()
            if host in _NAMES or _link_local(host):
                yield rule.finding(
                    f"{shown(subject)} leads to {shown(host, 60)}, a link-local or cloud metadata address",
                    (subject,),
                    "Take it out: a tool that reaches it can read the machine's own credentials.",
                    server.key(*path),
                )


def _link_local(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_link_local or str(address) in ("100.100.100.200", "fd00:ec2::254")
