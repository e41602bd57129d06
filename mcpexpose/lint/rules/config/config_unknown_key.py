"""A key in one of our tables means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config.nearest import nearest
from mcpexpose.lint.fix import Edit, Fix, key, place_of, suggested
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0", fix="unsafe")


@rule.mends
def rename(finding: Finding, source: Source) -> Fix | None:
    """To the key that it is another spelling of; what other hosts call a thing often holds another kind of value."""
    path = place_of(finding)
    suggests = suggested(finding)
    if not path or len(suggests) != 1 or nearest(str(path[-1]), suggests, aliases=False) is None:
        return None
    there = (*path[:-1], suggests[0])
    span = source.document.span(path, "key")
    if span is None or (source.value(there) is not None and not isinstance(source.value(there), dict)):
        return None
    return Fix(f"rename it to {suggests[0]}", (Edit(*span, key(suggests[0])),), (path, there))
