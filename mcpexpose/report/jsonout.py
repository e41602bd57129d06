"""JSON for a terminal, a pipe or a file: sorted keys, one space, LF, nothing in it that a terminal would act on."""

from __future__ import annotations

import json
import re
from typing import Any

from mcpexpose.model.text import is_unseen

_SUSPECT = re.compile(r"[^\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u3041-\u3096\u4e00-\u9fff\uac00-\ud7a3]")


def dump(value: Any) -> str:
    """The text of a JSON value with a final line feed. Invisible and control characters stand as `\\u` escapes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    # A runner of GitHub takes `##[` for a command, wherever it stands in a line of a job's log.
    return _SUSPECT.sub(_escape, text).replace("##[", "##\\u005b") + "\n"


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if not is_unseen(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))
