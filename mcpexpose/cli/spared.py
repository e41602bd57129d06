"""Reports go each to a file of its own, and none is written over what a command reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mcpexpose.model.errors import UsageRefused
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcpexpose.workspace import Workspace


def spare(
    reports: Iterable[Path], *workspaces: Workspace, bundle: Path | None = None, kept: Path | None = None
) -> None:
    """Raises UsageRefused where one of REPORTS would replace a part of WORKSPACES, of a bundle, or the file KEPT.

    BUNDLE is one that may not be there yet. A pipe or a terminal replaces nothing.
    """
    for report in reports:
        if report.exists() and not report.is_file():
            continue  # it cannot be replaced; writing to a folder says so
        what = next((what for path, what in _taken(report, workspaces, bundle, kept) if _one(path, report)), None)
        if what is not None:
            raise UsageRefused(f"{shown(str(report))} is {what}, and no report is written over it")


def twice(reports: Iterable[Path]) -> Path | None:
    """The first of REPORTS that is the file of an earlier one."""
    seen: list[Path] = []
    for report in reports:
        if report.exists() and not report.is_file():
            continue
        if any(_one(report, each) for each in seen):
            return report
        seen.append(report)
    return None


def _taken(
    report: Path, workspaces: Iterable[Workspace], bundle: Path | None, kept: Path | None
) -> Iterator[tuple[Path, str]]:
    """What may not be replaced, each with what it is to people."""
    from mcpexpose.bundle.layout import MANIFEST, PLAN
    from mcpexpose.catalog.names import candidates
    from mcpexpose.config.packs import is_shipped
    from mcpexpose.config.tests import SUFFIX

    for workspace in workspaces:
        yield workspace.path, "the config"
        yield workspace.lock_path, "the lock"
        for name in workspace.config.extends if workspace.config else ():
            if not is_shipped(f"policies/{name}.toml"):
                yield workspace.folder / name, "a policy pack"
        for server in workspace.config.mcp_servers if workspace.config else ():
            for name in candidates(server):  # of one that was never captured, too: it would be read as its catalog
                yield workspace.catalog_folder / name, "a catalog"
    if kept is not None:
        yield kept, "the baseline"
    if report.exists() and report.name.endswith(SUFFIX):
        yield report, "a file of policy tests"
    folder = report.absolute().parent
    for each in (folder, folder.parent):
        if (each / MANIFEST).is_file() and (each / PLAN).is_file():
            yield report, "in a bundle"
    if bundle is not None and _within(report, bundle):
        yield report, "in the bundle"


def _within(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _one(one: Path, other: Path) -> bool:
    """Whether two paths are one file, be it there or not; names that differ in case alone may be on some systems."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return one.samefile(other)
    except OSError:
        return False
