"""Which rules speak, and how loudly: `[lint]` and the command line, by slug or family."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcpexpose.lint.registry import facts, families, slugs
from mcpexpose.model.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from mcpexpose.model.config import LintTable
    from mcpexpose.model.finding import Finding

AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class Choice:
    """What was asked for. Names that are no rule choose nothing; `unknown` says which those are."""

    select: frozenset[str] = frozenset()
    """Slugs and families; empty: all that run by default."""
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] | None = None
    audit: bool = False
    """Run the rules of the audit persona too."""

    def runs(self, slug: str) -> bool:
        """Whether the rule of SLUG speaks. What has no rule, as a stage's newest fault may, always does."""
        family = slugs().get(slug)
        names = {slug} if family is None else {slug, family}
        if names & self.ignore:
            return False
        if self.select:
            return bool(names & self.select)
        return family is None or self.audit or not facts(slug).audit

    def only(self, families: Container[str]) -> bool:
        """Whether no rule of any other family speaks."""
        return bool(self.select) and not any(
            family not in families and self.runs(slug) for slug, family in slugs().items()
        )

    def heard(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those of FINDINGS that were chosen, as loud as was asked for."""
        loud = self.severity or {}
        return [
            replace(finding, severity=loud[finding.slug]) if finding.slug in loud else finding
            for finding in findings
            if self.runs(finding.slug)
        ]


def choose(
    table: LintTable | None, *, select: Iterable[str] = (), ignore: Iterable[str] = (), persona: str = ""
) -> Choice:
    """The config's `[lint]` with the command line's words: `--select` replaces, `--ignore` adds."""
    wanted = frozenset(select) or frozenset(table.select if table else ())
    silent = frozenset(ignore) | frozenset(table.ignore if table else ())
    severity = {slug: Severity(level) for slug, level in (table.severity if table else {}).items()}
    return Choice(wanted, silent, severity, persona == AUDIT)


def known(name: str) -> bool:
    """Whether NAME is a rule or a family."""
    return name in slugs() or name in families()
