"""What every format of findings starts from: the findings in their order, what was checked, and the texts at hand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.text import shown
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcpexpose.report.screen import Screen

FORMATS: Mapping[str, str] = {
    "text": "mcpexpose.report.findings_text",
    "concise": "mcpexpose.report.findings_concise",
    "json": "mcpexpose.report.findings_json",
}
"""Name of a format to the module that renders it: `render(report, screen) -> str`."""


def _no_line(file: str, line: int) -> str | None:
    return None


def _as_it_is(text: str) -> str:
    return text


def _no_location(place: Place) -> Location | None:
    return None


@dataclass(frozen=True, slots=True)
class FindingsReport:
    """Findings as a command ends with them: selected, waived ones gone, sorted, located."""

    findings: tuple[Finding, ...]
    checked: Mapping[str, int] = field(default_factory=dict)
    """What was looked at: {"configs": 1, "catalogs": 9}."""
    line: Callable[[str, int], str | None] = _no_line
    """The text of a line of a file, without its end; None where there is no such line."""
    locate: Callable[[Place], Location | None] = _no_location
    """For related places."""
    conceal: Callable[[str], str] = _as_it_is
    """Strikes credentials out of a line, keeping its length."""
    explained: frozenset[str] = frozenset()
    """Slugs that `mcpexpose rule` has a page for."""
    waived: int = 0
    """How many findings somebody accepted; they are not among these."""

    def total(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


def render(form: str, report: FindingsReport, screen: Screen) -> str:
    """REPORT in FORM, a key of FORMATS; ends with a line feed where it is not empty."""
    text: str = import_module(FORMATS[form]).render(report, screen)
    return text


_PART = re.compile(r"[^.:\[\]]+(?![^\[]*\])")
"""The keys of a subject such as `git:deny[0]` or `policy.auto_approve[1]`, without indices."""


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """FINDINGS by file, line, column and slug; those without a place first."""

    def key(finding: Finding) -> tuple[Any, ...]:
        at = finding.location
        file = at.file if at else finding.place.file if finding.place else ""
        return (file, at.line if at else 0, at.column if at else 0, finding.slug, finding.subjects, finding.message)

    return tuple(sorted(findings, key=key))


def whereabouts(finding: Finding) -> str:
    """`config.toml:18:1`, or as much of it as is known; "" where nothing is."""
    if at := finding.location:
        return f"{shown(at.file)}:{at.line}:{at.column}"
    return shown(finding.place.file) if finding.place else ""


def message(finding: Finding) -> str:
    """The finding's sentence; subjects that it does not name stand behind it in brackets."""
    said = f"{whereabouts(finding)} {finding.message}"
    missing = [shown(subject) for subject in finding.subjects if not _named(shown(subject), said)]
    return f"{finding.message} [{', '.join(missing)}]" if missing else finding.message


def _named(subject: str, said: str) -> bool:
    """Whether SAID has the subject whole, or, of a key, each of its parts: `[mcp_servers.git] has no key "exposre"`."""
    if subject in said:
        return True
    if "/" in subject or "#" in subject:
        return False
    return all(re.search(rf"(?<![\w-]){re.escape(part)}(?![\w-])", said) for part in _PART.findall(subject))


def summary(report: FindingsReport, screen: Screen) -> str:
    """`2 errors, 1 warning in 1 config, 9 catalogs · mcpexpose rule SLUG explains`, without a line feed."""
    nouns = {Severity.ERROR: ("error", None), Severity.WARNING: ("warning", None), Severity.INFO: ("info", "infos")}
    found = [count(report.total(severity), *words) for severity, words in nouns.items() if report.total(severity)]
    checked = [count(number, noun.removesuffix("s")) for noun, number in report.checked.items()]
    text = (", ".join(found) or "no findings") + (f" ({report.waived:,} waived)" if report.waived else "")
    text += f" in {', '.join(checked)}" if checked else ""
    worst = sorted(
        (f for f in report.findings if f.slug in report.explained), key=lambda f: list(Severity).index(f.severity)
    )
    return text + (f" {screen.dot} mcpexpose rule {worst[0].slug} explains" if worst else "")
