"""A workspace as lint's context: each step of it is made when the first rule asks for what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.subjects import Context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.lock import Lock
    from mcpexpose.model.plan import Compiled
    from mcpexpose.workspace import Workspace


class AtHand(Context):
    """All that can be made of a workspace's config."""

    def __init__(self, workspace: Workspace) -> None:
        given = {
            "workspace": workspace,
            "file": workspace.name,
            "resolved": workspace.resolved,
            "now": workspace.now,
            # Few files have a comment that is meant for lint, and a scan for comments takes long.
            "comments": workspace.document.comments if "mcpexpose:" in workspace.document.text else (),
            "first_key": workspace.document.first_key if "mcpexpose:" in workspace.document.text else float("inf"),
            "locate": workspace.locate,
            "tests": lambda: workspace.tests,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)

    workspace: Workspace

    @property
    def catalogs(self) -> Mapping[str, Catalog]:
        return self.workspace.catalogs

    @property
    def compiled(self) -> Compiled | None:
        return self.workspace.compiled if self.workspace.resolved else None

    @property
    def lock(self) -> Lock | None:
        return self.workspace.lock
