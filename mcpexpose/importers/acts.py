"""What a key of a host's table does to a draft. Each act takes the draft, the key's place, its value, and the notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mcpexpose.importers import filters
from mcpexpose.importers.credentials import is_one
from mcpexpose.importers.draft import Draft, Leaf, Notes
from mcpexpose.importers.tree import Path
from mcpexpose.importers.values import VARIABLE, flag, seconds, text, texts, what, wrong
from mcpexpose.model import secrets

Act = Callable[[Draft, Path, Any, Notes], None]

_NOT_TAKEN = "Answer for it in [policy] auto_approve, tool by tool, once the catalog was captured."
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = re.compile(r"[^=\0]+")
_OURS: dict[str, tuple[str, ...]] = {
    "exposure": ("direct", "deferred", "hidden"),
    "side_effect": ("read_only", "write", "destructive"),
    "approval": ("ask",),
}
"""Keys of ours in a tool's table that are taken over, with their values, the strictest last."""
_NAME_OF = "the name of an environment variable"


def _command(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if isinstance(value, list):  # opencode: program and arguments in one
        for n, (place, word) in enumerate(texts(draft, path, value, notes)):
            draft.leaves[("command",) if n == 0 else ("args", n - 1)] = Leaf(word, place)
    elif isinstance(value, dict):  # Zed, the older form
        for key, item in value.items():
            inner = {"path": _command, "args": _args, "env": _table("env")}.get(key)
            if inner is not None and item is not None:
                inner(draft, (*path, key), item, notes)
            elif item is not None:
                notes.of("import-unmapped", draft, (*path, key), "has no counterpart here", "It is left out.")
    else:
        _text("command")(draft, path, value, notes)


def _args(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    first = sum(1 for tail in draft.leaves if tail[0] == "args")
    if isinstance(value, dict):
        wrong(draft, path, value, "a list", "the server is written switched off", notes)
        draft.switch_off()
        return
    for n, (place, word) in enumerate(texts(draft, path, value, notes), first):
        draft.leaves["args", n] = Leaf(word, place)


def _text(key: str) -> Act:
    def act(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
        found = text(draft, path, value, notes)
        if found:
            draft.leaves[(key,)] = Leaf(found, path)

    return act


def _table(key: str) -> Act:
    def act(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
        if not isinstance(value, dict):
            wrong(draft, path, value, "a table", "it is left out", notes)
            return
        for place, found in texts(draft, path, value, notes):
            name = str(place[-1])
            if (_HEADER if "headers" in key else _VARIABLE).fullmatch(name) and not is_one(name):
                draft.leaves[key, name] = Leaf(found, place)
            else:
                notes.of("import-value", draft, place, "is no name that can be: it is left out", "Rename it.", on="key")

    return act


def _url(transport: str) -> Act:
    """A url that says by its key how it is spoken to; the first that was seen of two stays in `leaves`."""

    def act(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
        found = text(draft, path, value, notes)
        if not found:
            return
        before = draft.leaves.get(("url",))
        if before is None or transport:
            draft.leaves[("url",)] = Leaf(found, path)
            draft.values.pop("transport_hint", None)
            if transport:
                draft.values["transport_hint"] = transport
        lost = path if before is not None and not transport else before.path if before is not None else None
        if lost is not None:
            notes.of("import-unmapped", draft, lost, "is a second url", "It is left out; one server has one.", on="key")

    return act


def _type(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if isinstance(value, str):
        draft.values["type"] = value.strip()
    else:
        wrong(draft, path, value, "a text", "the transport is told by the other keys", notes)


def _enabled(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if flag(draft, path, value, notes) is False:
        draft.switch_off()


def _disabled(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if flag(draft, path, value, notes) is True:
        draft.switch_off()


def _required(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if isinstance(value, bool):
        draft.values["required"] = value
    else:
        wrong(draft, path, value, "true or false", "it is left out", notes)


def _description(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    found = text(draft, path, value, notes)
    if found is None or not found.strip():
        return
    if hits := secrets.find_in_prose(found):
        for each in hits:
            notes.keep_secret(draft.source, path, found[each.start : each.end])
        notes.of("secret-in-config", draft, path, "holds a literal credential: it is left out", "Write another.")
        return
    draft.values["description"] = found.strip()


def _seconds(key: str, per: int) -> Act:
    def act(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
        found = seconds(draft, path, value, notes, per=per)
        if found is not None:
            draft.values[key] = found

    return act


def _opencode_timeout(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if not isinstance(value, dict):  # up to version 1: for fetching the tools
        _seconds("startup_timeout_sec", 1000)(draft, path, value, notes)
        return
    for key, item in value.items():
        ours = {"startup": "startup_timeout_sec", "request": "tool_timeout_sec"}.get(key)
        if ours is not None:
            _seconds(ours, 1000)(draft, (*path, key), item, notes)
        else:
            notes.of("import-unmapped", draft, (*path, key), "has no counterpart here", "It is left out.")


def _runs_unasked(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if value is False or (isinstance(value, list) and not value):
        return
    whose = "every tool" if value is True else "what it names"
    notes.of("import-approval-not-mapped", draft, path, f"let {whose} run without asking: not taken over", _NOT_TAKEN)


def _approval_mode(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if value in ("prompt", "writes"):
        draft.values["default_tools_approval_mode"] = value
    else:
        _other_mode(draft, path, value, notes)


def _other_mode(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if value in ("approve", "auto"):
        said = f"let tools run without asking ({value}): not taken over"
        notes.of("import-approval-not-mapped", draft, path, said, _NOT_TAKEN)
    else:
        wrong(draft, path, value, "prompt, writes, approve or auto", "it is left out, and what is unknown asks", notes)


def _tool_tables(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if not isinstance(value, dict):
        wrong(draft, path, value, "a table", "it is left out", notes)
        return
    for tool, table in value.items():
        if not isinstance(table, dict):
            wrong(draft, (*path, tool), table, "a table", "it is left out", notes)
            continue
        for key, item in table.items():
            place = (*path, tool, key)
            if key == "approval_mode" and item == "prompt":
                draft.ask_before(filters.exact(tool))
            elif key == "approval_mode" and item == "writes":
                draft.tools.setdefault(filters.exact(tool), {})["approval_mode"] = item
            elif key == "approval_mode":
                _other_mode(draft, place, item, notes)
            elif key == "enabled":
                if flag(draft, place, item, notes) is False:
                    draft.keep_out([filters.exact(tool)])
            elif key == "approval" and item == "auto":
                _other_mode(draft, place, item, notes)
            elif key in _OURS:
                _our_setting(draft, place, tool, key, item, notes)
            else:
                notes.of("import-unmapped", draft, place, "has no counterpart here", "It is left out.", on="key")


def _our_setting(draft: Draft, place: Path, tool: str, key: str, item: Any, notes: Notes) -> None:
    """A key of ours in a tool's table; what is none of its values is taken for the strictest."""
    values = _OURS[key]
    if item not in values:
        wrong(draft, place, item, f"one of {', '.join(values)}", f"it is taken for {values[-1]}", notes)
        item = values[-1]
    draft.tools.setdefault(tool, {})[key] = item


def _always_load(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if value is True:
        draft.values["exposure"] = "direct"
    elif value is not False:
        wrong(draft, path, value, "true or false", "its tools stay deferred", notes)


def _deferred(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if isinstance(value, bool):
        draft.values["exposure"] = "deferred" if value else "direct"
    else:
        wrong(draft, path, value, "true or false", "its tools stay deferred", notes)


def _exposure(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if value in ("direct", "deferred", "hidden", "auto"):
        draft.values["exposure"] = value
    elif value == "codemode":
        notes.of(
            "import-unmapped", draft, path, "is codemode, a way of that host alone", "Its tools are deferred here."
        )
    else:
        wrong(draft, path, value, "direct, deferred or hidden", "its tools are hidden", notes)
        draft.values["exposure"] = "hidden"


def _env_names(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    """Variables that a host keeps apart and hands to the server: references to the environment."""
    for place, name in texts(draft, path, value, notes):
        if VARIABLE.fullmatch(name) and not secrets.find(name):
            draft.leaves.setdefault(("env", name), Leaf(f"${{{name}}}", place, made=True))
        else:
            wrong(draft, place, name, _NAME_OF, "it is left out", notes)


def _env_vars(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    items = value if isinstance(value, list) else [value]
    kept: list[str] = draft.values.setdefault("env_vars", [])
    for n, item in enumerate(items):
        name = item.get("name") if isinstance(item, dict) else item
        place = (*path, n)
        if not (isinstance(name, str) and VARIABLE.fullmatch(name)) or secrets.find(name):
            notes.of("import-value", draft, place, f"is {what(name)} and no name of a variable", "It is left out.")
            continue
        if name not in kept:
            kept.append(name)
        if isinstance(item, dict) and item.get("source") not in (None, "local"):
            said = "is of another place than the environment here: its name is kept"
            notes.of("import-unmapped", draft, (*place, "source"), said, f"Set {name} where something connects.")


def _zed_source(draft: Draft, path: Path, value: Any, notes: Notes) -> None:
    if value != "custom":
        said = "says that an extension brings the server along; the command beside it is imported"
        notes.of("import-unmapped", draft, path, said, "It is left out.")


ACTS: dict[str, Act] = {
    "command": _command,
    "args": _args,
    "env": _table("env"),
    "cwd": _text("cwd"),
    "url": _url(""),
    "http_url": _url("http"),
    "headers": _table("http_headers"),
    "type": _type,
    "enabled": _enabled,
    "disabled": _disabled,
    "required": _required,
    "description": _description,
    "allow": filters.allow,
    "allow_unless_empty": filters.allow_unless_empty,
    "tools_list": filters.tools_list,
    "deny": filters.deny,
    "allow_patterns": filters.allow_patterns,
    "deny_patterns": filters.deny_patterns,
    "tool_exposure": filters.tool_exposure,
    "runs_unasked": _runs_unasked,
    "approval_mode": _approval_mode,
    "tool_tables": _tool_tables,
    "always_load": _always_load,
    "deferred": _deferred,
    "exposure": _exposure,
    "env_names": _env_names,
    "env_vars": _env_vars,
    "bearer": _text("bearer_token"),
    "bearer_variable": _text("bearer_token_env_var"),
    "env_headers": _table("env_http_headers"),
    "startup_seconds": _seconds("startup_timeout_sec", 1),
    "startup_milliseconds": _seconds("startup_timeout_sec", 1000),
    "tool_seconds": _seconds("tool_timeout_sec", 1),
    "tool_milliseconds": _seconds("tool_timeout_sec", 1000),
    "opencode_timeout": _opencode_timeout,
    "zed_source": _zed_source,
}
"""By the names that rows of `dialects` use."""
