"""A waiver's last day is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.acceptances import without
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", fix="safe")


@rule.mends
def take_out(finding: Finding, source: Source) -> Fix | None:
    """It accepts nothing, so nothing changes without it."""
    return without(finding, source)
