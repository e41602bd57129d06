"""Data to tables: each complaint of pydantic becomes a finding on its node, in words; what is broken is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from mcpexpose.config import foreign_keys, unquoted
from mcpexpose.config.fault import Fault, fault, where
from mcpexpose.config.nearest import nearest
from mcpexpose.config.subjects import dotted
from mcpexpose.config.wording import WANTED, told
from mcpexpose.model.table import Table, Unfit
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic_core import ErrorDetails

    from mcpexpose.config.scan import Path

M = TypeVar("M", bound=Table)


_SUGGESTED = 100
"""Unknown keys that are compared with the known ones; nobody reads more of them, and each takes milliseconds."""


def frozen(value: Any) -> Any:
    """TOML data with tuples for arrays, as strict models want them."""
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Shaped(Generic[M]):
    """`value` is None where there is a complaint of any kind; `ignored` are unknown keys that may be there."""

    value: M | None
    faults: tuple[Fault, ...] = ()
    ignored: tuple[Path, ...] = ()


def shaped(model: type[M], data: Mapping[str, Any], ignore: Iterable[str] = ()) -> Shaped[M]:
    """DATA as MODEL, or its complaints in words, each with its node as `drop`.

    IGNORE are dotted keys with patterns that may be unknown.
    """
    try:
        return Shaped(model.model_validate(data))
    except Unfit:
        from mcpexpose.model.mirror import judge  # pydantic has the words, and takes long to come

        judged = judge(model, data)
    if isinstance(judged, Table):
        return Shaped(judged)
    patterns = tuple(ignore)
    by_path: dict[Path, ErrorDetails] = {}
    for detail in judged:
        by_path.setdefault(_real_path(data, detail), detail)
    faults: list[Fault] = []
    ignored: list[Path] = []
    around = {path[:length] for path in by_path for length in range(len(path))}
    unknown = 0
    for path, detail in by_path.items():
        # Of a union each branch complains; where one got further into the value, the others say nothing of use.
        if detail["type"] in WANTED and path in around:
            continue
        if detail["type"] != "extra_forbidden":
            faults.append(replace(told(path, detail, _at(data, path)), drop=path))
        elif matches_any(path, patterns):
            ignored.append(path)
        else:
            unknown += 1
            found = _unknown(model, path, _at(data, path), suggest=unknown <= _SUGGESTED)
            faults.append(replace(found, drop=path))
    return Shaped(None, tuple(faults), tuple(ignored))


def matches_any(path: Path, patterns: Iterable[str]) -> bool:
    """Whether a dotted pattern names PATH, or a table that it lies in."""
    return any(_matches(path, pattern) for pattern in patterns)


def without(data: dict[str, Any], paths: Iterable[Path]) -> dict[str, Any]:
    """A copy of DATA without the nodes at PATHS."""
    out: dict[str, Any] = _copied(data)
    gone: list[tuple[list[Any], int]] = []
    for path in sorted(set(paths), key=len):
        parent = _at(out, path[:-1])
        last = path[-1]
        if isinstance(parent, dict):
            parent.pop(last, None)
        elif isinstance(parent, list) and isinstance(last, int) and last < len(parent):
            gone.append((parent, last))
    for parent, index in sorted(gone, key=lambda item: -item[1]):
        del parent[index]
    return out


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list | tuple) else value


def _real_path(data: Any, detail: ErrorDetails) -> Path:
    """The location without the names that pydantic gives to the branches of a union."""
    path: Path = ()
    for step in detail["loc"]:
        below = _at(data, (step,))
        if below is None and not (detail["type"] in ("missing", "extra_forbidden") and step == detail["loc"][-1]):
            continue
        path, data = (*path, step), below
    return path


def _at(data: Any, path: Path) -> Any:
    """The node at PATH; None where there is none, since TOML has no null."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list | tuple) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _matches(path: Path, pattern: str) -> bool:
    steps = [step.strip().strip("\"'") for step in pattern.split(".")]
    return len(steps) <= len(path) and all(fnmatchcase(str(key), step) for key, step in zip(path, steps, strict=False))


def _unknown(model: type[Table], path: Path, value: Any, *, suggest: bool) -> Fault:
    key = str(path[-1])
    known = _keys_of(model, path[:-1])
    meant = nearest(key, known) if suggest else None
    table = f"[{dotted(path[:-1])}]" if len(path) == 2 and isinstance(path[0], str) else where(path[:-1])
    message = f'{table} has no key "{shown(key, 60)}"'
    advice = "Remove it, or list it in [compat] ignore_keys if it is another host's."
    if header := unquoted.header(path, value):
        message += "; a dot in a header starts a table within a table"
        advice = f"Put the server's id in quotes: {header}."
    elif suggest and meant is None and (elsewhere := nearest(key, _HOMES)):
        home = f"{_HOMES[elsewhere]} {elsewhere}" if elsewhere != key else _HOMES[elsewhere]
        message += f"; it belongs in {home}"
        advice = f"Move it to {home}."
    elif meant:
        message += f'; did you mean "{meant}"?'
        advice = f"Rename it to {meant}."
    if suggest and (other := foreign_keys.advice(key, value, known)):
        advice = other
    details = {"suggests": [meant]} if meant else {}
    return fault("config-unknown-key", path, message, advice, on="key", details=details)


_HOMES = {
    "auto_approve": "[policy]",
    "max_age": "[freshness]",
    "context_window": "[exposure]",
    "auto_direct_share": "[exposure]",
    "search_limit": "[exposure]",
    "targets": "[exposure]",
    "synonyms": "[search]",
    "result_max_bytes": "[limits]",
    "args_max_bytes": "[limits]",
    "max_tools_per_server": "[limits]",
    "default_tools": "[profiles.NAME]",
    "unattended": "[profiles.NAME]",
    "extends": "the top of the file",
    "schema_version": "the top of the file",
    "allow": "[mcp_servers.ID]",
    "deny": "[mcp_servers.ID]",
    "trust_annotations": "[mcp_servers.ID]",
    "side_effect": "[mcp_servers.ID.tools.NAME]",
    "idempotent": "[mcp_servers.ID.tools.NAME]",
    "require_in_plan": "[mcp_servers.ID.tools.NAME]",
}


def _keys_of(model: Any, path: Path) -> tuple[str, ...]:
    """The keys of the table at PATH below MODEL."""
    for step in path:
        if isinstance(model, type) and issubclass(model, Table):
            known = model.model_fields.get(str(step))
            if known is None:
                return ()
            model = known.annotation
        else:
            model = next((arg for arg in get_args(model) if _is_table(arg)), None)
        while not (isinstance(model, type) and issubclass(model, Table)) and _wraps_table(model):
            inner = [arg for arg in get_args(model) if arg is not type(None)]
            if len(inner) != 1:
                break
            model = inner[0]
    return tuple(model.model_fields) if isinstance(model, type) and issubclass(model, Table) else ()


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Table)


def _wraps_table(kind: Any) -> bool:
    return type(None) in get_args(kind)
