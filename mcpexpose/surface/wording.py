"""How text of servers and operators is set for a model: on one line, or in a JSON string, and cut with a mark."""

from __future__ import annotations

import json
import re
from typing import Any

DESCRIPTION_LIMIT = 4_096
"""Characters of a tool's description that a model is given; the mark that says more was there comes on top."""
SHORT_LIMIT = 200
"""Characters of the short description in a compact answer."""

# What a reader of lines, or a terminal, may take for more than a letter inside a JSON string: C1 controls and DEL,
# the line ends beyond LF, bidirectional controls, zero-width, format and tag characters, lone surrogates.
_ESCAPED = (
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_CONTROLS = "[\x00-\x1f\x7f-\x9f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e0fff]"


def compact(value: Any) -> str:
    """VALUE as JSON on one line, without blanks, keys in their own order; parses to VALUE again."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if text.isascii() and "\x7f" not in text:  # nearly all, and compiling the pattern costs as much as an answer
        return text
    return re.sub(_ESCAPED, _escape, text)


def plain(text: str) -> str:
    """TEXT on one line without control characters: for what stands in a prompt without quotes."""
    return " ".join((text if text.isprintable() else re.sub(_CONTROLS, " ", text)).split())


def description(text: str | None) -> str:
    """The description as the model gets it: whole, or its first 4,096 characters and a mark that tells how many follow.

    Absent and null are the empty text.
    """
    if not text or len(text) <= DESCRIPTION_LIMIT:
        return text or ""
    kept = text[:DESCRIPTION_LIMIT].rstrip()
    return f"{kept} … [cut here: {len(text) - len(kept):,} more characters]"


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
