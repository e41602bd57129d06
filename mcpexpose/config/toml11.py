"""What TOML 1.1 allows and a 1.0 reader refuses: found, and written the old way, so that the rest can be judged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.config.scan import ANY_STRING

if TYPE_CHECKING:
    from mcpexpose.config.scan import Span

_TOKEN = re.compile(
    f"(?P<string>{ANY_STRING})"
    r"|(?P<comment>#[^\n]*+)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<line>\r?\n)|(?P<comma>,)"
    r"|(?<![\d:])(?P<time>(?:[01]\d|2[0-3]):[0-5]\d)(?![\d:])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:e|x(?P<hex>[0-9A-Fa-f]{2})|.)", re.DOTALL)
_PATH = re.compile(r'"{1,3}(?:[A-Za-z]:|\\\\)')


@dataclass(frozen=True, slots=True)
class Newer:
    """One stretch that only TOML 1.1 allows."""

    what: str
    span: Span
    advice: str


def as_1_0(text: str) -> tuple[str, tuple[Newer, ...]]:
    """TEXT in TOML 1.0, and what was newer in it; the text itself where nothing was."""
    out: list[str] = []
    found: list[Newer] = []
    stack: list[str] = []
    comma = -1  # where in OUT the comma stands that nothing followed yet
    last = 0
    for token in _TOKEN.finditer(text):
        between = text[last : token.start()]
        out.append(between)
        if between.strip():
            comma = -1
        last = token.end()
        raw, kind, inside = token.group(), token.lastgroup, bool(stack) and stack[-1] == "{"
        if kind == "open":
            stack.append(raw)
        elif kind == "close":
            if comma >= 0 and inside:
                out[comma] = ""
                found.append(Newer("a comma before the end of an inline table", token.span(), "Remove the comma."))
            stack = stack[:-1]
        elif kind in ("line", "comment") and inside:
            if kind == "line":
                found.append(Newer("an inline table over several lines", token.span(), "Write it on one line."))
            raw = " "
        elif kind == "string" and raw[0] == '"' and not _PATH.match(raw):
            raw, escapes = _old_escapes(raw)
            found += [Newer(f"the escape {e}", token.span(), "Write it as \\u00XX.") for e in escapes]
        elif kind == "time":
            raw += ":00"
            found.append(Newer("a time without seconds", token.span(), "Add :00."))
        if kind not in ("line", "comment"):
            comma = len(out) if kind == "comma" else -1
        out.append(raw)
    out.append(text[last:])
    unique = {newer.what: newer for newer in reversed(found)}
    return "".join(out), tuple(reversed(unique.values()))


def _old_escapes(raw: str) -> tuple[str, list[str]]:
    found: list[str] = []

    def old(escape: re.Match[str]) -> str:
        if escape["hex"] is not None:
            found.append("\\x")
            return f"\\u00{escape['hex']}"
        if escape.group() == "\\e":
            found.append("\\e")
            return "\\u001B"
        return escape.group()

    return _ESCAPE.sub(old, raw), found
