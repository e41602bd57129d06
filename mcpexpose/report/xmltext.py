"""Text for XML 1.0: escaped, and without what XML cannot hold or nobody sees."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from mcpexpose.model.text import shown

# A log of a GitHub job takes `##[` at the start of a line for a command.
_COMMAND = {"##[": "##&#91;"}


def attribute(text: str) -> str:
    """TEXT as the value of an attribute, in its quotes."""
    return quoteattr(_legal(text), {"\n": "&#10;", **_COMMAND})


def content(text: str) -> str:
    """TEXT as what stands between two tags."""
    return escape(_legal(text), _COMMAND)


def _legal(text: str) -> str:
    """TEXT with what nobody sees as an escape of ours, and with it all that XML 1.0 cannot hold."""
    return "\n".join(shown(line) for line in text.split("\n"))
