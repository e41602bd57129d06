"""Mends of what accepts findings: a waiver or a comment is taken out, or names the rule that was meant."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from mcpexpose.lint.fix import Edit, Fix, Source, key, place_of, quoted, suggested
from mcpexpose.lint.suppress import COMMENT

if TYPE_CHECKING:
    from mcpexpose.config.document import Comment
    from mcpexpose.lint.fix import Path
    from mcpexpose.model.finding import Finding


def without(finding: Finding, source: Source) -> Fix | None:
    """Take out the waiver, or the rule's name from the comment, that FINDING is about."""
    path = place_of(finding)
    if len(path) >= 2 and path[0] == "waivers" and isinstance(path[1], int):
        return _without_waiver(path[:2], source)
    slug = finding.details.get("slug")
    return _without_name(finding, str(slug), source) if slug else None


def renamed(finding: Finding, source: Source) -> Fix | None:
    """Write the nearest rule's name where FINDING has one that is no rule."""
    suggests = suggested(finding)
    if len(suggests) != 1:
        return None
    path, name, title = place_of(finding), suggests[0], f"write {suggests[0]}"
    if not path:
        span = _comment_span(finding, source)
        slug = finding.details.get("slug")
        at = source.text.find(str(slug), *span) if span and slug else -1
        return Fix(title, (Edit(at, at + len(str(slug)), name),)) if at >= 0 else None
    if isinstance(source.value(path), str) and source.document.value_span(path) and path[:2] != ("lint", "severity"):
        return source.new_value(path, quoted(name, like=source.written(path)), title)
    there = (*path[:-1], name)
    span = source.document.span(path, "key")
    if path[:2] != ("lint", "severity") or span is None or source.value(there) is not None:
        return None
    return Fix(title, (Edit(*span, key(name)),), (path, there))


def _without_waiver(path: Path, source: Source) -> Fix | None:
    title, touches = "take the waiver out", (("waivers",),)
    header = source.document.header_span(path)
    if header is None:
        return _without_entry(path, source, title)
    tables = source.document.starts_of_tables
    following = bisect_right(tables, header[0])
    limit = tables[following] if following < len(tables) else len(source.text)
    spans = [source.document.value_span((*path, name)) for name in source.value(path) or {}]
    last = max([header[1], *(span[1] for span in spans if span and header[1] <= span[0] < limit)])
    start, end = source.line_start(header[0]), source.line_end(last)
    every = source.document.comments  # in the order of the text
    first = bisect_left(every, source.document.position(start)[0], key=_line)
    behind = bisect_right(every, source.document.position(last)[0], key=_line)
    comments = [
        source.text[source.line_start(at) : source.line_end(at)]
        for at in (source.document.offset(comment.line, comment.column) for comment in every[first:behind])
        if start < at < last and not source.text[source.line_start(at) : at].strip()
    ]
    # A blank line before and one behind would be two in a row.
    blank = re.match(r"[ \t]*\r?\n", source.text[end:])
    if blank and not comments and (start == 0 or re.search(r"\n[ \t]*\r?\n$", source.text[:start])):
        end += blank.end()
    return Fix(title, (Edit(start, end, "".join(comments)),), touches)


def _line(comment: Comment) -> int:
    return comment.line


def _without_entry(path: Path, source: Source, title: str) -> Fix | None:
    """The same for `waivers = [{ … }, { … }]`."""
    span = source.document.value_span(path)
    if span is None:
        return None
    start, end = span
    behind = re.match(r"[ \t]*,[ \t]*", source.text[end:])
    before = re.search(r",[ \t]*$", source.text[:start])
    if behind:
        end += behind.end()
    elif before:
        start = before.start()
    return Fix(title, (Edit(start, end, ""),), (("waivers",),))


def _without_name(finding: Finding, slug: str, source: Source) -> Fix | None:
    span = _comment_span(finding, source)
    found = COMMENT.match(source.text, *span) if span else None
    if span is None or found is None or found["slugs"] is None:
        return None
    names = [name.strip() for name in found["slugs"].split(",") if name.strip()]
    left = [name for name in names if name != slug]
    if left:
        return Fix(f"take {slug} out of the comment", (Edit(*found.span("slugs"), ", ".join(left)),))
    start, end = span
    line = source.line_start(start)
    if source.text[line:start].strip():
        start = len(source.text[:start].rstrip(" \t"))
    else:
        start, end = line, source.line_end(end)
    return Fix("take the comment out", (Edit(start, end, ""),))


def _comment_span(finding: Finding, source: Source) -> tuple[int, int] | None:
    """Start and end of the comment in the line of FINDING."""
    line = finding.location.line if finding.location else 0
    every = source.document.comments
    at = bisect_left(every, line, key=_line)
    comment = every[at] if at < len(every) else None
    if comment is None or comment.line != line or COMMENT.match(comment.text) is None:
        return None
    start = source.document.offset(comment.line, comment.column)
    return start, start + len(comment.text)
