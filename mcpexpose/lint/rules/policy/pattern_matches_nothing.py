"""An entry of allow or deny, or a pattern elsewhere, meets no tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.config.nearest import nearest
from mcpexpose.lint.fix import Fix, place_of, suggested
from mcpexpose.lint.rule import Rule
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Fix, Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="error", since="0.1.0", fix="unsafe")


@rule.mends
def nearest_tool(finding: Finding, source: Source) -> Fix | None:
    """The tool that a plain name was meant to be. A pattern may have been meant for several, so it is left alone."""
    path = place_of(finding)
    entry = source.value(path)
    suggests = suggested(finding)
    if not isinstance(entry, str) or not suggests or any(sign in entry for sign in "*?[{"):
        return None
    name = str(suggests[0])
    behind = entry.endswith(("/" + name, "__" + name))  # the server stood in front
    if not behind and nearest(entry, [name], aliases=False) is None:
        return None
    listed = source.value(path[:-1])
    if isinstance(listed, list) and name in listed:
        return None
    return source.new_text(path, name, f'write "{shown(name)}"')
