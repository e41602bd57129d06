"""A value that was copied from a README and never filled in."""

from __future__ import annotations

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

_PLACEHOLDER = re.compile(
    r"""(?x)
      \b(?:your|my)[_-](?:[a-z0-9]+[_-])*(?:token|key|secret|password|id|name|url|host|org|account|username|path|dir|database|db|here)\b
    | \byour(?:token|apikey|key|password|secret|username)\b
    | <[a-z][a-z0-9 _./-]{0,60}>
    | \binsert[_ -].*[_ -]here\b
    | \breplace[_ -]?(?:me|this|with)\b
    | ^(?:change[_-]?me|todo|fixme|placeholder|token[_-]here|x{4,}|\.\.\.|…)$
    | (?:^|[=/])(?:path|absolute/path)/to/
    """,
    re.IGNORECASE,
)


@rule.on(WrittenServer)
def check(server: WrittenServer, context: Context) -> Iterator[Finding]:
    for path, subject, text in texts(server):
        if (match := _PLACEHOLDER.search(text)) is not None:
            yield rule.finding(
                f'{shown(subject)} still holds the placeholder "{shown(match[0], 60)}"',
                (subject,),
                "Fill it in; a credential as a reference, like ${NAME}.",
                server.key(*path),
            )
