"""JSON for a terminal, a pipe or a file: sorted keys, one space, LF, nothing in it that a terminal would act on."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

_SUSPECT = re.compile(r"[^\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u3041-\u3096\u4e00-\u9fff\uac00-\ud7a3]")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def dump(value: Any) -> str:
    """The text of a JSON value with a final line feed. Invisible and control characters stand as `\\u` escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    return _SUSPECT.sub(_escape, text) + "\n"


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    hidden = (
        unicodedata.category(char) in _HIDDEN or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    )
    if not hidden:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))
