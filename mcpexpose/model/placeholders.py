"""What was copied from a README and never filled in: `YOUR_TOKEN`, `<path>`, `/path/to/`."""

from __future__ import annotations

import re

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


def find(text: str) -> str | None:
    """The first stretch of TEXT that only says that something belongs there."""
    found = _PLACEHOLDER.search(text)
    return found[0] if found else None
