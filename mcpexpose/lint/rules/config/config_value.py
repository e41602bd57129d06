"""A value is outside its set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.fix import Fix, place_of, suggested
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0", fix="unsafe")


@rule.mends
def choose(finding: Finding, source: Source) -> Fix | None:
    """The one value that it is near to."""
    path = place_of(finding)
    suggests = suggested(finding)
    if len(suggests) != 1 or not isinstance(source.value(path), str):
        return None
    return source.new_text(path, suggests[0], f'write "{suggests[0]}"')
