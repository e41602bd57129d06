"""A waiver, a comment or `[lint]` names a rule that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.acceptances import renamed
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", fix="unsafe")


@rule.mends
def rename(finding: Finding, source: Source) -> Fix | None:
    """To the nearest rule, which is then accepted, chosen or silenced."""
    return renamed(finding, source)
