"""Runs the rules: what stages found and what rules find, chosen, waived, sorted. A rule that crashes is named."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from mcpexpose.lint import suppress
from mcpexpose.lint.choice import Choice
from mcpexpose.lint.registry import facts, slugs
from mcpexpose.lint.registry import rule as rule_of
from mcpexpose.lint.subjects import CapturedTool, walk
from mcpexpose.model.text import shown
from mcpexpose.report.accepted import Accepted, Crashed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcpexpose.lint.subjects import Context, Subject
    from mcpexpose.lint.verdicts import Verdicts
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


def lint(
    context: Context,
    found: Iterable[Finding] = (),
    choice: Choice | None = None,
    verdicts: Verdicts | None = None,
) -> Linted:
    """Everything that is wrong: FOUND by the stages, and by the rules on CONTEXT, with what VERDICTS remember."""
    chosen = choice or Choice()
    return judged(context, found, ask(context, chosen, verdicts), chosen)


@dataclass(frozen=True, slots=True)
class Told:
    """What the rules had to say, before anybody chose and accepted."""

    findings: tuple[Finding, ...]
    crashes: tuple[Crashed, ...] = ()


def ask(context: Context, choice: Choice, verdicts: Verdicts | None = None) -> Told:
    """Run the rules that CHOICE names on CONTEXT."""
    run = _Run(context, choice, verdicts if context.resolved is not None else None)
    return Told(tuple(run.findings()), tuple(run.crashes))


def judged(context: Context, found: Iterable[Finding], told: Told, chosen: Choice) -> Linted:
    """What stages FOUND and rules TOLD: chosen, located, accepted, in order."""
    findings = chosen.heard([*found, *told.findings])
    findings = _unique(_located(context, findings))
    kept, accepted, about = suppress.apply(context, findings, chosen)
    kept += _located(context, chosen.heard(about))
    return Linted(
        tuple(sorted(kept, key=_order)),
        tuple(sorted(accepted, key=lambda each: _order(each.finding))),
        told.crashes,
    )


class _Run:
    """The rules that were chosen, each imported when there is a subject for it whose verdict nobody knows."""

    def __init__(self, context: Context, choice: Choice, verdicts: Verdicts | None) -> None:
        self.context = context
        self.verdicts = verdicts
        self.crashes: list[Crashed] = []
        self._failed: set[str] = set()
        self._by_kind: dict[str, list[str]] = {}
        for slug in slugs():
            if choice.runs(slug):
                for kind in facts(slug).kinds:
                    self._by_kind.setdefault(kind, []).append(slug)
        if verdicts is not None:
            kept = [slug for slug in self._by_kind.get("CapturedTool", ()) if facts(slug).remembered == "tool"]
            verdicts.begin(kept, context.config.exposure.targets)

    def findings(self) -> list[Finding]:
        out: list[Finding] = []
        for subject in walk(self.context, self._by_kind):
            # A rule on what is written meets what is right in itself as well: a Server is a WrittenServer.
            for kind in type(subject).__mro__:
                asked = self._by_kind.get(kind.__name__)
                if asked and self.verdicts is not None and isinstance(subject, CapturedTool):
                    out += self._of_tool(subject, asked, self.verdicts)
                elif asked:
                    out += chain.from_iterable(self._asked(slug, kind, subject) for slug in asked)
        return out

    def _of_tool(self, tool: CapturedTool, asked: list[str], verdicts: Verdicts) -> Iterator[Finding]:
        key = verdicts.key(tool)
        spoke = verdicts.spoke(key)
        speaks = set()
        for slug in asked:
            kept = facts(slug).remembered == "tool"
            if kept and spoke is not None and slug not in spoke:
                continue
            found = self._asked(slug, CapturedTool, tool)
            if kept and found:
                speaks.add(slug)
            yield from found
        if spoke is None and not self._failed:
            verdicts.note(key, speaks)

    def _asked(self, slug: str, kind: type, subject: Subject) -> list[Finding]:
        if self.verdicts is None or facts(slug).remembered != "plan":
            return self._told(slug, kind, subject)
        found = self.verdicts.of_plan(slug, self.context)
        if found is None:
            found = self._told(slug, kind, subject)
            if slug not in self._failed:
                self.verdicts.note_of_plan(slug, found)
        return found

    def _told(self, slug: str, kind: type, subject: Subject) -> list[Finding]:
        if slug in self._failed:
            return []
        out: list[Finding] = []
        try:
            rule = rule_of(slug)
            for on, check in rule.checks if rule else ():
                if on is kind:
                    out += check(subject, self.context)
        except Exception as error:
            self._failed.add(slug)
            name = str(getattr(subject, "id", getattr(subject, "name", self.context.file)))
            self.crashes.append(Crashed(slug, shown(name, 100), type(error).__name__))
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
