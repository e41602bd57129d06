"""The server's text changed since the lock, and the config replaces it by one that was written for the old."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.canonical import digest
from mcpexpose.model.finding import Place
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    because = next((each for each in tool.decision.because if each.axis == "description"), None)
    server = context.lock.servers.get(tool.id.server) if context.lock else None
    locked = server.tools.get(tool.id.name) if server else None
    if because is None or because.layer != "tool" or locked is None or not tool.wanted:
        return
    own = tool.raw.get("description")
    if locked.description != (None if own is None else digest(own)):
        yield rule.finding(
            f"{shown(str(tool.id))} has another text of its server than when the config's own, which replaces it, "
            "was reviewed",
            (tool.id,),
            "Read the new text and mend yours where it has to be; `mcpexpose lock` accepts it.",
            Place(because.file, because.path),
            related=(tool.at("description"),) if own is not None else (),
        )
