"""Results as they may stand before a model or a terminal: no control characters, and no credentials in errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.model.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")
"""What terminals obey: colours, titles, links."""
_CONTROLS = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\U000e0000-\\U000e007f]"
)
"""C0 but tab, line feed and carriage return, C1, line and paragraph marks, bidi overrides, tag characters."""


def cleaned(value: Any) -> Any:
    """A JSON value with all its texts cleaned, keys too; nothing of it is lost."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        names = _names(value)
        return {names.get(key, key): cleaned(item) for key, item in value.items()}
    return value


def _names(keys: Iterable[str]) -> dict[str, str]:
    """What those keys are called that cannot stay as they are; no two of all are one after that."""
    odd = [key for key in keys if clean_text(key) != key]
    if not odd:
        return {}
    taken, names = set(keys), {}
    for key in odd:
        name = clean_text(key)
        if name in taken:  # spelt out
            name = key.encode("unicode_escape").decode()
        while name in taken:
            name += "'"
        taken.add(name)
        names[key] = name
    return names


def clean_text(text: str) -> str:
    """TEXT without the escape sequences of terminals and without control characters."""
    if text.isprintable():
        return text
    return _CONTROLS.sub("", _ESCAPES.sub("", text))


def error_text(text: str, limit: int, secrets: tuple[str, ...] = ()) -> str:
    """An error's TEXT, cleaned, without credentials, of at most LIMIT UTF-8 bytes. SECRETS are struck to the letter."""
    text = clean_text(text[: max(limit, 0) * 2])
    for secret in secrets:
        text = text.replace(secret, "***")
    text = redact(text)
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[: max(limit - 3, 0)].decode("utf-8", "ignore") + "…"
