"""A workspace as lint's context, and what waivers and comments accept."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mcpexpose.cli.given import file_name, named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.lint.choice import Choice
    from mcpexpose.lint.runner import Linted
    from mcpexpose.lint.subjects import Context
    from mcpexpose.model.finding import Finding, Location, Place
    from mcpexpose.workspace import Workspace


def context_of(workspace: Workspace) -> Context:
    """All that was made of a config, as far as it went."""
    from mcpexpose.lint.subjects import Context

    return Context(
        file=workspace.name,
        resolved=workspace.resolved,
        catalogs=workspace.catalogs,
        compiled=workspace.compiled if workspace.resolved else None,
        now=workspace.now,
        comments=workspace.document.comments,
        locate=workspace.locate,
        lock=workspace.lock,
    )


def lint(workspace: Workspace, choice: Choice) -> Linted:
    """What the stages found and what the rules find, chosen and waived."""
    from mcpexpose.lint import runner

    return runner.lint(context_of(workspace), workspace.found, choice)


def not_waived(workspace: Workspace) -> tuple[Finding, ...]:
    """The stages' findings that nobody accepted, located."""
    findings = workspace.findings
    config = workspace.config
    comments = (comment.text for comment in workspace.document.comments)
    if not (config and config.waivers) and not any("mcpexpose:" in text for text in comments):
        return findings  # no rule need be loaded
    from mcpexpose.lint import suppress
    from mcpexpose.lint.choice import Choice

    kept, _, _ = suppress.apply(context_of(workspace), findings, Choice())
    return tuple(kept)


class Names:
    """Findings of several workspaces under the names that people would type, and the way back to their texts."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Workspace, str]] = {}

    def named(self, findings: Iterable[Finding], workspace: Workspace) -> list[Finding]:
        """FINDINGS of a workspace, renamed."""
        out = []
        for finding in findings:
            for each in (finding.location, finding.place, *finding.related):
                if each is not None:
                    self._files[file_name(each.file, workspace)] = (workspace, each.file)
            out.append(named(finding, workspace))
        return out

    def conceal(self, text: str) -> str:
        """A line without credentials of any of these workspaces."""
        for workspace in {id(each): each for each, _ in self._files.values()}.values():
            text = workspace.conceal(text)
        return text

    def line(self, file: str, number: int) -> str | None:
        """A line by the file's new name."""
        workspace, name = self._files.get(file, (None, ""))
        return workspace.line(name, number) if workspace else None

    def locate(self, place: Place) -> Location | None:
        """A place by the file's new name."""
        workspace, name = self._files.get(place.file, (None, ""))
        at = workspace.locate(dataclasses.replace(place, file=name)) if workspace else None
        return at and dataclasses.replace(at, file=place.file)
