"""All of a bundle checked: every byte against the manifest, every definition, index and table against fresh ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.bundle import layout, rows
from mcpexpose.bundle.contents import plan_digest, plan_file
from mcpexpose.bundle.read import Bundle, open_bundle
from mcpexpose.model.errors import BundleRefused
from mcpexpose.model.jsonform import to_json
from mcpexpose.search.blocks import pack

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from mcpexpose.model.finding import Finding


def verify(
    path: Path | str,
    *,
    expected_digest: str | None = None,
    public_key: str | bytes | os.PathLike[str] | None = None,
) -> tuple[Finding, ...]:
    """What is wrong with the bundle at PATH once every byte was checked and its index built again; () where it is good.

    Raises InputMissing where there is no bundle.
    """
    try:
        bundle = open_bundle(path, expected_digest=expected_digest, public_key=public_key)
    except BundleRefused as error:
        return error.findings
    return tuple(_changed(bundle) or _not_derived(bundle))


def _changed(bundle: Bundle) -> list[Finding]:
    findings: list[Finding] = []
    for file in bundle.manifest.files:
        try:
            bundle.read(file.path)
        except BundleRefused as error:
            findings += error.findings
    if findings:
        return findings
    try:
        tools = bundle.plan.tools
    except BundleRefused as error:
        return list(error.findings)
    for row in range(len(tools)):
        try:
            bundle.definition(row)
        except BundleRefused as error:
            findings += error.findings
    return findings


def _not_derived(bundle: Bundle) -> list[Finding]:
    """What is in the bundle, fits its manifest, and was not made from this plan."""
    from mcpexpose.search import index

    document = to_json(bundle.plan)
    if plan_digest(document) != bundle.manifest.plan_digest:
        return [layout.damaged(layout.MANIFEST, "names another plan than plan.json")]
    lines = bundle.read(layout.DEFINITIONS).split(b"\n")[:-1]
    if [len(line) for line in lines] != [tool.length for tool in bundle.plan.tools]:
        return [layout.damaged(layout.DEFINITIONS, "does not hold one definition a line")]
    made = index.files(
        lines,
        plan_digest=bundle.manifest.plan_digest,
        synonyms=bundle.plan.search.synonyms,
    )
    fresh = {f"{layout.INDEX}/{name}": content for name, content in made.items()}
    stored = [file.path for file in bundle.manifest.files if file.path.startswith(f"{layout.INDEX}/")]
    findings = [
        layout.damaged(path, "is not what the definitions give")
        for path in stored
        if fresh.get(path) != bundle.read(path)
    ]
    findings += [layout.damaged(path, "is missing") for path in sorted(fresh.keys() - set(stored))]
    return findings or _other_table(bundle, document)


def _other_table(bundle: Bundle, document: dict[str, Any]) -> list[Finding]:
    """tools.bin against one that is made from plan.json and from the index on disk, which fit each other."""
    from mcpexpose.search import engine, table_write

    plan_json, places = plan_file(document)
    if plan_json != bundle.read(layout.PLAN):
        return [layout.damaged(layout.PLAN, "has another form than its format")]
    terms = engine.indexed(bundle.files, bundle.plan)
    tools = [(tool.server, tool.name, tool.alias) for tool in bundle.plan.tools]
    sections = {**rows.sections(bundle.plan, plan_json, places), **table_write.sections(terms, tools)}
    if pack(sections)[0] != bundle.read(layout.TABLE):
        return [layout.damaged(layout.TABLE, "is not what the plan and the index give")]
    return []
