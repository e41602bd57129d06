"""A workspace as lint's context, and what waivers and comments accept."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mcpexpose.cli import given
from mcpexpose.model.struck import struck

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mcpexpose.lint.choice import Choice
    from mcpexpose.lint.fix import Edit
    from mcpexpose.lint.rule import Rule
    from mcpexpose.lint.runner import Linted
    from mcpexpose.lint.subjects import Context
    from mcpexpose.model.finding import Finding, Location, Place, Severity
    from mcpexpose.report.accepted import RuleFact
    from mcpexpose.workspace import Workspace

NOT_OF_LINT = frozenset({"bundle", "importing"})
"""Families of rules by which other commands speak."""


def context_of(workspace: Workspace) -> Context:
    """All that is made of a config, each step when the first rule asks for it."""
    from mcpexpose.lint.at_hand import AtHand

    return AtHand(workspace)


def lint(workspace: Workspace, choice: Choice, *, cached: bool = False) -> Linted:
    """What the stages found and what the rules find, chosen and waived; CACHED: with what is remembered of before."""
    from mcpexpose.lint import runner
    from mcpexpose.lint.stages import reading_is_enough

    if reading_is_enough(choice, workspace.resolved):
        return runner.lint(context_of(workspace), workspace.found_in_config, choice)
    if not cached:
        return runner.lint(context_of(workspace), workspace.found, choice)
    from mcpexpose.lint.again import lint_again

    return lint_again(workspace, context_of(workspace), choice)


def catalogs_read(workspace: Workspace) -> int:
    """How many catalogs were of use; none where nobody asked for them."""
    return len(workspace.catalogs) if "_catalogs" in vars(workspace) else workspace.catalogs_recalled


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


def rule_facts(choices: Sequence[Choice]) -> tuple[RuleFact, ...]:
    """The rules that speak under any of CHOICES, sorted; those of other commands never do in lint."""
    from mcpexpose.lint.registry import all_rules

    pages = _pages()
    facts = []
    for rule in all_rules().values():
        if rule.family in NOT_OF_LINT or not any(choice.runs(rule.slug) for choice in choices):
            continue
        here = {(choice.severity or {}).get(rule.slug, rule.severity) for choice in choices}
        facts.append(_fact(rule, next(iter(here)) if len(here) == 1 and here != {rule.severity} else None, pages))
    return tuple(facts)


def import_facts() -> tuple[RuleFact, ...]:
    """The rules that `init --from` speaks by, sorted."""
    from mcpexpose.lint.registry import all_rules

    found = (rule for rule in all_rules().values() if rule.family == "importing" or rule.slug == "secret-in-config")
    return tuple(_fact(rule, None, _pages()) for rule in found)


def _fact(rule: Rule, severity: Severity | None, pages: str) -> RuleFact:
    from mcpexpose.report.accepted import RuleFact

    page = f"{pages}/{rule.family}/{rule.slug.replace('-', '_')}.md" if pages else ""
    return RuleFact(rule.slug, rule.family, rule.severity, rule.summary, rule.document, severity, page)


def _pages() -> str:
    """Where the rules' documents of this version stand; "" where the package names no repository."""
    from importlib import metadata

    from mcpexpose import __version__

    try:
        listed = metadata.metadata("mcpexpose").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    pairs = (each.partition(",") for each in listed)
    urls = {label.strip().lower(): url.strip().rstrip("/") for label, _, url in pairs}
    repository = urls.get("repository") or urls.get("source") or ""
    return f"{repository}/blob/v{__version__}/mcpexpose/lint/rules" if repository.startswith("https://") else ""


def below_root(folder: Path) -> str:
    """FOLDER as the repository's root names it, with a slash at the end; "" for the root, or without a repository."""
    folder = folder.absolute()
    root = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    name = folder.relative_to(root).as_posix()
    return "" if name == "." else f"{name}/"


def _admission(workspace: Workspace, server: str, tool: str) -> Place:
    from mcpexpose.compiler import patterns
    from mcpexpose.model.finding import Place

    assert workspace.config is not None
    table = workspace.config.mcp_servers[server]
    base = ("mcp_servers", server)
    if tool in table.tools:
        return Place(workspace.name, (*base, "tools", tool), "header")
    matching = [
        (not pattern.exact, -pattern.weight, n)
        for n, text in enumerate(table.allow_patterns or ())
        if not patterns.problem(text) and (pattern := patterns.compiled(text)).matches(tool)
    ]
    if tool and matching:
        return Place(workspace.name, (*base, table.allow_key, min(matching)[2]))
    return Place(workspace.name, base, "header")


class Names:
    """Findings of several workspaces under the names that people would type, and the way back to their texts."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Workspace, str]] = {}
        self._workspaces: dict[int, Workspace] = {}

    def named(self, findings: Iterable[Finding], workspace: Workspace) -> list[Finding]:
        """FINDINGS of a workspace, renamed, and without its credentials."""
        self._workspaces[id(workspace)] = workspace
        names: dict[str, str] = {}

        def name(file: str) -> str:
            if file not in names:
                names[file] = given.file_name(file, workspace)
                self._files[names[file]] = (workspace, file)
            return names[file]

        return [given.renamed(struck(finding, workspace.literals), name) for finding in findings]

    def placed(self, edits: Iterable[Edit], workspace: Workspace) -> tuple[tuple[Location, str], ...]:
        """What a mend puts where in a workspace's config, which has these files' names."""
        document = workspace.document
        found = ((given.at(document.location(edit.start, edit.end), workspace), edit.text) for edit in edits)
        return tuple((at, text) for at, text in found if at)

    def conceal(self, text: str) -> str:
        """A line without credentials of any of these workspaces."""
        for workspace in self._workspaces.values():
            text = workspace.conceal(text)
        return text

    def admits(self, finding: Finding) -> Location | None:
        """Of a finding in a catalog, where the config admits the tool: its table, its entry of allow, its server."""
        if finding.location is None or not finding.subjects:
            return None
        workspace, name = self._files.get(finding.location.file, (None, ""))
        if workspace is None or workspace.config is None or not name.startswith(f"{workspace.catalog_name}/"):
            return None
        server, _, tool = finding.subjects[0].partition("#")[0].partition("/")
        if server not in workspace.config.mcp_servers:
            return None
        at = workspace.locate(_admission(workspace, server, tool))
        return at and given.at(at, workspace)

    def line(self, file: str, number: int) -> str | None:
        """A line by the file's new name."""
        workspace, name = self._files.get(file, (None, ""))
        return workspace.line(name, number) if workspace else None

    def locate(self, place: Place) -> Location | None:
        """A place by the file's new name."""
        workspace, name = self._files.get(place.file, (None, ""))
        at = workspace.locate(dataclasses.replace(place, file=name)) if workspace else None
        return at and dataclasses.replace(at, file=place.file)
