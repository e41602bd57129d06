"""The exit codes, the same for every command and every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpexpose.model.finding import Finding

OK = 0
"""Nothing to report; also: a search without a hit."""
FINDINGS = 1
"""Findings at or above `--fail-on`, a file that is no TOML among them; failed assertions."""
USAGE = 2
"""Usage, or a file that is not there or cannot be read or written."""
DIFFERS = 3
"""`--check`, `--detailed-exitcode`."""
NOTHING_CHECKED = 4
"""No config, no test."""
UNAVAILABLE = 5
"""A server or remote could not be reached."""
INTERNAL = 70
"""A fault of ours."""
INTERRUPTED = 130
"""Ctrl-C."""

_FIRST = (INTERRUPTED, INTERNAL, USAGE, UNAVAILABLE, FINDINGS, NOTHING_CHECKED, DIFFERS)

FAIL_ON = ("error", "warning", "info", "never")


def combine(codes: Iterable[int]) -> int:
    """The one code of several things that happened: the first of their order, else 0."""
    seen = set(codes)
    return next((code for code in _FIRST if code in seen), OK)


def of_findings(findings: Iterable[Finding], fail_on: str = "error") -> int:
    """1 where a finding is at or above FAIL_ON, one of FAIL_ON's names."""
    if fail_on == "never":
        return OK
    at = FAIL_ON.index(fail_on)
    return FINDINGS if any(FAIL_ON.index(finding.severity.value) <= at for finding in findings) else OK
