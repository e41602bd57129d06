"""Runs the rules: what stages found and what rules find, chosen, waived, sorted. A rule that crashes is named."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from mcpexpose.lint import suppress
from mcpexpose.lint.choice import Choice
from mcpexpose.lint.registry import rule as rule_of
from mcpexpose.lint.registry import slugs
from mcpexpose.lint.subjects import walk
from mcpexpose.model.text import shown
from mcpexpose.report.accepted import Accepted, Crashed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.lint.rule import Check, Rule
    from mcpexpose.lint.subjects import Context
    from mcpexpose.model.finding import Finding


@dataclass(frozen=True, slots=True)
class Linted:
    """What lint has to say."""

    findings: tuple[Finding, ...]
    """Sorted by file, place, slug and subject; located as far as the context can."""
    accepted: tuple[Accepted, ...] = ()
    """What a waiver or a comment accepted."""
    crashes: tuple[Crashed, ...] = ()
    """Rules that failed on a subject; the rest of lint is not held up, and the command ends with 70."""

    @property
    def waived(self) -> tuple[Finding, ...]:
        """The findings that were accepted."""
        return tuple(each.finding for each in self.accepted)


def lint(context: Context, found: Iterable[Finding] = (), choice: Choice | None = None) -> Linted:
    """Everything that is wrong: FOUND by the stages, and by the rules on CONTEXT."""
    chosen = choice or Choice()
    crashes: list[Crashed] = []
    findings = chosen.heard([*found, *_run(context, chosen, crashes)])
    findings = _unique(_located(context, findings))
    kept, accepted, about = suppress.apply(context, findings, chosen)
    kept += _located(context, chosen.heard(about))
    return Linted(
        tuple(sorted(kept, key=_order)), tuple(sorted(accepted, key=lambda each: _order(each.finding))), tuple(crashes)
    )


def _run(context: Context, choice: Choice, crashes: list[Crashed]) -> list[Finding]:
    checks: dict[type, list[tuple[Rule, Check]]] = {}
    for slug in slugs():
        found = rule_of(slug) if choice.runs(slug) else None
        if found is not None:
            for kind, check in found.checks:
                checks.setdefault(kind, []).append((found, check))
    out: list[Finding] = []
    failed: set[str] = set()
    for subject in walk(context, checks):
        # A rule on what is written meets what is right in itself as well: a Server is a WrittenServer.
        for rule, check in chain.from_iterable(checks.get(kind, ()) for kind in type(subject).__mro__):
            if rule.slug in failed:
                continue
            try:
                out += check(subject, context)
            except Exception as error:
                failed.add(rule.slug)
                name = str(getattr(subject, "id", getattr(subject, "name", context.file)))
                crashes.append(Crashed(rule.slug, shown(name, 100), type(error).__name__))
    return out


def _located(context: Context, findings: Iterable[Finding]) -> list[Finding]:
    return [
        finding if finding.location or finding.place is None else finding.at(context.locate(finding.place))
        for finding in findings
    ]


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    """One of each: two stages may see the same fault at the same place."""
    seen: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        seen.setdefault((finding.slug, finding.subjects, finding.message, finding.place), finding)
    return list(seen.values())


def _order(finding: Finding) -> tuple[object, ...]:
    where = finding.location
    file = where.file if where else finding.place.file if finding.place else ""
    at = (where.line, where.column) if where else (0, 0)
    path: Mapping[str, object] | tuple[str, ...] = (
        tuple(str(step) for step in finding.place.path) if finding.place else ()
    )
    return (file, at, finding.slug, finding.subjects, path, finding.message)
