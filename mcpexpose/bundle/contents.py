"""The bytes of a bundle's own files, and its digests: a pure function of the plan and its definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import canonical, digest, indented
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.manifest import BUNDLE_FORMAT, BundleFile, Manifest

if TYPE_CHECKING:
    from mcpexpose.model.plan import Plan

RECORDS = ("profiles", "servers", "tools")
"""Keys of a plan that hold one record after another, which a host reads one at a time."""


Places = Mapping[str, Sequence[tuple[int, int]]]
"""For each list of records of a plan, where each of them stands in plan.json: offset and bytes."""


def plan_file(document: dict[str, Any]) -> tuple[bytes, Places]:
    """`plan.json` of a plan's JSON value, in the form that all files have, and where its records stand in it."""
    places: dict[str, list[tuple[int, int]]] = {key: [] for key in RECORDS}
    parts: list[bytes] = []
    at = 0

    def add(text: str) -> int:
        nonlocal at
        parts.append(text.encode("utf-8"))
        at += len(parts[-1])
        return len(parts[-1])

    for number, key in enumerate(sorted(document)):
        add(f'{"," if number else "{"}\n "{key}": ')
        if key not in RECORDS or not document[key]:
            add(indented(document[key], 1))
            continue
        for n, record in enumerate(document[key]):
            add(",\n  " if n else "[\n  ")
            start = at
            places[key].append((start, add(indented(record, 2))))
        add("\n ]")
    add("\n}\n")
    return b"".join(parts), places


def definitions_file(definitions: Sequence[bytes]) -> bytes:
    """`definitions.bin`: canonical JSON, one a line, in the plan's order."""
    return b"".join(line + b"\n" for line in definitions)


def plan_digest(document: dict[str, Any]) -> str:
    """SHA-256 of the plan's JSON value without any server's `captured_at`: what it means, not when it was seen."""
    servers = [{key: value for key, value in server.items() if key != "captured_at"} for server in document["servers"]]
    return digest({**document, "servers": servers})


def make_manifest(plan: Plan, digest_of_plan: str, table_digest: str, files: Iterable[BundleFile]) -> Manifest:
    """The manifest over the other files, with its own digest; DIGEST_OF_PLAN is `plan_digest`'s."""
    fields: dict[str, Any] = {
        "format_version": BUNDLE_FORMAT,
        "plan_digest": digest_of_plan,
        "files": [to_json(file) for file in sorted(files, key=lambda file: file.path)],
        "table_digest": table_digest,
        "tool_version": plan.tool_version,
        "analyzer_version": plan.analyzer_version,
        "ranking_version": plan.ranking_version,
    }
    made = {**fields, "files": tuple(sorted(files, key=lambda file: file.path)), "digest": digest(fields)}
    return Manifest(**made)


def manifest_file(manifest: Manifest) -> bytes:
    """`manifest.json`: canonical bytes, so that any flipped one shows."""
    return canonical(to_json(manifest))


def own_digest(document: dict[str, Any]) -> str:
    """What a manifest's `digest` must be: of all its other fields."""
    return digest({key: value for key, value in document.items() if key != "digest"})
