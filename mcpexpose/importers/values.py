"""Values of a host's file by the type that is wanted; another type is said, never read as if it fitted."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcpexpose.model import secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.importers.draft import Draft, Notes
    from mcpexpose.importers.tree import Path

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_TEXT = 32_768
"""Characters of a text: systems take no longer argument, and few take one as long."""
OFF = "the server is written switched off, so that nothing is let in that was kept out"


def what(value: Any) -> str:
    """The type of a value, in words."""
    if isinstance(value, bool):
        return "true or false"
    if value is None:
        return "null"
    names = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), "a date")


def is_nothing(value: Any) -> bool:
    """Whether a value says no more than its absence would."""
    return value is None or (isinstance(value, dict | list | str) and not value)


def wrong(draft: Draft, path: Path, value: Any, wanted: str, becomes: str, notes: Notes) -> None:
    """Say that the value at PATH is of another type."""
    notes.of("import-value", draft, path, f"is {what(value)} where {wanted} is wanted: {becomes}", "Mend it by hand.")


def text(draft: Draft, path: Path, value: Any, notes: Notes) -> str | None:
    """A text; a number or a truth value in its place as its letters, which is said."""
    if isinstance(value, str):
        if len(value) <= MAX_TEXT:
            return value
        notes.of("import-value", draft, path, f"is longer than {MAX_TEXT:,} characters: it is left out", "Shorten it.")
        return None
    if isinstance(value, bool | int | float):
        written = json.dumps(value)
        wrong(draft, path, value, "a text", f'it is written as "{written}"', notes)
        return written
    if value is not None:
        wrong(draft, path, value, "a text", "it is left out", notes)
    return None


def texts(draft: Draft, path: Path, value: Any, notes: Notes) -> Iterator[tuple[Path, str]]:
    """The texts of a list, or of a table's values, with their paths; a lone text is a list of one, which is said."""
    if isinstance(value, str):
        wrong(draft, path, value, "a list", "it is taken as a list of one", notes)
        value = [value]
        yield path, value[0]
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        wrong(draft, path, value, "a list or a table", "it is left out", notes)
        return
    for step, item in items:
        found = text(draft, (*path, step), item, notes)
        if found is not None:
            yield (*path, step), found


def flag(draft: Draft, path: Path, value: Any, notes: Notes) -> bool | None:
    """True or false; None where the value is neither, which is said and switches the server off."""
    if isinstance(value, bool):
        return value
    wrong(draft, path, value, "true or false", OFF, notes)
    draft.switch_off()
    return None


def names(draft: Draft, path: Path, value: Any, notes: Notes) -> list[str] | None:
    """Names of tools; None where the value is no list of texts, which is said and switches the server off."""
    if isinstance(value, list) and all(isinstance(item, str) and secrets.redact_forms(item) == item for item in value):
        return [item.strip() for item in value]
    wrong(draft, path, value, "a list of tools' names", OFF, notes)
    draft.switch_off()
    return None


def seconds(draft: Draft, path: Path, value: Any, notes: Notes, *, per: int = 1) -> int | float | None:
    """A time above 0, in seconds; PER of the value's units make one."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 10**9:
        out = value / per
        return int(out) if out == int(out) else round(out, 6)
    wrong(draft, path, value, "a time above 0", "it is left out, and the time that mcpexpose gives holds", notes)
    return None
