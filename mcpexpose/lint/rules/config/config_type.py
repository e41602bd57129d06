"""A value has the wrong type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.lint.fix import Fix, place_of
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0", fix="unsafe")


@rule.mends
def unquote(finding: Finding, source: Source) -> Fix | None:
    """A number or a truth value out of its quotes, a single text into a list."""
    path, wanted = place_of(finding), finding.details.get("wanted")
    value, written = source.value(path), source.written(path)
    if not isinstance(value, str) or not written or "\n" in written:
        return None
    if wanted == "true or false" and value.lower() in ("true", "false"):
        return source.new_value(path, value.lower(), f"write {value.lower()} without quotes")
    if wanted == "a whole number" and re.fullmatch(r"[1-9][0-9]{0,11}", value):
        return source.new_value(path, value, "write the number without quotes")
    if wanted == "a list of texts" and value:
        return source.new_value(path, f"[{written}]", "make it a list of one")
    return None
