"""A bundle opened without trust: version, then paths, then kinds and sizes, then digests; nothing of a bad one is used.

Opening reads the manifest and the head of tools.bin, so it costs the same whatever the plan's size. All else stays on
disk, open, and is checked against its digest when it is read: tools.bin block by block, records of plan.json and
definitions one by one, the rest file by file.
"""

from __future__ import annotations

import os
import re
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcpexpose.bundle import layout, strict
from mcpexpose.bundle.contents import own_digest
from mcpexpose.bundle.folder import File, Folder, NotAFile, open_folder
from mcpexpose.bundle.planned import check_plan
from mcpexpose.bundle.rows import Rows
from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.model.errors import BundleRefused, InputMissing
from mcpexpose.model.jsonform import from_json
from mcpexpose.model.manifest import BUNDLE_FORMAT, BundleFile, Manifest
from mcpexpose.model.plan import Plan, PlannedTool
from mcpexpose.model.records import dataclass
from mcpexpose.model.text import shown
from mcpexpose.search.blocks import VERSION as TABLE_VERSION
from mcpexpose.search.blocks import Blocks, OtherVersion, TableDamaged
from mcpexpose.search.versions import ANALYZER_VERSION, RANKING_VERSION

_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_BUNDLE = "Name a folder that `mcpexpose plan --out DIR` wrote, or write one there."

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcpexpose.model.finding import Finding

PATIENCE_S = 5.0
"""How long a reader tries again while the folder at its path is being replaced."""


@dataclass(frozen=True, slots=True)
class BundleFiles:
    """The files of a bundle for a search engine: bytes that fit the manifest, and no other."""

    _bundle: Bundle

    def list(self) -> list[str]:
        """Paths of all files but the manifest, sorted."""
        return [file.path for file in self._bundle.manifest.files]

    def read(self, path: str) -> bytes:
        """The whole file. Raises BundleRefused where it differs from the manifest, KeyError where it is not listed."""
        return self._bundle.read(path)


class Bundle:
    """An opened bundle. Immutable; may be read by several threads; keeps its files open until it is forgotten."""

    def __init__(self, path: str, manifest: Manifest, table: Blocks, files: Mapping[str, File]) -> None:
        self._path = path
        self.manifest = manifest
        self.table = table
        """tools.bin, checked by block."""
        self.rows = Rows(table, files[layout.PLAN].read, files[layout.DEFINITIONS].size)
        """The plan's tools, each read when it is asked for."""
        self._files = files
        self._listed = {file.path: file for file in manifest.files}

    @property
    def path(self) -> Path:
        """The folder, as it was named."""
        return _path(self._path)

    @cached_property
    def plan(self) -> Plan:
        """All that plan.json holds, in memory. Raises BundleRefused where it is changed, or does not hold together."""
        plan = _plan(self._files[layout.PLAN], self._listed[layout.PLAN])
        for field in ("tool_version", "analyzer_version", "ranking_version"):
            if getattr(plan, field) != getattr(self.manifest, field):
                raise layout.refusal(layout.damaged(layout.PLAN, f"has another {field} than manifest.json"))
        if finding := check_plan(plan, self._files[layout.DEFINITIONS].size):
            raise layout.refusal(finding)
        return plan

    @property
    def files(self) -> BundleFiles:
        """The bundle's files, for a search engine."""
        return BundleFiles(self)

    def read(self, path: str) -> bytes:
        """A whole file by its path in the bundle. Raises BundleRefused where it differs from the manifest."""
        return _verified(self._files[path], self._listed[path])

    def check(self) -> None:
        """Reads all bytes there are. Raises BundleRefused where a file differs from the manifest."""
        for file in self.manifest.files:
            self.read(file.path)

    def definition(self, row: int) -> dict[str, Any]:
        """The definition of a tool by its row in the plan, a new value each time. Raises BundleRefused if changed."""
        tool = self.rows.tool(row)
        line = self._files[layout.DEFINITIONS].read(tool.offset, tool.length)
        if digest_bytes(line) != tool.definition_digest:
            raise layout.refusal(
                layout.damaged(layout.DEFINITIONS, f"has another definition of {shown(str(tool.id))} than plan.json")
            )
        try:
            value = strict.loads(line)
        except ValueError:
            value = None
        if not _is_definition(value, tool):
            raise layout.refusal(layout.damaged(layout.DEFINITIONS, f"holds no definition of {shown(str(tool.id))}"))
        found: dict[str, Any] = value
        return found


