"""The other side of `plan --against`: a bundle, a plan.json, or the config as it is at a git commit."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any

from mcpexpose.cli.console import say
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcpexpose.cli.gitref import Commit
    from mcpexpose.model.changes import Changes
    from mcpexpose.model.plan import Plan
    from mcpexpose.workspace import Workspace

_MANIFEST, _PLAN = "manifest.json", "plan.json"


def compare(workspace: Workspace, other: str) -> Changes:
    """What is another now than on the OTHER side: a folder with a manifest, a file, else a commit's name.

    Raises InputMissing where it is none of these, and BundleRefused where it is a bundle that nobody should read.
    """
    from mcpexpose.bundle.diff import diff

    before, old = _side(workspace, other)
    lines = workspace.compiled.definitions
    return diff(before, workspace.compiled.plan, against=other, old=old, new=lambda row: dict(json.loads(lines[row])))


def _side(workspace: Workspace, other: str) -> tuple[Plan, Callable[[int], Mapping[str, Any]] | None]:
    if other.startswith("-") or not other:
        raise InputMissing(f"{shown(other)!r} is neither a path nor the name of a commit")
    path = Path(other)
    try:
        is_folder, is_file, is_bundle = path.is_dir(), path.is_file(), (path / _MANIFEST).exists()
    except (OSError, ValueError):
        is_folder = is_file = is_bundle = False
    if is_file and path.name == _PLAN and (path.absolute().parent / _MANIFEST).is_file():
        path, is_bundle = path.absolute().parent, True  # its definitions lie beside it
    elif is_file:
        from mcpexpose.bundle.planfile import read_plan

        return read_plan(path), None
    if is_bundle or (is_folder and "/" in other):
        from mcpexpose.bundle.read import open_bundle

        bundle = open_bundle(path)
        return bundle.plan, bundle.definition
    from mcpexpose.cli.gitref import Commit

    try:
        commit = Commit(workspace.folder, other)
    except InputMissing as trouble:
        raise InputMissing(f"{trouble}{', and that folder holds no plan' if is_folder else ''}") from None
    with tempfile.TemporaryDirectory(prefix="mcpexpose-") as folder:
        return _at_commit(workspace, commit, Path(folder).resolve() / "tree")


def _at_commit(workspace: Workspace, commit: Commit, tree: Path) -> tuple[Plan, Callable[[int], Mapping[str, Any]]]:
    """The config of the same path, its packs and catalogs, compiled as they were; nothing where there was no config."""
    from mcpexpose.catalog.names import candidates
    from mcpexpose.model.finding import Severity
    from mcpexpose.workspace import Workspace

    config = commit.path(workspace.path)
    if config is None:
        raise InputMissing(f"{shown(str(workspace.path))} is not in the repository of {shown(commit.ref)}")
    tree.mkdir()
    if not commit.lay_out([config], tree):
        say(f"{shown(config)} is not there at {shown(commit.ref)}: all of it is new")
        return _nothing(workspace.compiled.plan), lambda row: {}
    catalogs = commit.path(workspace.catalog_folder)
    was = Workspace(
        tree / config,
        catalogs=tree / catalogs if catalogs is not None else workspace.catalog_folder,
        environ=workspace.environ,
        now=workspace.now,
    )
    commit.lay_out(_packs(was, commit, dirname(config)), tree)
    if catalogs is not None:
        names = [f"{catalogs}/{name}" for server in was.servers for name in candidates(server)]
        commit.lay_out([normpath(name) for name in names], tree)
    if was.resolved is None:
        raise InputMissing(f"{shown(config)} at {shown(commit.ref)} is no config that can be compared with")
    compiled = was.compiled
    errors = sum(finding.severity is Severity.ERROR for finding in was.found)
    if errors:
        say(f"{shown(config)} at {shown(commit.ref)} has errors ({errors}): compared with what is left of it")
    return compiled.plan, lambda row: dict(json.loads(compiled.definitions[row]))


def _packs(was: Workspace, commit: Commit, folder: str) -> list[str]:
    """Paths, from the root, of the packs that are named by path. Raises InputMissing for one outside the repository."""
    found = []
    for name in was.config.extends if was.config else ():
        written = name.replace("\\", "/")
        if "/" not in written and not written.endswith(".toml"):
            continue  # shipped
        path = normpath(f"{folder}/{written}" if folder else written)
        if written.startswith("/") or path.startswith("../"):
            raise InputMissing(f"the pack {shown(name)} is outside the repository of {shown(commit.ref)}")
        found.append(path)
    return found


def _nothing(plan: Plan) -> Plan:
    """PLAN without anything in it."""
    zero = dataclasses.replace(
        plan.totals,
        direct=0,
        deferred=0,
        tokens_direct=0,
        tokens_search_tool=0,
        tokens_prompt_section=0,
        tokens_if_all=0,
    )
    return dataclasses.replace(plan, servers=(), tools=(), profiles=(), prompt_section="", totals=zero)
