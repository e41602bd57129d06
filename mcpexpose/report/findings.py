"""What every format of findings starts from: the findings in their order, what was checked, and the texts at hand."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import digest
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.text import shown
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcpexpose.report.accepted import Accepted, Crashed, FixFact, RuleFact
    from mcpexpose.report.screen import Screen

FORMATS: Mapping[str, str] = {
    "text": "mcpexpose.report.findings_text",
    "concise": "mcpexpose.report.findings_concise",
    "json": "mcpexpose.report.findings_json",
    "sarif": "mcpexpose.report.findings_sarif",
    "github": "mcpexpose.report.findings_github",
    "gitlab": "mcpexpose.report.findings_gitlab",
    "junit": "mcpexpose.report.findings_junit",
    "markdown": "mcpexpose.report.findings_markdown",
}
"""Name of a format to the module that renders it: `render(report, screen) -> str`."""


def _no_line(file: str, line: int) -> str | None:
    return None


def _as_it_is(text: str) -> str:
    return text


def _no_location(place: Place) -> Location | None:
    return None


def _no_anchor(finding: Finding) -> Location | None:
    return None


def _no_rules() -> tuple[RuleFact, ...]:
    return ()


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
    accepted: tuple[Accepted, ...] = ()
    """Findings that somebody accepted; they are not among these."""
    against_baseline: bool = False
    """Whether there was a baseline, so that what is not in it is new."""
    rules: Callable[[], tuple[RuleFact, ...]] = _no_rules
    """The rules that ran, sorted; asked for by formats that list them."""
    crashes: tuple[Crashed, ...] = ()
    """Rules that failed; what they would have found is missing."""
    fixes: Mapping[Finding, FixFact] = field(default_factory=dict)
    """How a finding can be mended, where that is known."""
    fixed: int = 0
    """How many findings were mended in this run; they are not among these."""
    configs: tuple[str, ...] = ()
    """The configs that were checked, as findings name files; the first stands in where a finding has no file."""
    base: str = ""
    """Where this run stood below the repository's root, with a slash at the end: files of some formats are named from
    there."""
    anchor: Callable[[Finding], Location | None] = _no_anchor
    """For a finding in a catalog: where the config admits the tool."""
    omit_accepted: bool = False
    """For readers of SARIF that show what is marked as accepted like any other result."""
    fail_on: str = "error"
    """The severity from which a finding fails the run: error, warning, info or never."""

    @property
    def waived(self) -> int:
        """How many findings a waiver or a comment accepted."""
        return sum(each.by != "baseline" for each in self.accepted)

    @property
    def baselined(self) -> int:
        """How many findings were there before the baseline was written."""
        return sum(each.by == "baseline" for each in self.accepted)

    def total(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


def render(form: str, report: FindingsReport, screen: Screen) -> str:
    """REPORT in FORM, a key of FORMATS; ends with a line feed where it is not empty."""
    text: str = import_module(FORMATS[form]).render(report, screen)
    return text


_PLACE = re.compile(r"\[\d+\]")
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
    missing = unnamed(finding)
    return f"{finding.message} [{', '.join(missing)}]" if missing else finding.message


def unnamed(finding: Finding) -> list[str]:
    """The subjects that the finding's sentence and place do not name, as they can be printed."""
    said = f"{whereabouts(finding)} {finding.message}"
    return [text for subject in finding.subjects if not _named(text := shown(subject), said)]


def _named(subject: str, said: str) -> bool:
    """Whether SAID has the subject whole, or, of a key, each of its parts: `[mcp_servers.git] has no key "exposre"`.

    An entry of a list is named by its list and its place there: `extends[1]`.
    """
    if subject in said:
        return True
    if "/" in subject or "#" in subject:
        return False
    if any(place not in said for place in _PLACE.findall(subject)):
        return False
    return all(re.search(rf"(?<![\w-]){re.escape(part)}(?![\w-])", said) for part in _PART.findall(subject))


def from_root(file: str, report: FindingsReport) -> str:
    """FILE as the repository's root names it, with forward slashes; an absolute path stays one."""
    return file if file.startswith("/") else posixpath.normpath(report.base + file)


def file_of(finding: Finding, report: FindingsReport) -> str:
    """The file of a finding; where it has none, the config that was checked."""
    if finding.location:
        return finding.location.file
    return finding.place.file if finding.place else report.configs[0] if report.configs else ""


def in_config(finding: Finding, report: FindingsReport) -> Location | None:
    """Where a reviewer of the config looks for it: of a catalog's finding, the line that admits the tool."""
    return report.anchor(finding) or finding.location


def unique_fingerprints(findings: Iterable[Finding], report: FindingsReport) -> list[str]:
    """A fingerprint for each of FINDINGS, in their order, that no other of the report has; made of no lines."""
    seen: dict[str, int] = {}
    out = []
    for finding in findings:
        base = digest([shown(from_root(file_of(finding, report), report)), finding.fingerprint])
        seen[base] = nth = seen.get(base, 0) + 1
        out.append(base if nth == 1 else digest([base, nth]))
    return out


def summary(report: FindingsReport, screen: Screen) -> str:
    """`2 errors, 1 warning in 1 config, 9 catalogs · mcpexpose rule SLUG explains`, without a line feed."""
    nouns = {Severity.ERROR: ("error", None), Severity.WARNING: ("warning", None), Severity.INFO: ("info", "infos")}
    found = [count(report.total(severity), *words) for severity, words in nouns.items() if report.total(severity)]
    checked = [count(number, noun.removesuffix("s")) for noun, number in report.checked.items()]
    numbers = {"waived": report.waived, "in the baseline": report.baselined, "fixed": report.fixed}
    apart = ", ".join(f"{number:,} {what}" for what, number in numbers.items() if number)
    text = (", ".join(found) or "no findings") + (f" ({apart})" if apart else "")
    text += f" in {', '.join(checked)}" if checked else ""
    safe = sum(fix.safe for fix in report.fixes.values())
    unsafe = len(report.fixes) - safe
    offers = [f"{safe:,} with --fix"] * bool(safe) + [f"{unsafe:,} with --fix --unsafe-fixes"] * bool(unsafe)
    text += f" {screen.dot} can be mended: {', '.join(offers)}" if offers else ""
    worst = sorted(
        (f for f in report.findings if f.slug in report.explained), key=lambda f: list(Severity).index(f.severity)
    )
    return text + (f" {screen.dot} mcpexpose rule {worst[0].slug} explains" if worst else "")
