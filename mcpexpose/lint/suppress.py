"""What somebody accepted: `[[waivers]]` of the config, and `# mcpexpose: ignore[slug] reason` in it.

A comment behind a line is about that line, one that stands alone about the next line that is none; `ignore-file[slug]`
above the first key is about the whole file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from mcpexpose.compiler import patterns
from mcpexpose.lint.choice import known
from mcpexpose.lint.registry import slugs
from mcpexpose.model.finding import Finding, Location, Place, Severity
from mcpexpose.model.text import shown
from mcpexpose.report.accepted import Accepted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcpexpose.lint.choice import Choice
    from mcpexpose.lint.subjects import CommentLike, Context
    from mcpexpose.model.config import Waiver

COMMENT = re.compile(
    r"#\s*mcpexpose:\s*(?P<word>ignore-file|ignore)(?![\w-])\s*(?:\[(?P<slugs>[^\]]*)\])?\s*(?P<reason>.*)"
)

T = TypeVar("T")


def apply(
    context: Context, findings: Sequence[Finding], choice: Choice
) -> tuple[list[Finding], list[Accepted], list[Finding]]:
    """FINDINGS that stand, those that were accepted, and what is wrong with the acceptances themselves."""
    waivers = context.config.waivers if context.resolved else ()
    comments = list(_comments(context))
    about: list[Finding] = []
    used_waivers: set[int] = set()
    used_comments: set[tuple[int, str]] = set()
    kept: list[Finding] = []
    accepted: list[Accepted] = []
    waivers_of = _by_slug((waiver.rule, n) for n, waiver in enumerate(waivers))
    comments_of = _by_slug((slug, each) for each in comments for slug in each.slugs)
    for finding in findings:
        by_waiver = [n for n in waivers_of.get(finding.slug, ()) if _meets(waivers[n], finding)]
        in_force = [n for n in by_waiver if not _expired(waivers[n], context)]
        used_waivers.update(by_waiver)
        by_comment = [each for each in comments_of.get(finding.slug, ()) if each.covers(finding, context.file)]
        used_comments.update((each.comment.line, finding.slug) for each in by_comment)
        if by_comment:
            accepted.append(Accepted(finding, "comment", by_comment[0].reason))
        elif in_force:
            accepted.append(Accepted(finding, "waiver", waivers[in_force[0]].reason))
        else:
            kept.append(finding)
    for n, waiver in enumerate(waivers):
        about += _of_waiver(context, n, waiver, n in used_waivers, choice)
    for each in comments:
        about += _of_comment(context, each, used_comments, choice)
    about += _of_lint_table(context)
    return kept, accepted, about


def waiver_for(finding: Finding) -> str:
    """The waiver that would accept FINDING, as the config writes it; a reason is left for a person to give."""
    subject = finding.subjects[0] if finding.subjects else "*"
    return f'[[waivers]] rule = "{finding.slug}", subject = "{shown(subject)}", reason = "…"'


@dataclass(frozen=True, slots=True)
class _Suppression:
    comment: CommentLike
    slugs: tuple[str, ...]
    reason: str
    line: int | None
    """The line that it is about; None: the whole file."""
    misplaced: bool = False
    """It is about the file, and does not stand above its first key."""

    def covers(self, finding: Finding, file: str) -> bool:
        where = finding.location
        found_in = where.file if where else finding.place.file if finding.place else None
        if found_in != file or self.misplaced:
            return False
        return self.line is None or (where is not None and where.line == self.line)


def _comments(context: Context) -> Iterator[_Suppression]:
    below: dict[int, int] = {}  # by line of a comment that stands alone: the line under it and the others of its block
    for comment in sorted(context.comments, key=lambda each: -each.line):
        if comment.alone:
            below[comment.line] = below.get(comment.line + 1, comment.line + 1)
    for comment in context.comments:
        match = COMMENT.match(comment.text)
        if match is None:
            continue
        line: int | None = comment.line
        misplaced = False
        if match["word"] == "ignore-file":
            line, misplaced = None, comment.line > context.first_key
        elif comment.alone:
            line = below[comment.line]
        slugs = tuple(slug.strip() for slug in (match["slugs"] or "").split(",") if slug.strip())
        yield _Suppression(comment, slugs, match["reason"].strip(), line, misplaced)


def _by_slug(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    out: dict[str, list[T]] = {}
    for slug, each in pairs:
        out.setdefault(slug, []).append(each)
    return out


def _meets(waiver: Waiver, finding: Finding) -> bool:
    """Whether the waiver's subject is one of the finding's, or the tool or server that one of them lies in."""
    names = {part for subject in finding.subjects for part in (subject, subject.partition("#")[0])}
    if waiver.subject in names:
        return True
    if patterns.problem(waiver.subject):
        return False
    pattern = patterns.compiled(waiver.subject)
    return not pattern.exact and any(pattern.matches(name) for name in names)


def _expired(waiver: Waiver, context: Context) -> bool:
    return waiver.until is not None and context.now.date() > waiver.until


def _of_waiver(context: Context, n: int, waiver: Waiver, used: bool, choice: Choice) -> Iterator[Finding]:
    name = f"waivers[{n}]"
    what = f"the waiver of {shown(waiver.rule)} for {shown(waiver.subject)}"
    if waiver.rule not in slugs():
        yield _unknown(f"{name}.rule", waiver.rule, context.place("waivers", n, "rule"))
        return
    if not waiver.reason.strip():
        place = context.place("waivers", n)
        yield _about("waiver-without-reason", f"{what} gives no reason", name, "Say why in `reason`.", place)
    if _expired(waiver, context):
        message = f"{what} ended on {waiver.until}"
        advice = "Mend what it was about, or decide anew and set another `until`."
        yield _about("waiver-expired", message, name, advice, context.place("waivers", n, "until"))
    elif not used and choice.runs(waiver.rule) and can_tell(context, waiver.subject):
        message = f"{what} meets no finding"
        yield _about("unused-waiver", message, name, "Take it out.", context.place("waivers", n))


def _of_comment(context: Context, each: _Suppression, used: set[tuple[int, str]], choice: Choice) -> Iterator[Finding]:
    where = Location(context.file, each.comment.line, 1, each.comment.line, 2)
    subject = f"{context.file}:{each.comment.line}"
    what = f"the comment in line {each.comment.line}"
    if each.misplaced:
        message = f"{what} is about the whole file and stands below its first key, so it ignores nothing"
        advice = "Move it to the top of the file, or write ignore[…] at the line that it is about."
        yield _about("unused-waiver", message, subject, advice, None).at(where)
        return
    if not each.slugs:
        advice = "Write `# mcpexpose: ignore[rule-name] reason`."
        yield _about("unknown-rule-name", f"{what} names no rule to ignore", subject, advice, None).at(where)
    for slug in each.slugs:
        if slug not in slugs():
            yield _with(_unknown(subject, slug, None), slug=slug).at(where)
        elif (each.comment.line, slug) not in used and choice.runs(slug) and context.compiled is not None:
            there = "this file" if each.line is None else f"line {each.line}"
            message = f"{what} ignores {slug}, which is not found in {there}"
            yield _with(_about("unused-waiver", message, subject, "Take it out.", None), slug=slug).at(where)
    if each.slugs and not each.reason:
        message = f"{what} gives no reason"
        yield _about("waiver-without-reason", message, subject, "Say why after the bracket.", None).at(where)


def _of_lint_table(context: Context) -> Iterator[Finding]:
    if context.resolved is None:
        return
    table = context.config.lint
    for key, names in (("select", table.select), ("ignore", table.ignore)):
        for n, name in enumerate(names):
            if not known(name):
                yield _unknown(f"lint.{key}[{n}]", name, context.place("lint", key, n))
    for name in table.severity:
        if name not in slugs():
            yield _unknown(f"lint.severity.{name}", name, context.place("lint", "severity", name))


def can_tell(context: Context, subject: str) -> bool:
    """Whether a rule would have found what is wrong with SUBJECT: without a plan, or without a catalog of the tools
    that it may be about, many are silent for that."""
    if context.compiled is None:
        return False
    server = re.split(r"[/:#]", subject, maxsplit=1)[0]
    tables = context.config.mcp_servers
    if server in tables:
        return server in context.catalogs or not tables[server].enabled
    missing = (name for name, table in tables.items() if table.enabled and name not in context.catalogs)
    return patterns.problem(server) is not None or not any(patterns.compiled(server).matches(name) for name in missing)


def _unknown(subject: str, name: str, place: Place | None) -> Finding:
    from mcpexpose.config.nearest import meant

    near = meant(name, slugs())
    advice = f'Did you mean "{near}"?' if near else "`mcpexpose rule` lists them."
    finding = _about("unknown-rule-name", f'there is no rule "{shown(name, 60)}"', subject, advice, place)
    return finding if not near else _with(finding, suggests=[near])


def _with(finding: Finding, **details: object) -> Finding:
    return replace(finding, details={**finding.details, **details})


def _about(slug: str, message: str, subject: str, advice: str, place: Place | None) -> Finding:
    return Finding(slug, Severity.WARNING, message, (shown(subject),), advice, place)
