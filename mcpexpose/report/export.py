"""What an export does not say: grouped by kind for people, whole for programs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcpexpose.report.jsonout import dump
from mcpexpose.report.words import count
from mcpexpose.surface.exported import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcpexpose.report.screen import Screen
    from mcpexpose.surface.exported import Export, Loss

_NAMED = 3


def render_value(export: Export) -> str:
    """The value alone, as the target's files are written."""
    return "\n\n".join(_tables((), export.value)) + "\n" if export.form == "toml" else dump(export.value)


def _tables(path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
    """A table of texts, numbers, lists and tables as TOML: what is no table first, each table under its header."""
    plain = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    if plain or (path and not table):
        head = [f"[{'.'.join(map(_key, path))}]"] if path else []
        yield "\n".join([*head, *plain])
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _tables((*path, key), value)


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any) -> str:
    """As JSON, which TOML reads alike but for one character that it wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def render_json(export: Export) -> str:
    """Target, value, headers, and each loss as a record."""
    return dump(export.to_json())


def render_losses(export: Export, screen: Screen) -> str:
    """Two lines a kind: what it concerns, and what it means; and the headers that the request needs. "" for none."""
    kinds = dict.fromkeys(loss.kind for loss in export.losses)
    lines = [f"what {export.target} does not say:"] if kinds else []
    for kind in kinds:
        losses = [loss for loss in export.losses if loss.kind == kind]
        lines += [f"  {kind}: {_concerned(losses, screen)}", f"    {MEANINGS[kind]}"]
    lines += [f"the request needs the header {name}: {value}" for name, value in export.headers.items()]
    return "".join(f"{line}\n" for line in lines)


def _concerned(losses: Sequence[Loss], screen: Screen) -> str:
    subjects = list(dict.fromkeys(loss.subject for loss in losses if loss.subject))
    messages = list(dict.fromkeys(loss.message for loss in losses))
    said = screen.text(messages[0]) if len(messages) == 1 else ""
    if not subjects:
        return said
    named = ", ".join(screen.text(subject) for subject in subjects[:_NAMED])
    if len(subjects) > _NAMED:
        named += f" and {len(subjects) - _NAMED} more"
    what = "tool" if all("/" in subject for subject in subjects) else "server"
    told = named if len(subjects) == 1 else f"{count(len(subjects), what)}: {named}"
    return f"{told}: {said}" if said else told
