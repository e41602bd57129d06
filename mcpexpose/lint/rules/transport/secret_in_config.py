"""A credential stands in the config as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config.withhold import references_for
from mcpexpose.lint.fix import Fix, place_of
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", fix="unsafe")


@rule.mends
def refer(finding: Finding, source: Source) -> Fix | None:
    """A reference in place of the credential. It leaves the file, so whoever mends must keep it elsewhere first."""
    path, variable = place_of(finding), finding.details.get("variable")
    if not variable or source.config is None:
        return None
    text = references_for(source.config).get(path)
    return (
        source.new_text(path, text, f"refer to the variable {variable}, to be set where something connects")
        if text
        else None
    )
