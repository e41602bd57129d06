"""What a host says, beside their tables, of which servers are on: those left off are written switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from mcpexpose.importers.draft import Draft, Notes, note
from mcpexpose.importers.source import Source
from mcpexpose.importers.tree import Path
from mcpexpose.importers.values import what
from mcpexpose.model.text import shown

Beside = Callable[[Source, Path, Any, Sequence[Draft], Notes], None]
"""Takes the file, the key's place in it, its value, the servers that it may be of, and the notes."""


def _servers_of(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> list[str] | None:
    """Ids of servers; None where the value is none, and then all are switched off."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    note(notes, "import-value", source, path, f"is {what(value)} and no list of servers: all are written switched off")
    for draft in drafts:
        draft.switch_off()
    return None


def only(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """The servers that are let in; the others are written switched off."""
    listed = _servers_of(source, path, value, drafts, notes)
    names = set(listed or ())
    for draft in drafts if listed is not None else ():
        if draft.name not in names:
            draft.switch_off()
    if listed == [] and drafts:
        _say_that_none_is_on(source, path, notes)
    _strangers(source, path, listed or [], drafts, notes)


def but(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """The servers that are kept out; they are written switched off."""
    listed = _servers_of(source, path, value, drafts, notes)
    names = set(listed or ())
    for draft in drafts:
        if draft.name in names:
            draft.switch_off()
    _strangers(source, path, listed or [], drafts, notes)


def _say_that_none_is_on(source: Source, path: Path, notes: Notes) -> None:
    said = "is an empty list: every server is written switched off"
    note(notes, "import-allow-empty", source, path, said, "Switch on the ones that are meant.")


def _strangers(source: Source, path: Path, listed: list[str], drafts: Sequence[Draft], notes: Notes) -> None:
    known = {draft.name for draft in drafts}
    strange = [name for name in listed if name not in known]
    if strange:
        names = ", ".join(shown(name, 60) for name in strange[:10])
        note(notes, "import-unmapped", source, path, f"names what is no server of these files: {names}")


def gemini(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """Both lists in one table."""
    for key, item in value.items() if isinstance(value, dict) else ():
        act = {"allowed": only, "excluded": but}.get(key)
        if act is not None and item is not None:
            act(source, (*path, key), item, drafts, notes)
        elif item is not None:
            note(notes, "import-unmapped", source, (*path, key), "has no counterpart here")


def admin(is_list_of_allowed: bool) -> Beside:
    """Claude Code's managed lists: entries that each name a server, a command or a url."""

    def act(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
        entries = [each if isinstance(each, dict) else {} for each in (value if isinstance(value, list) else [value])]
        if is_list_of_allowed:
            for draft in drafts:
                if not _is_allowed(draft, entries):
                    draft.switch_off()
            if not entries and drafts:
                _say_that_none_is_on(source, path, notes)
        for n, entry in enumerate(entries):
            met = [draft for draft in drafts if _is_met(draft, entry)]
            for draft in met if not is_list_of_allowed else ():
                draft.switch_off()
            if not entry.keys() & {"serverName", "serverCommand", "serverUrl"}:
                said = "tells servers by something else than their name, command or url"
                note(notes, "import-value", source, (*path, n), said, "Look through the servers by hand.")
            elif not met:
                note(notes, "import-unmapped", source, (*path, n), "is of no server of these files")

    return act


def _is_met(draft: Draft, entry: Mapping[str, Any]) -> bool:
    """Whether an entry of an administrator's list is of the server: its name, its words, or its url with stars."""
    if entry.get("serverName") == draft.name:
        return True
    words = [leaf.raw for tail, leaf in draft.leaves.items() if tail[0] in ("command", "args")]
    if words and entry.get("serverCommand") == words:
        return True
    url, pattern = draft.leaves.get(("url",)), entry.get("serverUrl")
    if url is None or not isinstance(pattern, str):
        return False
    return any(fnmatchcase(url.raw, each.replace("[", "[[]").replace("?", "[?]")) for each in (pattern, f"{pattern}/"))


def _is_allowed(draft: Draft, entries: Sequence[Mapping[str, Any]]) -> bool:
    """Where some entry tells servers of its kind by command or url, a server's name lets it in no longer."""
    key = "serverUrl" if ("url",) in draft.leaves else "serverCommand"
    strict = [{key: entry[key]} for entry in entries if key in entry]
    return any(
        _is_met(draft, entry) for entry in strict or [{"serverName": each.get("serverName")} for each in entries]
    )
