"""The file uses syntax of TOML 1.1 that a reader of TOML 1.0 refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config.toml11 import rewrites
from mcpexpose.lint.fix import Edit, Fix
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", fix="unsafe")


@rule.mends
def older(finding: Finding, source: Source) -> Fix | None:
    """All of it, the old way; a comment inside an inline table has no place there, so such a table is left alone."""
    edits = rewrites(source.text)
    if edits is None:
        return None
    return Fix("write it as TOML 1.0", tuple(Edit(*span, text) for span, text in edits))
