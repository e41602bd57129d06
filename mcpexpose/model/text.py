"""Text from a server is data: how it is shown to people, and how it is kept on one line for a model."""

from __future__ import annotations

import unicodedata

_KEPT = {" "}
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters, marks and symbols by their category that are drawn as nothing."""
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def shown(text: str, limit: int | None = None) -> str:
    r"""TEXT as it may be printed to a terminal: controls and invisible characters as `\n`, `\u{200B}` and the like.

    With LIMIT, at most that many characters of the source are shown and `…` says that there is more.
    """
    cut = limit is not None and len(text) > limit
    source = text[:limit] if cut else text
    if source.isascii() and source.isprintable():  # nearly all texts, and this is called for every one that is shown
        return source + "…" if cut else source
    out = "".join(_visible(char) for char in source)
    return out + "…" if cut else out


def one_line(text: str) -> str:
    """TEXT with each run of white space, line breaks of every kind among them, as one blank; ends stripped."""
    return " ".join(text.split())


def first_line(text: str) -> str:
    """The first line of TEXT that holds something, on one line; "" where none does."""
    for line in text.splitlines():
        if kept := one_line(line):
            return kept
    return ""


def cut(text: str, limit: int) -> str:
    """TEXT of at most LIMIT characters; where it was longer, the last of them is `…`."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _visible(char: str) -> str:
    if char in _KEPT:
        return char
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}.get(char)
    if short is not None:
        return short
    return f"\\u{{{ord(char):04X}}}" if is_unseen(char) else char


def is_unseen(char: str) -> bool:
    """Whether CHAR steers a terminal, or is drawn as nothing: controls, formats, fillers, selectors, what is none."""
    return (
        unicodedata.category(char) in _HIDDEN_CATEGORIES
        or char in _BLANKS
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )
