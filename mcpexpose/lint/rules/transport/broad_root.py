"""A filesystem server on everything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")

_FILES = re.compile(r"file-?system|server-files?\b|desktop-commander|filesystem-mcp", re.IGNORECASE)
_BROAD = re.compile(
    r"/|[A-Za-z]:[\\/]?|~/?|\$\{?HOME\}?/?|/home(/[^/]+)?/?|/Users(/[^/]+)?/?|/root/?|[A-Za-z]:[\\/]Users([\\/][^\\/]+)?[\\/]?"
)


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    args = server.table.args
    if not any(_FILES.search(text) for text in (server.id, server.table.command or "", *args)):
        return
    for n, arg in enumerate(args):
        if _BROAD.fullmatch(arg.strip()):
            yield rule.finding(
                f"{shown(server.id)} serves files of {shown(arg, 60)}, a root or a whole home",
                (f"{server.id}:args[{n}]",),
                "Name the folders that the task needs: keys, mail and browser profiles lie in the rest.",
                server.key("args", n),
            )
