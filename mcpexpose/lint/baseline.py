"""A baseline: the findings that a repository had when it took lint on, by fingerprint; they do not count."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mcpexpose.lint.suppress import can_tell
from mcpexpose.model.errors import InputMissing
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.text import shown
from mcpexpose.report.accepted import Accepted
from mcpexpose.report.jsonout import dump as as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mcpexpose.lint.choice import Choice
    from mcpexpose.lint.runner import Linted
    from mcpexpose.lint.subjects import Context

VERSION = 1
Entry = tuple[str, str]
"""A config, as it is named from the baseline's folder, and a fingerprint."""


@dataclass(slots=True)
class Baseline:
    """What is in the file, and what of it was met."""

    known: Counter[Entry]
    about: Mapping[Entry, tuple[str, tuple[str, ...]]]
    """The rule and the subjects of each entry."""
    met: Counter[Entry] = field(default_factory=Counter)

    def split(self, config: str, findings: Iterable[Finding]) -> tuple[list[Finding], list[Accepted]]:
        """FINDINGS of a config that are new, and those that were there."""
        new: list[Finding] = []
        old: list[Accepted] = []
        for finding in findings:
            entry = (config, finding.fingerprint)
            if self.met[entry] < self.known[entry]:
                self.met[entry] += 1
                old.append(Accepted(finding, "baseline"))
            else:
                new.append(finding)
        return new, old

    def unmet(self, config: str, context: Context, choice: Choice) -> list[tuple[str, tuple[str, ...]]]:
        """Rule and subjects of the entries of a config that no finding met, where that can be told."""
        return sorted(
            (slug, subjects)
            for entry, (slug, subjects) in self.about.items()
            for _ in range(self.known[entry] - self.met[entry])
            if entry[0] == config and choice.runs(slug) and can_tell(context, subjects[0] if subjects else "")
        )


def read(path: Path) -> Baseline:
    """The baseline in a file. Raises InputMissing where it is not there, or is none."""
    name = shown(str(path))
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise InputMissing(f"the baseline {name} cannot be read: {error.strerror or 'unreadable'}") from None
    except (ValueError, RecursionError):
        raise InputMissing(f"the baseline {name} is no JSON") from None
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), list):
        raise InputMissing(f"{name} is no baseline of version {VERSION}; --write-baseline writes one")
    known: Counter[Entry] = Counter()
    about: dict[Entry, tuple[str, tuple[str, ...]]] = {}
    for item in data["findings"]:
        entry = _entry(item)
        if entry is None:
            raise InputMissing(f"{name} is no baseline of version {VERSION}; --write-baseline writes one")
        known[entry] += 1
        about[entry] = (str(item.get("rule", "")), tuple(str(each) for each in item.get("subjects") or ()))
    return Baseline(known, about)


def dump(findings: Iterable[tuple[str, Finding]]) -> bytes:
    """The file for findings, each with its config as it is named from the baseline's folder."""
    entries = [
        {"config": config, "rule": each.slug, "subjects": list(each.subjects), "fingerprint": each.fingerprint}
        for config, each in findings
    ]
    entries.sort(key=lambda entry: (entry["config"], entry["rule"], entry["subjects"], entry["fingerprint"]))
    return as_text({"version": VERSION, "findings": entries}).encode()


def unused(name: str, gone: list[tuple[str, tuple[str, ...]]]) -> Finding:
    """The finding about entries that meet nothing; NAME is the baseline's file."""
    entries = "1 entry" if len(gone) == 1 else f"{len(gone):,} entries"
    meets = "meets" if len(gone) == 1 else "meet"
    rules = ", ".join(f"{slug} ({number:,})" for slug, number in sorted(Counter(slug for slug, _ in gone).items())[:10])
    return Finding(
        "unused-waiver",
        Severity.WARNING,
        f"{entries} of the baseline {shown(name)} {meets} no finding: {shown(rules, 300)}",
        (name,),
        "Write it again with --write-baseline, so that they cannot come back unseen.",
        Place(name),
        details={"gone": [{"rule": slug, "subjects": list(subjects)} for slug, subjects in gone[:100]]},
    )


def against(linted: Linted, config: str, baseline: Baseline) -> Linted:
    """LINTED without what was there before."""
    new, old = baseline.split(config, linted.findings)
    return replace(linted, findings=tuple(new), accepted=(*linted.accepted, *old))


def _entry(item: Any) -> Entry | None:
    if not isinstance(item, dict):
        return None
    config, fingerprint = item.get("config"), item.get("fingerprint")
    return (config, fingerprint) if isinstance(config, str) and isinstance(fingerprint, str) else None
