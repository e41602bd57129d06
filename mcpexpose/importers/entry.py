"""One server's table of a host: each key goes to the act that its dialect's row names, and none is passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.importers import transport
from mcpexpose.importers.acts import ACTS
from mcpexpose.importers.dialects import IGNORED_KINDS, Dialect
from mcpexpose.importers.draft import Draft, Notes
from mcpexpose.importers.values import is_nothing, what
from mcpexpose.model.secrets import redact_forms
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.importers.source import Source
    from mcpexpose.importers.tree import Path

_NO_COUNTERPART = "has no counterpart here"


def draft_of(source: Source, dialect: Dialect, path: Path, entry: Any, notes: Notes) -> Draft | None:
    """What becomes of the ENTRY at PATH; None where it is none of our servers, and NOTES say why."""
    name = str(path[-1])
    draft = Draft(name, source, dialect, path)
    repeat = source.repeat_within(path)
    if repeat is not None:
        advice = "Keep one of the two there, and import again."
        notes.of("import-duplicate-key", draft, repeat, "is given twice, so the server is not imported", advice)
        return None
    if not isinstance(entry, dict):
        message = f"is {what(entry)} where a server's table is wanted, and is not imported"
        notes.of("import-value", draft, path, message, "Write it as a table, and import again.")
        return None
    if (reason := _of_the_host(dialect, entry)) is not None:
        advice = "Nothing is lost: it has no catalog that could be captured."
        notes.of("import-ignored", draft, path, f"is {reason}, and no MCP server to connect to", advice, on="key")
        return None
    for key, value in entry.items():
        if value is not None:
            _key(draft, key, value, notes)
    return draft if transport.settle(draft, entry, notes) else None


def _of_the_host(dialect: Dialect, entry: dict[str, Any]) -> str | None:
    kind = entry.get("type")
    if isinstance(kind, str) and kind in IGNORED_KINDS:
        return f"built into the host (type {kind})"
    extension = dialect.name == "zed" and not {"command", "url"} & entry.keys()
    if extension and (entry.get("source") == "extension" or "settings" in entry):
        return "an extension of Zed's"
    return None


def _key(draft: Draft, key: str, value: Any, notes: Notes) -> None:
    path = (*draft.path, key)
    act = draft.dialect.keys.get(key, "-")
    if not act.startswith("-"):
        ACTS[act](draft, path, value, notes)
        return
    if is_nothing(value):
        return
    reason = f": {act[1:]}" if act[1:] else ""
    draft.left_out.append(shown(redact_forms(key), 60))
    advice = "It is left out; do it in another way where the server needs it."
    notes.of("import-unmapped", draft, path, f"{_NO_COUNTERPART}{reason}", advice, on="key")
