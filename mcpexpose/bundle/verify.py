"""All of a bundle checked: every byte against the manifest, every definition, and the index against a fresh one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.bundle import layout
from mcpexpose.bundle.contents import plan_digest
from mcpexpose.bundle.read import Bundle, open_bundle
from mcpexpose.model.errors import BundleRefused
from mcpexpose.model.jsonform import to_json

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
    for row in range(len(bundle.plan.tools) if not findings else 0):
        try:
            bundle.definition(row)
        except BundleRefused as error:
            findings += error.findings
    return findings


def _not_derived(bundle: Bundle) -> list[Finding]:
    """What is in the bundle, fits its manifest, and was not made from this plan."""
    from mcpexpose.search import index

    if plan_digest(to_json(bundle.plan)) != bundle.manifest.plan_digest:
        return [layout.damaged(layout.MANIFEST, "names another plan than plan.json")]
    made = index.files(
        bundle.read(layout.DEFINITIONS).split(b"\n")[:-1],
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
    missing = sorted(fresh.keys() - set(stored))
    return findings + [layout.damaged(path, "is missing") for path in missing]
