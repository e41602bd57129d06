"""A bundle written whole: beside its place, then put there in one step; the old one stays until then."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.bundle import layout, rows, strict
from mcpexpose.bundle.built import Built, index_of, remember
from mcpexpose.bundle.contents import definitions_file, make_manifest, manifest_file, plan_digest, plan_file
from mcpexpose.bundle.exchange import put, sync_folder
from mcpexpose.bundle.lock import Busy, held
from mcpexpose.model.canonical import digest_bytes
from mcpexpose.model.errors import BundleNotWritten, PlanRefused
from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.jsonform import to_json
from mcpexpose.model.manifest import BundleFile, Manifest
from mcpexpose.model.text import shown
from mcpexpose.search.blocks import pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.model.plan import Compiled

Step = Literal["plan.json", "definitions.bin", "index", "tools.bin", "manifest.json", "exchange", "cleanup"]
"""Steps of a build, in order. Up to `manifest.json` the old bundle stands in its place, from `exchange` on the new."""

_EFFECTIVE = os.access in os.supports_effective_ids


def write(compiled: Compiled, out: Path | str, *, progress: Callable[[Step], None] | None = None) -> Manifest:
    """Writes the bundle of a plan to the folder OUT, in place of the bundle that stands there; returns its manifest.

    PROGRESS is called after each step. Killed at any point it leaves the old bundle or the new one, whole, and what it
    was working on beside it, which the next build removes. Raises PlanRefused where the plan is not to be written, and
    BundleNotWritten (plan-busy, plan-not-writable), the old bundle untouched.
    """
    if not compiled.writable:
        faults = tuple(finding for finding in compiled.findings if finding.severity is Severity.ERROR)
        raise PlanRefused("the plan has errors and is not written", faults)
    place = Path(os.path.realpath(out))
    report = progress or (lambda _: None)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _check_place(place)
        with held(place.with_name(layout.lock(place.name))):
            _clean(place)
            return _build(compiled, place, report)
    except Busy:
        raise _not_written(
            "plan-busy", f"another build is writing {shown(str(out))}", "Wait for it to end, then run this one again."
        ) from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise _not_written(
            "plan-not-writable",
            f"the plan cannot be written to {shown(str(out))}: {why}",
            "Give --out a folder that may be written, with room for the plan.",
        ) from error


def _build(compiled: Compiled, place: Path, report: Callable[[Step], None]) -> Manifest:
    work = place.with_name(layout.work(place.name) + secrets.token_hex(8))
    work.mkdir()
    try:
        document: dict[str, Any] = to_json(compiled.plan)
        plan_json, places = plan_file(document)
        facts = [_write(work, layout.PLAN, plan_json)]
        report("plan.json")
        facts.append(_write(work, layout.DEFINITIONS, definitions_file(compiled.definitions)))
        report("definitions.bin")
        digest = plan_digest(document)
        built = index_of(place, digest) or _index(compiled, digest)
        (work / layout.INDEX).mkdir()
        facts += [_write(work, f"{layout.INDEX}/{name}", data) for name, data in built.files.items()]
        sync_folder(work / layout.INDEX)
        report("index")
        table, table_digest = pack({**rows.sections(compiled.plan, plan_json, places), **built.table})
        facts.append(_write(work, layout.TABLE, table))
        report("tools.bin")
        manifest = make_manifest(compiled.plan, digest, table_digest, facts)
        remember(digest, built)
        _write(work, layout.MANIFEST, manifest_file(manifest))
        sync_folder(work)
        report("manifest.json")
        put(work, place)
        sync_folder(place.parent)
        report("exchange")
    finally:
        # After the exchange this is the old bundle; who reads it still has its files open.
        shutil.rmtree(work, ignore_errors=True)
    report("cleanup")
    return manifest


def _index(compiled: Compiled, digest: str) -> Built:
    from mcpexpose.search import index, table_write

    plan = compiled.plan
    made = index.inverted(compiled.definitions, plan.search.synonyms)
    tools = [(tool.server, tool.name, tool.alias) for tool in plan.tools]
    return Built(index.files_of(made, len(plan.tools), plan_digest=digest), table_write.sections(made, tools))


def _write(work: Path, name: str, data: bytes) -> BundleFile:
    with (work / name).open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return BundleFile(name, digest_bytes(data), len(data))


def _check_place(place: Path) -> None:
    """What stands at PLACE goes, so it must be a bundle, what is left of one, or nothing.

    Raises BundleNotWritten for anything else, and PermissionError where the folder may not be written.
    """
    if not place.exists():
        return
    if place.is_dir():
        # Exchanged it could be, but not removed; and who takes the rights away from a plan means it to stay.
        for folder in (place, place / layout.INDEX):
            if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK, effective_ids=_EFFECTIVE):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        names = {entry.name for entry in place.iterdir()}
        if not names or _is_manifest(place / layout.MANIFEST) or _was_bundle(names):
            return
        what = "is a folder with other files in it"
    else:
        what = "is a file"
    raise _not_written(
        "plan-not-writable",
        f"{shown(str(place))} {what} and no plan, so nothing there is overwritten",
        "Give --out a folder of its own, or remove this one by hand.",
    )


def _was_bundle(names: set[str]) -> bool:
    """Whether these are the files of a bundle that lost its manifest. Other folders too have an `index` in them."""
    return names <= layout.NAMES and not names.isdisjoint((layout.DEFINITIONS, layout.TABLE))


def _is_manifest(path: Path) -> bool:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > layout.MANIFEST_MAX:
            return False
        document = strict.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and {"format_version", "plan_digest", "files"} <= document.keys()


def _clean(place: Path) -> None:
    """Removes what killed builds left; where one of them set the old bundle aside and died, it comes back first."""
    aside = place.with_name(layout.aside(place.name))
    if aside.is_dir() and not place.exists():
        aside.rename(place)
    shutil.rmtree(aside, ignore_errors=True)
    start = layout.work(place.name)
    for entry in place.parent.iterdir():
        if entry.name.startswith(start) and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)


def _not_written(slug: str, message: str, advice: str) -> BundleNotWritten:
    finding = Finding(slug, Severity.ERROR, message, ("plan",), advice)
    return BundleNotWritten(f"{slug}: {message}", (finding,))
