"""A package runner that takes whatever is newest today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.packages import package_of, pinned
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
    if found is None or pinned(found):
        return
    example = {"docker": "image@sha256:…", "uvx": "package==1.2.3"}.get(found.kind, "package@1.2.3")
    yield rule.finding(
        f"{shown(server.id)} runs {shown(found.spec, 80)}, which names no exact version",
        (f"{server.id}:args[{found.index}]",),
        f"Pin it, as in {example}: another version is other code, with other tools, that nobody reviewed.",
        server.key("args", found.index),
        details={"package": shown(found.spec)},
    )