def _is_definition(value: Any, tool: PlannedTool) -> bool:
    """Whether VALUE has what every user of a definition takes for granted."""
    return (
        isinstance(value, dict)
        and (value.get("server"), value.get("name"), value.get("alias")) == (tool.server, tool.name, tool.alias)
        and isinstance(value.get("description"), str | None)
        and isinstance(value.get("inputSchema"), dict)
    )


def open_bundle(
    path: Path | str,
    *,
    expected_digest: str | None = None,
    public_key: str | bytes | os.PathLike[str] | None = None,
) -> Bundle:
    """The bundle in the folder at PATH, whole: the old one or the new one where it is being replaced.

    With EXPECTED_DIGEST the manifest's digest must be that one, with PUBLIC_KEY it must be signed. Raises InputMissing
    where there is no folder, and BundleRefused with plan-version, plan-unsafe-path or plan-damaged findings. Writes
    nothing, and imports no whoosh.
    """
    place = os.fspath(path)
    until = time.monotonic() + PATIENCE_S
    pause = 0.001
    while True:
        try:
            folder = _folder(place)
        except FileNotFoundError:
            # In the gap between two renames the old folder stands beside; a build killed there leaves it so.
            aside = _aside(place)
            if not aside.is_dir() and not _path(place).exists():
                raise InputMissing(f"there is no plan at {shown(str(path))}") from None
            if time.monotonic() > until:
                return _open(str(aside), _folder(str(aside)), expected_digest, public_key)
        else:
            try:
                return _open(place, folder, expected_digest, public_key)
            except (BundleRefused, OSError) as error:
                # What is taken apart beneath us is no damage. A folder that is still in place has no such excuse.
                if folder.current() or time.monotonic() > until:
                    if isinstance(error, BundleRefused):
                        raise
                    raise layout.refusal(
                        layout.damaged(_path(place).name, f"cannot be read ({error.strerror})")
                    ) from None
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _path(place: str) -> Path:
    from pathlib import Path  # which a sound plan does without, as it costs as much as all that reads it

    return Path(place)


def _aside(place: str) -> Path:
    path = _path(place)
    return path.with_name(layout.aside(path.name))


def _folder(place: str) -> Folder:
    try:
        return open_folder(place)
    except FileNotFoundError:
        raise
    except NotADirectoryError:
        raise InputMissing(f"{shown(place)} is no folder, so it is no plan") from None
    except OSError as error:
        raise InputMissing(f"{shown(place)} cannot be read: {error.strerror}") from None


def _open(
    place: str, folder: Folder, expected_digest: str | None, public_key: str | bytes | os.PathLike[str] | None
) -> Bundle:
    raw, document = _manifest_document(folder)
    _check_version(document)
    manifest = _manifest(document)
    _check_paths(manifest)
    files = _check_kinds_and_sizes(folder, manifest)
    _check_manifest_digest(raw, document, expected_digest)
    if public_key is not None:
        from mcpexpose.bundle.signature import check

        check(folder, manifest.digest, public_key)
    return Bundle(place, manifest, _table(files[layout.TABLE], manifest), files)


def _manifest_document(folder: Folder) -> tuple[bytes, dict[str, Any]]:
    try:
        file = folder.open(layout.MANIFEST)
    except FileNotFoundError:
        raise layout.refusal(layout.damaged(layout.MANIFEST, "is missing", _NO_BUNDLE)) from None
    except OSError as error:
        raise layout.refusal(_unreadable(layout.MANIFEST, error)) from None
    if file.size > layout.MANIFEST_MAX:
        raise layout.refusal(layout.damaged(layout.MANIFEST, f"has {file.size:,} bytes"))
    raw = file.read(0, file.size)
    try:
        document = strict.loads(raw)
    except ValueError:
        raise layout.refusal(layout.damaged(layout.MANIFEST, "is not JSON")) from None
    if not isinstance(document, dict) or type(document.get("format_version")) is not int:
        raise layout.refusal(layout.damaged(layout.MANIFEST, "has no format_version"))
    return raw, document


def _check_version(document: dict[str, Any]) -> None:
    maker = document.get("tool_version")
    for what, field, ours in (
        ("format", "format_version", BUNDLE_FORMAT),
        ("analyzer", "analyzer_version", ANALYZER_VERSION),
        ("ranking", "ranking_version", RANKING_VERSION),
    ):
        theirs = document.get(field)
        if isinstance(theirs, int | str) and theirs != ours:
            raise layout.refusal(layout.other_version(what, theirs, ours, maker))


