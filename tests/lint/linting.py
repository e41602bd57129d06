"""Lints a folder as `mcpexpose lint` does, at a fixed time."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from mcpexpose.lint.choice import Choice
from mcpexpose.lint.runner import Linted, lint
from mcpexpose.lint.subjects import Context
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)


def lint_folder(folder: Path, choice: Choice | None = None, now: datetime.datetime = NOW) -> Linted:
    """What lint says of the config in a folder; the audit rules speak too."""
    workspace = Workspace(folder / "config.toml", environ={}, now=now)
    context = Context(
        file=workspace.name,
        resolved=workspace.resolved,
        catalogs=workspace.catalogs,
        compiled=workspace.compiled if workspace.resolved else None,
        now=now,
        comments=workspace.document.comments,
        first_key=workspace.document.first_key,
        locate=workspace.locate,
        lock=workspace.lock,
        tests=lambda: workspace.tests,
    )
    return lint(context, workspace.findings, choice or Choice(audit=True))


def lint_files(folder: Path, files: Mapping[str, str], choice: Choice | None = None) -> Linted:
    """The same for files that are written first."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return lint_folder(folder, choice)
