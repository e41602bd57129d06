"""The published JSON Schemas, made from the models: `python -m mcpexpose.model.schemas --write` renews `schemas/`."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from mcpexpose.model import catalog, event, finding, lock, manifest, plan, policy, transport
from mcpexpose.model.canonical import readable
from mcpexpose.model.hosts import PROFILE_KEYS

NAMES = ("catalog", "config", "event", "finding", "lock", "manifest", "plan", "policy", "test")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLES = {
    "catalog": "mcpexpose: a captured catalog, catalogs/<server>.json",
    "config": "mcpexpose: config.toml",
    "event": "mcpexpose: one line of evidence",
    "finding": "mcpexpose: one finding, as `lint --format json` prints it",
    "lock": "mcpexpose: mcpexpose.lock",
    "manifest": "mcpexpose: manifest.json of a bundle",
    "plan": "mcpexpose: plan.json of a bundle",
    "policy": "mcpexpose: a policy pack, policies/<name>.toml",
    "test": "mcpexpose: policy tests, <name>.expose.toml",
}
_MODULES: tuple[ModuleType, ...] = (catalog, event, finding, lock, manifest, plan, policy, transport)


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """One thing that is wrong, where, and what to do about it, as a program reads it."""

    slug: str
    """Name of the rule; permanent."""
    severity: Literal["error", "warning", "info"]
    message: str
    """One sentence of fact, safe to print."""
    advice: str
    """One sentence that says what to do, or empty."""
    subjects: tuple[str, ...]
    """What it is about: `server`, `server/tool`, `server:key`, a dotted path of the config, a file's name."""
    subject: str | None
    """The first of them."""
    file: str | None
    """Relative to the config's folder, forward slashes."""
    line: int | None
    """From 1."""
    column: int | None
    """From 1, in code points."""
    end_line: int | None
    end_column: int | None
    """One beyond the last character."""
    details: Mapping[str, Any]
    """More for machines: `suggests`, `servers`, `fields`, `classes`, `codepoints` …"""
    fingerprint: str
    """The same for the same fault when lines move."""
    related: tuple[Any, ...] = ()
    """Other places that belong to it: file, line, column, end_line, end_column."""
    fix: Mapping[str, Any] | None = None
    """How `lint --fix` would mend it: title, and whether that is safe."""


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of that name, one of NAMES. Raises KeyError for another one."""
    title = _TITLES[name]
    body = _config_like(name) if name in ("config", "policy", "test") else _of_dataclass(name)
    return {"$schema": DIALECT, "$id": f"urn:mcpexpose:schema:{name}:1", "title": title, **_without_titles(body)}


def dump(name: str) -> bytes:
    """The schema as the file in `schemas/` has it."""
    return readable(schema(name))


def write(folder: Path) -> list[Path]:
    """Write every schema into FOLDER; the files, sorted by name."""
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for name in NAMES:
        path = folder / f"{name}.schema.json"
        path.write_bytes(dump(name))
        out.append(path)
    return out


def _config_like(name: str) -> dict[str, Any]:
    from mcpexpose.model.config import Config, PolicyPack
    from mcpexpose.model.expectation import ExpectationFile
    from mcpexpose.model.mirror import mirror

    tables = {"config": Config, "policy": PolicyPack, "test": ExpectationFile}
    body: dict[str, Any] = _without_null(mirror(tables[name]).model_json_schema())
    if name == "config":
        profile = body["$defs"]["ProfileTable"]["properties"]
        for key in sorted(PROFILE_KEYS):
            profile.setdefault(key, {"description": "Codex's own; without effect here."})
    return body


def _without_null(node: Any) -> Any:
    """TOML has no null: a key that may be absent is just that."""
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _without_null(value) for key, value in node.items() if not (key == "default" and value is None)}
    branches = [branch for branch in out.get("anyOf", []) if branch != {"type": "null"}]
    if len(branches) == 1:
        del out["anyOf"]
        out |= branches[0]
    elif branches:
        out["anyOf"] = branches
    return out


def _without_titles(node: Any) -> Any:
    """Without the titles that pydantic makes out of names."""
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_titles(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))
    }


def _of_dataclass(name: str) -> dict[str, Any]:
    from pydantic import TypeAdapter

    kind: Any = {
        "catalog": catalog.Catalog,
        "event": event.Event,
        "finding": FindingRecord,
        "lock": lock.Lock,
        "manifest": manifest.Manifest,
        "plan": plan.Plan,
    }[name]
    body = TypeAdapter(kind).json_schema()
    _describe(kind.__name__, body)
    for record, node in body.get("$defs", {}).items():
        _describe(record, node)
        if node.get("type") == "object":
            node["additionalProperties"] = False
    if name in ("event", "lock", "manifest"):
        body["additionalProperties"] = False
    if name == "catalog":
        _as_on_disk(body)
    if name == "plan":
        body["description"] += " `plan --format json` adds `hidden`, `left_out` and `findings`."
    return body


def _as_on_disk(body: dict[str, Any]) -> None:
    """The file has no place of its own and no computed revision; and a plain `tools/list` result is a catalog too."""
    for field in ("file", "indices", "revision"):
        del body["properties"][field]
    body["required"] = ["tools"]
    body["description"] = (
        "What a server listed, raw. A plain `tools/list` result, which has `tools` alone, is accepted too."
    )
    body["properties"]["tools"] = {
        "type": "array",
        "description": "As the server listed them, unknown fields kept.",
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "title": {"type": ["string", "null"]},
                "description": {"type": ["string", "null"]},
                "inputSchema": {"type": ["object", "boolean"]},
                "outputSchema": {"type": ["object", "boolean", "null"]},
                "annotations": {"type": ["object", "null"]},
            },
        },
    }


def _describe(record: str, node: dict[str, Any]) -> None:
    for field, text in _field_docs().get(record, {}).items():
        if field in node.get("properties", {}):
            node["properties"][field]["description"] = text


@cache
def _field_docs() -> dict[str, dict[str, str]]:
    """The docstring under each field of our dataclasses, by class and field."""
    out: dict[str, dict[str, str]] = {}
    for module in (*_MODULES, sys.modules[__name__]):
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.ClassDef):
                out[node.name] = dict(_documented(node))
    return out


def _documented(record: ast.ClassDef) -> list[tuple[str, str]]:
    out = []
    for node, after in zip(record.body, record.body[1:], strict=False):
        text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(text, str):
            out.append((node.target.id, inspect.cleandoc(text).replace("\n", " ")))
    return out


def _main(arguments: list[str]) -> int:
    if arguments != ["--write"]:
        print("usage: python -m mcpexpose.model.schemas --write", file=sys.stderr)
        return 2
    for path in write(Path(__file__).resolve().parent.parent.parent / "schemas"):
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
