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


Rewrite = tuple["Span", str]


def as_1_0(text: str) -> tuple[str, tuple[Newer, ...]]:
    """TEXT in TOML 1.0, and what was newer in it; the text itself where nothing was."""
    edits, found, _ = _read(text)
    unique = {newer.what: newer for newer in reversed(found)}
    return _applied(text, edits), tuple(reversed(unique.values()))


def rewrites(text: str) -> list[Rewrite] | None:
    """The stretches to be written otherwise, in order; None where a comment would be lost."""
    edits, _, loses_comment = _read(text)
    if loses_comment:
        return None
    out = []
    for (start, end), new in edits:
        if new == " ":  # a line's end: what the next line is indented by goes too
            start = len(text[:start].rstrip(" \t"))
            end += len(text[end:]) - len(text[end:].lstrip(" \t"))
        out.append(((start, end), new))
    return out


def _read(text: str) -> tuple[list[Rewrite], list[Newer], bool]:
    edits: list[Rewrite] = []
    found: list[Newer] = []
    stack: list[str] = []
    comma: Span | None = None  # that nothing followed yet
    loses_comment = False
    last = 0
    for token in _TOKEN.finditer(text):
        if text[last : token.start()].strip():
            comma = None
        last = token.end()
        raw, kind, inside = token.group(), token.lastgroup, bool(stack) and stack[-1] == "{"
        if kind == "open":
            stack.append(raw)
        elif kind == "close":
            if comma is not None and inside:
                edits.append((comma, ""))
                found.append(Newer("a comma before the end of an inline table", token.span(), "Remove the comma."))
            stack = stack[:-1]
        elif kind in ("line", "comment") and inside:
            if kind == "line":
                found.append(Newer("an inline table over several lines", token.span(), "Write it on one line."))
            else:
                loses_comment = True
            edits.append((token.span(), " "))
        elif kind == "string" and raw[0] == '"' and not _PATH.match(raw):
            older, escapes = _old_escapes(raw)
            found += [Newer(f"the escape {e}", token.span(), "Write it as \\u00XX.") for e in escapes]
            if escapes:
                edits.append((token.span(), older))
        elif kind == "time":
            edits.append(((token.end(), token.end()), ":00"))
            found.append(Newer("a time without seconds", token.span(), "Add :00."))
        if kind not in ("line", "comment"):
            comma = token.span() if kind == "comma" else None
    return sorted(edits), found, loses_comment


def _applied(text: str, edits: list[Rewrite]) -> str:
    out, last = [], 0
    for (start, end), new in edits:
        out += [text[last:start], new]
        last = end
    return "".join([*out, text[last:]])


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
