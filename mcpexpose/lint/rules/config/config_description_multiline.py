"""A server's description has more than one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.fix import Edit, Fix, place_of, quoted
from mcpexpose.lint.rule import Rule
from mcpexpose.model.text import first_line, one_line

if TYPE_CHECKING:
    from mcpexpose.lint.fix import Source
    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", fix="safe")


@rule.mends
def one_line_and_a_comment(finding: Finding, source: Source) -> Fix | None:
    """The line that a model reads stays the text; the others become a comment above it."""
    path = place_of(finding)
    span, named = source.document.value_span(path), source.document.span(path, "key")
    text = source.value(path)
    if span is None or named is None or not isinstance(text, str):
        return None
    start = source.line_start(named[0])
    indent = source.text[start : named[0]]
    if indent.strip():
        return None
    end = "\r\n" if source.text[start : source.line_end(span[1])].count("\r\n") else "\n"
    lines = [kept for line in text.splitlines() if (kept := one_line(line))][1:]
    if any(not line.isprintable() for line in lines):
        return None
    comment = "".join(f"{indent}# {line}{end}" for line in lines)
    edits = (Edit(start, start, comment), Edit(*span, quoted(first_line(text))))
    return Fix("keep the line that a model reads, and the others as a comment", edits, (path,))
