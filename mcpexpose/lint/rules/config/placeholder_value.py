"""A value that was copied from a README and never filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WrittenServer
from mcpexpose.lint.transports import texts
from mcpexpose.model import placeholders
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    for path, subject, text in texts(server):
        if (found := placeholders.find(text)) is not None:
            yield rule.finding(
                f'{shown(subject)} still holds the placeholder "{shown(found, 60)}"',
                (subject,),
                "Fill it in; a credential as a reference, like ${NAME}.",
                server.key(*path),
            )
