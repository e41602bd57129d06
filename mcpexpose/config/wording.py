"""What pydantic has against a value, in words: what is wanted, what was found, and how it is written."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from mcpexpose.config.fault import Fault, fault, where
from mcpexpose.config.nearest import nearest
from mcpexpose.config.subjects import dotted
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

    from mcpexpose.config.scan import Path


WANTED = {
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
"""Complaints about the kind of a value, and the kind that is wanted."""
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
    "startup_timeout_ms": "startup_timeout_ms = 30_000",
    "context_window": "context_window = 200_000",
    "auto_direct_share": "auto_direct_share = 0.05",
    "direct_max_share": "direct_max_share = 0.10",
    "result_max_bytes": "result_max_bytes = 100_000",
    "args_max_bytes": "args_max_bytes = 100_000",
    "max_tools_per_server": "max_tools_per_server = 2_000",
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
    "min_match": 'min_match = "weak"',
    "tests": "[[tests]]",
    "sees": 'sees = ["github/get_issue"]',
    "not_visible": 'not_visible = ["*/delete_*"]',
    "finds": 'finds = "github/get_issue"',
    "never_finds": 'never_finds = ["github/delete_*"]',
    "max_tokens": "max_tokens = 6_000",
    "within": "within = 3",
    "side_effect": 'side_effect = { "github/get_*" = "read_only" }',
    "approval": 'approval = { "github/create_issue" = "ask" }',
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
_EXPOSURES = ("direct", "deferred", "hidden", "auto")
_ENTRIES = {"env": 'NAME = "value"', "http_headers": 'NAME = "value"', "env_http_headers": 'NAME = "VARIABLE"'}


def told(path: Path, detail: ErrorDetails, value: Any) -> Fault:
    """One complaint about the node at PATH, which holds VALUE; it is shown only where it was to name a choice."""
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
    if kind in WANTED:
        return _wrong_type(path, key, _wanted(kind, path), value, _example(path, key, kind))
    if kind == "string_pattern_mismatch":
        message = f'{where(path)} is "{shown(str(value), 40)}", and no length of time'
        return fault(
            "config-value", path, message, f"Write a number and s, m, h, d or w, as in {_EXAMPLES['max_age']}."
        )
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"):
        bound = _bound(kind, context)
        return fault(
            "config-value",
            path,
            f"{where(path)} is {shown(str(value), 30)}, and must be {bound}",
            f"Write it as in {_example(path, key, 'int_type')}.",
        )
    if kind == "string_too_short":
        return fault("config-invalid", path, f"{where(path)} is empty", "Fill it in, or leave the key out.")
    return fault("config-invalid", path, f"{where(path)} cannot be read", "See the config reference in the README.")


def _wanted(kind: str, path: Path) -> str:
    last = path[-1]
    if kind == "tuple_type":
        return "a list of tables" if last in ("waivers", "constraints", "tests") else "a list of texts"
    if last in ("mcp_servers", "profiles") and len(path) == 1:
        return "a table of tables"
    if last == "min_match":
        return 'a number or "weak"'
    return WANTED[kind]


def _example(path: Path, key: str, kind: str) -> str:
    if (path[0] == "mcp_servers" and len(path) == 2) or (len(path) == 1 and kind == "dict_type" and key == "groups"):
        return f"[{dotted(path)}]"
    if len(path) > 1 and path[-2] in _ENTRIES:
        return _ENTRIES[str(path[-2])]
    if isinstance(path[-1], int):
        return _EXAMPLES.get(key, '"…"')
    if path[0] == "mcp_servers" and len(path) == 4 and path[2] == "tools":
        return f"[{dotted(path)}]"
    if key in _EXAMPLES and (kind not in ("model_type", "string_type", "bool_type") or key in ("max_age", "match")):
        return _EXAMPLES[key]
    if kind in ("model_type", "dict_type", "mapping_type"):
        return f"[{dotted(path)}]"
    return f"{dotted((key,))} = {_SOME_VALUE[kind]}"


def _wrong_type(path: Path, key: str, wanted: str, value: Any, example: str) -> Fault:
    found = _found(value)
    advice = f"Write it as in {example}."
    if wanted == "true or false" and isinstance(value, str) and value.lower() in ("true", "false"):
        advice = f"Write {value.lower()} without quotes."
    elif wanted == "a text" and isinstance(value, bool | int | float):
        advice = "Put it in quotes."
    elif wanted == "a table" and isinstance(value, str) and value in _EXPOSURES and example.startswith("["):
        advice = f'Write {example} and under it exposure = "{value}".'
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
