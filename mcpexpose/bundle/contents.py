"""The bytes of a bundle's own files, and its digests: a pure function of the plan and its definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import canonical, digest, readable
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.manifest import BUNDLE_FORMAT, BundleFile, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcpexpose.model.plan import Plan


def plan_file(document: dict[str, Any]) -> bytes:
    """`plan.json` of a plan's JSON value, as people and other languages read it."""
    return readable(document)


def definitions_file(definitions: Sequence[bytes]) -> bytes:
    """`definitions.bin`: canonical JSON, one a line, in the plan's order."""
    return b"".join(line + b"\n" for line in definitions)


def plan_digest(document: dict[str, Any]) -> str:
    """SHA-256 of the plan's JSON value without any server's `captured_at`: what it means, not when it was seen."""
    servers = [{key: value for key, value in server.items() if key != "captured_at"} for server in document["servers"]]
    return digest({**document, "servers": servers})


def make_manifest(plan: Plan, digest_of_plan: str, files: Iterable[BundleFile]) -> Manifest:
    """The manifest over the other files, with its own digest; DIGEST_OF_PLAN is `plan_digest`'s."""
    fields: dict[str, Any] = {
        "format_version": BUNDLE_FORMAT,
        "plan_digest": digest_of_plan,
        "files": [to_json(file) for file in sorted(files, key=lambda file: file.path)],
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
