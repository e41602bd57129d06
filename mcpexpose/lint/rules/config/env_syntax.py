"""A reference to a variable is unclosed, empty or nested."""

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
def close(finding: Finding, source: Source) -> Fix | None:
    """A reference without its brace, or with blanks around its name."""
    path = place_of(finding)
    text = source.value(path)
    if not isinstance(text, str):
        return None
    new = re.sub(r"(?<!\$)\$\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}", r"${\1}", text)
    new = re.sub(r"(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)(?=[^A-Za-z0-9_}:]|$)(?![^{]*\})", r"${\1}", new)
    if new == text or new.count("}") > new.count("{"):  # of a nested one the outer brace would be left over
        return None
    return source.new_text(path, new, "write ${NAME}")
