"""A value holds another host's way to name a variable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcpexpose.config.references import foreign
from mcpexpose.lint.fix import Fix, place_of, quoted
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", fix="unsafe")


@rule.mends
def as_reference(finding: Finding, source: Source) -> Fix | None:
    """Each spelling of another host in the text that names a variable, as `${NAME}`."""
    path = place_of(finding)
    text = source.value(path)
    if not isinstance(text, str):
        return None
    spellings = {spelling: meant for spelling, meant in foreign(text).items() if meant}
    written = source.written(path)
    if not spellings or not written:
        return None
    longest = sorted(spellings, key=len, reverse=True)
    pattern = re.compile("|".join(re.escape(spelling) for spelling in longest))
    new = pattern.sub(lambda found: f"${{{spellings[found.group()]}}}", text)
    return source.new_value(path, quoted(new, like=written), "write ${NAME}")
