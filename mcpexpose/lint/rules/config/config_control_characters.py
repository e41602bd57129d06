"""A path or a name holds a control character."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from mcpexpose.lint.fix import Edit, Fix, key, place_of, quoted
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0", fix="unsafe")


@rule.mends
def as_meant(finding: Finding, source: Source) -> Fix | None:
    """A path with its backslashes in single quotes; any other text without the characters."""
    path = place_of(finding)
    if finding.details.get("path"):
        written = source.written(path)
        meant = re.sub(r"\\\\", r"\\", written[1:-1])
        if not re.fullmatch(r'"[^"\n]*"', written) or "'" in meant or not meant.isprintable():
            return None
        return source.new_value(path, f"'{meant}'", "write it in single quotes, so that a backslash is one")
    if finding.place is not None and finding.place.on == "key":
        span, old = source.document.span(path, "key"), str(path[-1])
        new = _without_controls(old)
        if span is None or not new:
            return None
        return Fix("remove the control characters", (Edit(*span, key(new)),), (path, (*path[:-1], new)))
    value, span = source.value(path), source.document.value_span(path)
    if not isinstance(value, str) or span is None or source.written(path)[:3] in ('"""', "'''"):
        return None
    return Fix("remove the control characters", (Edit(*span, quoted(_without_controls(value))),), (path,))


def _without_controls(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cc")
