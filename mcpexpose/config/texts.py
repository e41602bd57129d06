"""Texts that a person wrote and a machine reads: control characters in them, and a summary of several lines."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, fault, warning, where
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.config.scan import Path

_TRANSPORT = frozenset({"command", "cwd", "url", "bearer_token_env_var", "transport", "env_vars", "env_http_headers"})
_ESCAPES = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", "\x1b": r"\e"}
_DRIVE = re.compile(r"[A-Za-z]:[\x00-\x1f\\]|\\\\")
_BROKEN_PATH = re.compile(r"(?:[A-Za-z]:|\.{1,2}|~|%\w+%|\$\{?\w+\}?|[\w.-]+\\[\w.\\-]*)[\x08\x09\x0a\x0c\x0d]\S")
_PATH_WITHIN = re.compile(r"[=\s;,\"'(][A-Za-z]:[\x08\x09\x0a\x0c\x0d]\w")
"""A path behind something else: `--dir=C:\\temp`, `type C:\\notes.txt`."""
_PROSE_CONTROLS = frozenset("\n\r\t")


def check(own: Mapping[str, Any]) -> Iterator[Fault]:
    """Faults of every text of our tables."""
    for path, text, is_key in _walk(own, ()):
        kind = "key" if is_key else _kind(path)
        if kind == "summary" and len(text.strip().splitlines()) > 1:
            yield warning(
                "config-description-multiline",
                path,
                f"{where(path)} has several lines; a model reads the first alone",
                "Say it on one line.",
                subject=str(path[1]),
            )
        if controls := _controls(text, kind):
            yield _control_fault(path, controls, kind)


def _control_fault(path: Path, controls: str, kind: str) -> Fault:
    listed = ", ".join(_ESCAPES.get(char) or shown(char) for char in controls)
    message = f"{where(path)} holds control characters: {listed}"
    advice = "Remove them."
    details = {}
    if set(controls) <= _ESCAPES.keys() and (kind in ("path", "argument", "variable")):
        message += "; in double quotes a backslash starts an escape"
        advice = r"Write a path as a literal string in single quotes, 'C:\dir', or double each backslash."
        details = {"path": True}
    matched_on_names = kind in ("pattern", "key") and path[0] == "mcp_servers"
    if matched_on_names and len(path) > 2:
        advice = "Remove them; if a tool's name does hold one, write ? in its place, which meets any character."
    return fault(
        "config-control-characters",
        path,
        message,
        advice,
        on="key" if kind == "key" else "value",
        drop=path[:2] if matched_on_names else None,
        details=details,
    )


def _controls(text: str, kind: str) -> str:
    if text.isprintable():
        return ""
    found = "".join(dict.fromkeys(char for char in text if unicodedata.category(char) == "Cc"))
    if not found:
        return ""
    if kind in ("prose", "summary"):
        return "".join(char for char in found if char not in _PROSE_CONTROLS)
    if kind in ("argument", "variable") and set(found) <= _PROSE_CONTROLS:
        # A script or a key file may well have lines; a Windows path that lost its backslashes has not.
        single = not any(char in text for char in " ;(){}=") and kind == "argument"
        is_path = _DRIVE.match(text) or _BROKEN_PATH.match(text) or _has_path_within(text)
        return found if is_path or single else ""
    return found


def _has_path_within(text: str) -> bool:
    """A text of several lines may well have `a:` at the end of one: there only what is no line end tells."""
    found = _PATH_WITHIN.search(text)
    return found is not None and ("\n" not in found.group() or text.count("\n") == 1)


def _kind(path: Path) -> str:
    """What a text is: path, argument, variable, header, pattern, summary, prose, name."""
    if path[0] == "mcp_servers" and len(path) > 2:
        key = path[2]
        if len(path) == 3:
            return "summary" if key == "description" else "path" if key in _TRANSPORT else "name"
        if key == "args":
            return "argument"
        if key in ("env", "http_headers"):
            return "variable" if key == "env" else "header"
        if key == "tools" and len(path) > 4:
            return "prose" if path[4] == "description" else "name"
        return "path" if key in _TRANSPORT else "pattern"
    if path[-1] in ("description", "reason") or path[0] in ("groups", "search"):
        return "prose"
    return "name"


def _walk(node: Any, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """Each text with its path, and whether it is the path's last key. Ids of servers have rules of their own."""
    if isinstance(node, dict):
        for key, value in node.items():
            here = (*path, key)
            if len(here) != 2 or here[0] != "mcp_servers":
                yield here, key, True
            yield from _walk(value, here)
    elif isinstance(node, list | tuple):
        for n, value in enumerate(node):
            yield from _walk(value, (*path, n))
    elif isinstance(node, str):
        yield path, node, False
