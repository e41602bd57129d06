"""The exit codes, the same for every command and every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.model.finding import Finding

OK = 0
FINDINGS = 1
USAGE = 2
DIFFERS = 3
NOTHING_CHECKED = 4
UNAVAILABLE = 5
INTERNAL = 70
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    OK: "Nothing to report; also a search without a hit.",
    FINDINGS: "Findings at or above --fail-on, a file that is no TOML among them; assertions that do not hold.",
    USAGE: "Usage, or a file that is not there or cannot be read or written.",
    DIFFERS: "Something differs: --check, --detailed-exitcode, --diff.",
    NOTHING_CHECKED: "Nothing was checked: no config, no test, nothing to compare with.",
    UNAVAILABLE: "A server could not be reached or asked.",
    INTERNAL: "A fault of mcpexpose.",
    INTERRUPTED: "Interrupted (Ctrl-C).",
}
"""What each code says, as `--help` and the README have it."""

FIRST = (INTERRUPTED, INTERNAL, USAGE, UNAVAILABLE, FINDINGS, NOTHING_CHECKED, DIFFERS)
"""Of several at once, the first of these is the end."""

FAIL_ON = ("error", "warning", "info", "never")


def combine(codes: Iterable[int]) -> int:
    """The one code of several things that happened: the first of their order, else 0."""
    seen = set(codes)
    return next((code for code in FIRST if code in seen), OK)


def of_findings(findings: Iterable[Finding], fail_on: str = "error") -> int:
    """1 where a finding is at or above FAIL_ON, one of FAIL_ON's names."""
    if fail_on == "never":
        return OK
    at = FAIL_ON.index(fail_on)
    return FINDINGS if any(FAIL_ON.index(finding.severity.value) <= at for finding in findings) else OK
