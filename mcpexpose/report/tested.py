"""What a run of policy tests gave: by file and test what failed and why, and which tools no test names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpexpose.model.finding import Finding, Location, Place

Outcome = Literal["passed", "failed"]


@dataclass(frozen=True, slots=True)
class Failure:
    """One assertion that does not hold."""

    key: str
    """The key of the test: "sees", "finds" …"""
    about: str
    """Its entry, as it is written: a name, a pattern, a number."""
    fact: str
    """One sentence, safe to print."""
    advice: str
    """One sentence that says what to do."""
    place: Place
    location: Location | None = None
    query: str | None = None
    """What was asked, as it is written."""
    found: tuple[tuple[int, str, float], ...] = ()
    """What was found instead: rank, `server/tool`, score; the first ones."""
    rank: int | None = None
    """Where the wanted tool stands, or the one that was not to be found; None: nowhere."""


@dataclass(frozen=True, slots=True)
class Tested:
    """One test that was run."""

    name: str
    profile: str | None
    location: Location | None
    assertions: int
    """How many of them it holds."""
    failures: tuple[Failure, ...] = ()

    @property
    def outcome(self) -> Outcome:
        return "failed" if self.failures else "passed"


@dataclass(frozen=True, slots=True)
class TestedFile:
    """One file of tests."""

    file: str
    config: str
    """The config, or the bundle, that its tests are about."""
    tests: tuple[Tested, ...]
    """Those that were run, in the order of the file."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the file, located; a test at fault is not run."""
    left_out: int = 0
    """Tests that the filter did not choose."""

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(failure for test in self.tests for failure in test.failures)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which tools of a plan the tests that were run speak of. A pattern without a letter speaks of none."""

    config: str
    tools: tuple[str, ...]
    """`server/tool` of all that are direct or deferred, sorted."""
    unnamed: tuple[str, ...]
    """Those that no test names."""

    @property
    def named(self) -> int:
        return len(self.tools) - len(self.unnamed)


@dataclass(frozen=True, slots=True)
class Held:
    """What the tests were held against, where that is a config with errors."""

    config: str
    errors: int
    writable: bool
    """False: the operator's text is at fault, and no plan could be written, so green tests would tell little."""


def _no_line(file: str, line: int) -> str | None:
    return None


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class TestsReport:
    """A run, as its formats render it."""

    files: tuple[TestedFile, ...]
    coverage: tuple[Coverage, ...]
    """One a config."""
    list_unnamed: bool = False
    """Whether the tools that no test names were asked for."""
    held: tuple[Held, ...] = ()
    """Of configs with errors."""
    line: Callable[[str, int], str | None] = _no_line
    """The text of a line of a test file, without its end."""
    conceal: Callable[[str], str] = _as_it_is
    """Strikes credentials out of a line, keeping its length."""

    @property
    def tests(self) -> tuple[Tested, ...]:
        return tuple(test for file in self.files for test in file.tests)

    @property
    def failed(self) -> int:
        """Tests with an assertion that does not hold."""
        return sum(test.outcome == "failed" for test in self.tests)

    @property
    def assertions(self) -> int:
        return sum(test.assertions for test in self.tests)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def left_out(self) -> int:
        return sum(file.left_out for file in self.files)
