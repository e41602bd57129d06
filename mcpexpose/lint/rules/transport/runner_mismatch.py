"""A runner of one language, given a package of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.packages import package_of
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    found = package_of(server.table.command or "", server.table.args)
    if found is None or not server.table.command:
        return
    runner = shown(server.table.command)
    if found.kind == "uvx" and found.spec.startswith("@"):
        message, advice = "which is an npm scope, and the runner is for Python", "Run it with npx."
    elif found.kind == "npx" and "==" in found.spec:
        message, advice = "which is a Python requirement, and the runner is for npm", "Run it with uvx."
    else:
        return
    yield rule.finding(
        f"{shown(server.id)} gives {runner} the package {shown(found.spec, 80)}, {message}",
        (f"{server.id}:args[{found.index}]",),
        advice,
        server.key("args", found.index),
    )
