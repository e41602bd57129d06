"""Runs the tests of a file against a plan, and says which tools of it no test speaks of."""

from __future__ import annotations

import dataclasses
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from mcpexpose.config.nearest import nearest
from mcpexpose.config.tests import parse
from mcpexpose.model.finding import Place
from mcpexpose.model.text import shown
from mcpexpose.report.tested import Coverage, Failure, Tested, TestedFile
from mcpexpose.testing import assertions, names, queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcpexpose.config.document import Document
    from mcpexpose.config.tests import Written
    from mcpexpose.model.expectation import Expectation
    from mcpexpose.testing.subject import Subject


def run(document: Document, subject: Subject, wanted: Sequence[str] = ()) -> tuple[TestedFile, tuple[Expectation, ...]]:
    """The tests of one file whose names WANTED chooses, all where it is empty; and those tests as they are written."""
    written, findings = parse(document)
    chosen = [each for each in written if not wanted or is_chosen(each.test.name, wanted)]
    located = tuple(
        each if each.location or each.place is None else each.at(document.locate(each.place.path, each.place.on))
        for each in findings
    )
    tested = tuple(_run(each, document, subject) for each in chosen)
    file = TestedFile(document.name, subject.name, tested, located, len(written) - len(chosen))
    return file, tuple(each.test for each in chosen)


def is_chosen(name: str, wanted: Sequence[str]) -> bool:
    """Whether one of WANTED is a part of NAME, or a pattern that meets all of it; letter case does not matter."""
    folded = name.casefold()
    return any(text.casefold() in folded or fnmatchcase(folded, text.casefold()) for text in wanted)


def coverage(subject: Subject, tests: Iterable[Expectation]) -> Coverage:
    """Which tools of the plan TESTS speak of by name or by pattern."""
    said = [
        named
        for text in dict.fromkeys(text for test in tests for text in test.named)
        if isinstance(named := names.read(text, subject), names.Named) and named.speaks_of_tools
    ]
    unnamed = tuple(str(tool) for tool in subject.planned if not any(named.meets(tool) for named in said))
    return Coverage(subject.name, tuple(str(tool) for tool in subject.planned), unnamed)


def _run(written: Written, document: Document, subject: Subject) -> Tested:
    test = written.test
    at = ("tests", written.index)
    failures: list[Failure]
    if test.profile is not None and test.profile not in subject.profiles:
        failures = [_no_profile(test.profile, Place(document.name, (*at, "profile")), subject)]
    else:
        reached = subject.under(test.profile)
        failures = [
            *assertions.check(written, document.name, reached),
            *queries.check(written, document.name, reached),
        ]
    placed = [dataclasses.replace(each, location=document.locate(each.place.path, each.place.on)) for each in failures]
    placed.sort(key=lambda each: (each.location.line, each.location.column) if each.location else (0, 0))
    location = document.locate((*at, "name"))
    return Tested(test.name, test.profile, location, _count(test), tuple(placed))


def _no_profile(profile: str, place: Place, subject: Subject) -> Failure:
    meant = nearest(profile, subject.profiles, aliases=False)
    there = ", ".join(shown(each, 80) for each in subject.profiles)
    advice = f'Write "{shown(meant, 80)}".' if meant else f"Its profiles: {there}." if there else "It has no profiles."
    return Failure("profile", profile, f"{shown(subject.name, 120)} has no profile {shown(profile, 80)}", advice, place)


def _count(test: Expectation) -> int:
    """How many assertions a test holds; each of a query counts for itself."""
    lists = (test.sees, test.not_visible, test.side_effect, test.approval)
    of_queries = len(test.queries) * (len(test.wanted) + len(test.never_finds or ()))
    return sum(len(each or ()) for each in lists) + (test.max_tokens is not None) + of_queries
