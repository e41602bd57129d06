"""Findings as SARIF 2.1.0, for code scanning: every rule that ran, accepted findings marked, nothing made of lines.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/; GitHub takes 25,000 results of a run.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mcpexpose import __version__
from mcpexpose.model.finding import Finding, Location, Severity
from mcpexpose.report.findings import (
    FindingsReport,
    file_of,
    from_root,
    in_config,
    message,
    unique_fingerprints,
)
from mcpexpose.report.jsonout import dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.report.accepted import Accepted, FixFact, RuleFact
    from mcpexpose.report.screen import Screen

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
MAX_RESULTS = 25_000
MAX_RELATED = 100
ROOT = "SRCROOT"
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def render(report: FindingsReport, screen: Screen) -> str:
    """One run. Of more than 25,000 results the mildest are left out, and a notification says so."""
    rules = report.rules()
    index = {rule.slug: n for n, rule in enumerate(rules)}
    accepted = () if report.omit_accepted else report.accepted
    everything = [(finding, None) for finding in report.findings] + [(each.finding, each) for each in accepted]
    prints = unique_fingerprints([finding for finding, _ in everything], report)
    results = [
        _result(finding, by, fingerprint, index, report)
        for (finding, by), fingerprint in zip(everything, prints, strict=True)
    ]
    if len(results) > MAX_RESULTS:
        levels = list(LEVELS.values())
        loudest = sorted(range(len(results)), key=lambda n: (levels.index(results[n]["level"]), n))[:MAX_RESULTS]
        kept = [results[n] for n in sorted(loudest)]
    else:
        kept = results
    run = {
        "tool": {
            "driver": {
                "name": "mcpexpose",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": _category(report)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The repository's root."}}},
        "invocations": [_invocation(report, rules, index, len(results) - len(kept))],
        "results": kept,
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _category(report: FindingsReport) -> str:
    """Tells runs over several configs of a repository apart, which would replace each other in code scanning."""
    folders = {posixpath.dirname(from_root(config, report)) for config in report.configs}
    folder = folders.pop() if len(folders) == 1 else ""
    return (
        f"mcpexpose/lint/{quote(folder, errors='surrogateescape')}/"
        if folder[:1] not in ("", "/", ".")
        else "mcpexpose/lint/"
    )


def _rule(rule: RuleFact) -> dict[str, Any]:
    return {
        "id": rule.slug,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.document, "markdown": rule.document},
        **({"helpUri": rule.page} if rule.page else {}),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": ["mcp", rule.family]},
    }


def _invocation(
    report: FindingsReport, rules: tuple[RuleFact, ...], index: Mapping[str, int], missing: int
) -> dict[str, Any]:
    notes: list[dict[str, Any]] = [
        {
            "level": "error",
            "message": {"text": f"the rule {crash.slug} failed on {crash.subject} ({crash.error})"},
            **({"associatedRule": {"id": crash.slug, "index": index[crash.slug]}} if crash.slug in index else {}),
        }
        for crash in report.crashes
    ]
    if missing:
        notes.append({"level": "warning", "message": {"text": f"{missing:,} more results were left out"}})
    overrides = [
        {
            "descriptor": {"id": rule.slug, "index": index[rule.slug]},
            "configuration": {"level": LEVELS[rule.severity_here]},
        }
        for rule in rules
        if rule.severity_here is not None
    ]
    return {
        "executionSuccessful": not report.crashes,
        **({"toolExecutionNotifications": notes} if notes else {}),
        **({"ruleConfigurationOverrides": overrides} if overrides else {}),
    }


def _result(
    finding: Finding, accepted: Accepted | None, fingerprint: str, index: Mapping[str, int], report: FindingsReport
) -> dict[str, Any]:
    anchor = in_config(finding, report)
    file = anchor.file if anchor else file_of(finding, report)
    text = " ".join(filter(None, [f"{message(finding)}.", finding.advice]))
    result: dict[str, Any] = {
        "ruleId": finding.slug,
        "level": LEVELS[finding.severity],
        "message": {"text": _plain(text)},
        "locations": [],
        "partialFingerprints": {"mcpexpose/v1": fingerprint},
        "properties": {"subjects": list(finding.subjects)},
    }
    if finding.slug in index:
        result["ruleIndex"] = index[finding.slug]
    if file:
        location: dict[str, Any] = {"physicalLocation": _physical(file, anchor, report)}
        if finding.subjects:
            location["logicalLocations"] = [{"fullyQualifiedName": subject} for subject in finding.subjects]
        result["locations"] = [location]
    if related := _related(finding, anchor, report):
        result["relatedLocations"] = related
    if (fix := report.fixes.get(finding)) and fix.edits:
        result["fixes"] = [_fix(fix, report)]
    if accepted is not None and accepted.by != "baseline":
        kind = "inSource" if accepted.by == "comment" else "external"
        why = {"justification": accepted.reason} if accepted.reason else {}
        result["suppressions"] = [{"kind": kind, "status": "accepted", **why}]
    if report.against_baseline:
        result["baselineState"] = "unchanged" if accepted is not None and accepted.by == "baseline" else "new"
    return result


def _related(finding: Finding, anchor: Location | None, report: FindingsReport) -> list[dict[str, Any]]:
    places = [at for place in finding.related[:MAX_RELATED] if (at := report.locate(place))]
    if finding.location and anchor != finding.location:
        places.insert(0, finding.location)  # the config line stands first; here is what the server said
    return [{"id": n, "physicalLocation": _physical(at.file, at, report)} for n, at in enumerate(places, 1)]


def _fix(fix: FixFact, report: FindingsReport) -> dict[str, Any]:
    """What is put where; SARIF knows no fix that is a guess, so the description says it."""
    by_file: dict[str, list[dict[str, Any]]] = {}
    for at, text in fix.edits:
        replacement: dict[str, Any] = {"deletedRegion": _region(at)}
        if text:
            replacement["insertedContent"] = {"text": text}
        by_file.setdefault(at.file, []).append(replacement)
    changes = [
        {"artifactLocation": _artifact(file, report), "replacements": replacements}
        for file, replacements in by_file.items()
    ]
    title = fix.title if fix.safe else f"{fix.title} (a guess: see that it is meant)"
    return {"description": {"text": _plain(title)}, "artifactChanges": changes}


def _physical(file: str, at: Location | None, report: FindingsReport) -> dict[str, Any]:
    artifact = _artifact(file, report)
    return {"artifactLocation": artifact} if at is None else {"artifactLocation": artifact, "region": _region(at)}


def _artifact(file: str, report: FindingsReport) -> dict[str, Any]:
    name = from_root(file, report)
    uri = quote(name, errors="surrogateescape")
    return {"uri": f"file://{uri}"} if name.startswith("/") else {"uri": uri, "uriBaseId": ROOT}


def _region(at: Location) -> dict[str, int]:
    return {"startLine": at.line, "startColumn": at.column, "endLine": at.end_line, "endColumn": at.end_column}


def _plain(text: str) -> str:
    """TEXT without what a viewer would take for a link."""
    return _LINK.sub(r"\\[", text)
