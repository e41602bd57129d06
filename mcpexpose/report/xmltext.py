"""Text for XML 1.0: escaped, and without what XML cannot hold."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """TEXT as the value of an attribute, in its quotes."""
    return quoteattr(_legal(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def content(text: str) -> str:
    """TEXT as what stands between two tags."""
    return escape(_legal(text), {"\r": "&#13;"})


def _legal(text: str) -> str:
    """TEXT with what XML 1.0 cannot hold as an escape of ours."""
    return _ILLEGAL.sub(lambda found: f"\\u{{{ord(found.group()):04X}}}", text)
