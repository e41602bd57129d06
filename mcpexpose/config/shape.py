"""Data to models: each complaint of pydantic becomes a finding on its node, in words; what is broken is left out."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from mcpexpose.config.fault import Fault, fault, where
from mcpexpose.config.nearest import nearest
from mcpexpose.config.subjects import dotted
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic_core import ErrorDetails

    from mcpexpose.config.scan import Path

M = TypeVar("M", bound=BaseModel)

_WANTED = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "tuple_type": "a list",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "date_type": "a date",
    "date_from_datetime_inexact": "a date",
}
_EXAMPLES = {
    "args": 'args = ["-y", "some-package"]',
    "env_vars": 'env_vars = ["GITHUB_TOKEN"]',
    "allow": 'allow = ["get_*"]',
    "enabled_tools": 'enabled_tools = ["get_issue"]',
    "deny": 'deny = ["delete_*"]',
    "disabled_tools": 'disabled_tools = ["delete_issue"]',
    "groups": 'groups = ["code"]',
    "keywords": 'keywords = ["bug report"]',
    "extends": 'extends = ["baseline"]',
    "targets": 'targets = ["anthropic"]',
    "auto_approve": 'auto_approve = ["read_only"]',
    "default_tools": 'default_tools = ["github/get_issue"]',
    "side_effects": 'side_effects = ["read_only"]',
    "ignore_keys": 'ignore_keys = ["mcp_servers.*.new_key"]',
    "max_age": 'max_age = "7d"',
    "until": "until = 2027-03-31",
    "startup_timeout_sec": "startup_timeout_sec = 30",
    "tool_timeout_sec": "tool_timeout_sec = 60",
    "context_window": "context_window = 200_000",
    "env": 'env = { NAME = "value" }',
    "http_headers": 'http_headers = { X-Team = "platform" }',
    "synonyms": 'synonyms = { pr = ["pull request"] }',
    "mcp_servers": "[mcp_servers.ID]",
    "tools": "[mcp_servers.ID.tools.NAME]",
    "profiles": "[profiles.NAME]",
    "waivers": "[[waivers]]",
    "constraints": "[[constraints]]",
    "match": 'match = "*/delete_*"',
    "version": "version = 1",
}
_SOME_VALUE = {
    "string_type": '"…"',
    "tuple_type": '["…"]',
    "bool_type": "true",
    "int_type": "8",
    "int_from_float": "8",
    "float_type": "0.05",
    "date_type": "2027-03-31",
    "date_from_datetime_inexact": "2027-03-31",
}
_ENTRIES = {"env": 'NAME = "value"', "http_headers": 'NAME = "value"', "env_http_headers": 'NAME = "VARIABLE"'}


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
    except ValidationError as error:
        details = error.errors(include_url=False)
    patterns = tuple(ignore)
    by_path: dict[Path, ErrorDetails] = {}
    for detail in details:
        by_path.setdefault(_real_path(data, detail), detail)
    faults: list[Fault] = []
    ignored: list[Path] = []
    for path, detail in by_path.items():
        if _branch_of_union(path, detail, by_path):
            continue
        if detail["type"] != "extra_forbidden":
            faults.append(replace(_told(path, detail, _at(data, path)), drop=path))
        elif matches_any(path, patterns):
            ignored.append(path)
        else:
            faults.append(replace(_unknown(model, path), drop=path))
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


def _branch_of_union(path: Path, detail: ErrorDetails, all_of: Iterable[Path]) -> bool:
    """Of a union each branch complains; where one got further into the value, the others say nothing of use."""
    return detail["type"] in _WANTED and any(len(other) > len(path) and other[: len(path)] == path for other in all_of)


def _matches(path: Path, pattern: str) -> bool:
    steps = [step.strip().strip("\"'") for step in pattern.split(".")]
    return len(steps) <= len(path) and all(fnmatchcase(str(key), step) for key, step in zip(path, steps, strict=False))


def _unknown(model: type[BaseModel], path: Path) -> Fault:
    key = str(path[-1])
    meant = nearest(key, _keys_of(model, path[:-1]))
    table = f"[{dotted(path[:-1])}]" if len(path) == 2 and isinstance(path[0], str) else where(path[:-1])
    message = f'{table} has no key "{shown(key, 60)}"'
    advice = "Remove it, or list it in [compat] ignore_keys if it is another host's."
    if meant is None and (elsewhere := nearest(key, _HOMES)):
        home = f"{_HOMES[elsewhere]} {elsewhere}" if elsewhere != key else _HOMES[elsewhere]
        message += f"; it belongs in {home}"
        advice = f"Move it to {home}."
    elif meant:
        message += f'; did you mean "{meant}"?'
        advice = f"Rename it to {meant}."
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
        if isinstance(model, type) and issubclass(model, BaseModel):
            known = model.model_fields.get(str(step))
            if known is None:
                return ()
            model = known.annotation
        else:
            model = next((arg for arg in get_args(model) if _is_table(arg)), None)
        while not (isinstance(model, type) and issubclass(model, BaseModel)) and _wraps_table(model):
            inner = [arg for arg in get_args(model) if arg is not type(None)]
            if len(inner) != 1:
                break
            model = inner[0]
    return tuple(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else ()


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _wraps_table(kind: Any) -> bool:
    return type(None) in get_args(kind)


def _told(path: Path, detail: ErrorDetails, value: Any) -> Fault:
    kind = detail["type"]
    context = detail.get("ctx") or {}
    key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
    if kind == "missing":
        table = where(path[:-1])
        example = _EXAMPLES.get(key, f'{key} = "…"')
        return fault("config-invalid", path, f"{table} has no {key}", f"Add it, as in {example}.")
    if path == ("schema_version",) and kind == "literal_error":
        slug = "config-value" if isinstance(value, int) and not isinstance(value, bool) else "config-type"
        return fault(slug, path, "schema_version must be 1", "Write schema_version = 1, or leave it out.")
    if kind in ("literal_error", "enum"):
        allowed = _alternatives(str(context.get("expected", "")))
        if not isinstance(value, str):
            return _wrong_type(path, key, f"one of {', '.join(allowed)}", value, f'{key} = "{allowed[0]}"')
        return _out_of_set(path, key, value, allowed)
    if kind in _WANTED:
        return _wrong_type(path, key, _wanted(kind, path), value, _example(path, key, kind))
    if kind == "string_pattern_mismatch":
        message = f'{where(path)} is "{shown(str(value), 40)}", and no length of time'
        return fault(
            "config-value", path, message, f"Write a number and s, m, h, d or w, as in {_EXAMPLES['max_age']}."
        )
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"):
        bound = _bound(kind, context)
        return fault(
            "config-value", path, f"{where(path)} is {shown(str(value), 30)}, and must be {bound}", "Change it."
        )
    if kind == "string_too_short":
        return fault("config-invalid", path, f"{where(path)} is empty", "Fill it in, or leave the key out.")
    return fault("config-invalid", path, f"{where(path)} cannot be read", "See the config reference in the README.")


def _wanted(kind: str, path: Path) -> str:
    last = path[-1]
    if kind == "tuple_type":
        return "a list of tables" if last in ("waivers", "constraints") else "a list of texts"
    if last in ("mcp_servers", "profiles") and len(path) == 1:
        return "a table of tables"
    return _WANTED[kind]


def _example(path: Path, key: str, kind: str) -> str:
    if (path[0] == "mcp_servers" and len(path) == 2) or (len(path) == 1 and kind == "dict_type" and key == "groups"):
        return f"[{dotted(path)}]"
    if len(path) > 1 and path[-2] in _ENTRIES:
        return _ENTRIES[str(path[-2])]
    if isinstance(path[-1], int):
        return _EXAMPLES.get(key, '"…"')
    if path[0] == "mcp_servers" and len(path) == 4 and path[2] == "tools":
        return f"[{dotted(path)}]"
    if key in _EXAMPLES and (kind not in ("model_type", "string_type") or key in ("max_age", "match")):
        return _EXAMPLES[key]
    if kind in ("model_type", "dict_type", "mapping_type"):
        return f"[{dotted(path)}]"
    return f"{dotted((key,))} = {_SOME_VALUE[kind]}"


def _wrong_type(path: Path, key: str, wanted: str, value: Any, example: str) -> Fault:
    found = _found(value)
    advice = f"Write it as in {example}."
    if wanted == "true or false" and isinstance(value, str) and value.lower() in ("true", "false"):
        advice = f"Write {value.lower()} without quotes."
    message = f"{where(path)} must be {wanted}, and is {found}"
    return fault("config-type", path, message, advice, details={"wanted": wanted})


def _found(value: Any) -> str:
    """The kind of a value as TOML has it; never the value, which may be a secret."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, int):
        return "a whole number"
    if isinstance(value, float):
        return "a number with a point"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list of tables" if value and isinstance(value[0], dict) else "a list"
    if isinstance(value, datetime.datetime):
        return "a date with a time"
    return "a date" if isinstance(value, datetime.date) else "a time"


def _out_of_set(path: Path, key: str, value: str, allowed: list[str]) -> Fault:
    meant = nearest(value, allowed, aliases=False)
    message = f'{where(path)} is "{shown(value, 40)}", and must be {_one_of(allowed)}'
    advice = f'Did you mean "{meant}"?' if meant else f"Choose one of {', '.join(allowed)}."
    return fault("config-value", path, message, advice, details={"suggests": [meant] if meant else allowed})


def _one_of(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _alternatives(expected: str) -> list[str]:
    return [part.strip(" '") for part in expected.replace(" or ", ", ").split(",") if part.strip(" '")]


def _bound(kind: str, context: Mapping[str, Any]) -> str:
    if kind == "finite_number":
        return "a finite number"
    word = {"greater_than": "more than", "less_than": "less than", "less_than_equal": "at most"}.get(kind, "at least")
    return f"{word} {next(iter(context.values()))}"