def _manifest(document: dict[str, Any]) -> Manifest:
    try:
        manifest = from_json(Manifest, document)
    except (ValueError, TypeError):
        raise layout.refusal(layout.damaged(layout.MANIFEST, "has another shape than its format")) from None
    if len(manifest.files) > layout.FILES_MAX:
        raise layout.refusal(layout.damaged(layout.MANIFEST, f"lists {len(manifest.files):,} files"))
    for digest in (manifest.plan_digest, manifest.table_digest, *(file.sha256 for file in manifest.files)):
        if _DIGEST.fullmatch(digest) is None:
            raise layout.refusal(layout.damaged(layout.MANIFEST, "holds a digest that is none"))
    return manifest


def _check_paths(manifest: Manifest) -> None:
    paths = [file.path for file in manifest.files]
    if leading_out := [path for path in paths if not layout.is_safe(path)]:
        raise layout.refusal(*(layout.unsafe(path, "is no path within the plan") for path in leading_out))
    findings = [layout.damaged(path, "is no file of a plan") for path in paths if not layout.is_known(path)]
    if paths != sorted(set(paths)) or len({path.casefold() for path in paths}) != len(paths):
        findings.append(layout.damaged(layout.MANIFEST, "lists a file twice, or not in order"))
    findings += [layout.damaged(path, "is not listed") for path in layout.REQUIRED if path not in paths]
    if findings:
        raise layout.refusal(*findings)


def _check_kinds_and_sizes(folder: Folder, manifest: Manifest) -> dict[str, File]:
    unsafe: list[Finding] = []
    findings: list[Finding] = []
    present = folder.entries()
    if present.get(layout.INDEX) == "folder":
        try:
            inner = folder.entries(layout.INDEX)
        except OSError as error:
            raise layout.refusal(_unreadable(layout.INDEX, error)) from None
        del present[layout.INDEX]
        present |= {f"{layout.INDEX}/{name}": kind for name, kind in inner.items()}
    listed = {file.path: file for file in manifest.files}
    for path, kind in sorted(present.items()):
        if kind in ("link", "other"):
            unsafe.append(layout.unsafe(path, "is a link" if kind == "link" else "is neither file nor folder"))
        elif path not in listed and path not in (layout.MANIFEST, layout.SIGNATURE):
            findings.append(layout.damaged(path, "is not listed in manifest.json"))
        elif kind == "folder":
            findings.append(layout.damaged(path, "is a folder"))
    findings += [layout.damaged(path, "is missing") for path in sorted(listed.keys() - present.keys())]
    if unsafe or findings:
        raise layout.refusal(*(unsafe or findings))
    files: dict[str, File] = {}
    for path, facts in listed.items():
        try:
            files[path] = folder.open(path)
        except OSError as error:
            findings.append(_unreadable(path, error))
            continue
        if files[path].size != facts.size:
            findings.append(layout.damaged(path, f"has {files[path].size:,} bytes, not {facts.size:,}"))
    if findings:
        raise layout.refusal(*findings)
    return files


def _unreadable(path: str, error: OSError) -> Finding:
    if isinstance(error, NotAFile):
        if error.kind == "folder":
            return layout.damaged(path, "is a folder")
        return layout.unsafe(path, "is a link" if error.kind == "link" else "is neither file nor folder")
    return layout.damaged(path, f"cannot be read ({error.strerror or type(error).__name__})")


def _check_manifest_digest(raw: bytes, document: dict[str, Any], expected: str | None) -> None:
    if raw != canonical(document) or own_digest(document) != document["digest"]:
        raise layout.refusal(layout.damaged(layout.MANIFEST, "does not fit its own digest"))
    if expected is not None and document["digest"] != expected:
        raise layout.refusal(
            layout.damaged(
                layout.MANIFEST, f"has the digest {document['digest']}, not the expected {shown(expected, 80)}"
            )
        )


def _plan(file: File, facts: BundleFile) -> Plan:
    if file.size > layout.PLAN_MAX:
        raise layout.refusal(layout.damaged(layout.PLAN, f"has {file.size:,} bytes"))
    try:
        return from_json(Plan, strict.loads(_verified(file, facts)))
    except (ValueError, TypeError):
        raise layout.refusal(layout.damaged(layout.PLAN, "has another shape than its format")) from None


def _table(file: File, manifest: Manifest) -> Blocks:
    try:
        return Blocks(file.read, file.size, manifest.table_digest)
    except OtherVersion as error:
        raise layout.refusal(
            layout.other_version("table", error.version, TABLE_VERSION, manifest.tool_version)
        ) from None
    except TableDamaged:
        raise layout.refusal(layout.damaged(layout.TABLE, "was changed after it was written")) from None


def _verified(file: File, facts: BundleFile) -> bytes:
    data = file.read(0, facts.size + 1)
    if len(data) != facts.size or digest_bytes(data) != facts.sha256:
        raise layout.refusal(layout.damaged(facts.path, "was changed after it was written"))
    return data
