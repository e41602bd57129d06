"""What `mcpexpose capture` shows: a line that moves while it works, and what came of each server."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.cli import console
from mcpexpose.model.text import cut, first_line, one_line, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mcpexpose.client.capture import Captured, Progress
    from mcpexpose.model.finding import Finding

_SUMMARY = 250


@dataclass(frozen=True, slots=True)
class Choices:
    """What the command was asked to do with what it gets."""

    check: bool = False
    accept_shrink: bool = False
    verbose: bool = False
    form: str = "text"


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one server."""

    server: str
    captured: Captured
    findings: tuple[Finding, ...]
    written: Path | None
    differs: bool


class ProgressLine:
    """One line on the terminal that is written over: which servers are at work."""

    def __init__(self) -> None:
        self._states: dict[str, str] = {}
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> Callable[[Progress], None]:
        return self._tell

    def __exit__(self, *error: object) -> None:
        self._write("")

    def _tell(self, progress: Progress) -> None:
        if progress.state in ("done", "failed"):
            self._states.pop(progress.server, None)
        else:
            tools = f" {progress.tools:,}" if progress.tools else ""
            self._states[progress.server] = f"{shown(progress.server)}{tools}"
        self._write("capturing " + ", ".join(self._states.values()) if self._states else "")

    def _write(self, text: str) -> None:
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{cut(text, 78)}")
            sys.stderr.flush()


def as_json(rows: Sequence[Row], findings: Sequence[Finding]) -> str:
    """For programs: `tools` are names in the server's order, `requests` the cursors that were sent."""
    from mcpexpose.report.findings_json import as_json as finding_json
    from mcpexpose.report.jsonout import dump

    def row_json(row: Row) -> dict[str, Any]:
        catalog = row.captured.catalog
        return {
            "server": row.server,
            "tools": [tool["name"] for tool in catalog.tools] if catalog else None,
            "revision": catalog.revision if catalog else None,
            "requests": list(row.captured.requests),
            "unavailable": row.captured.unavailable,
            "differs": row.differs,
            "written": console.name_of(row.written) if row.written else None,
            "findings": [finding_json(finding) for finding in row.findings],
        }

    return dump({"servers": [row_json(row) for row in rows], "findings": [finding_json(each) for each in findings]})


def as_text(rows: Sequence[Row], described: frozenset[str], choices: Choices) -> str:
    """For people: a line for each server, its findings below it, and a summary where the config has none."""
    lines = []
    width = max((len(shown(row.server)) for row in rows), default=0)
    for row in rows:
        name = shown(row.server).ljust(width)
        catalog = row.captured.catalog
        if catalog is None:
            lines.append(f"{name}  not captured")
        else:
            count = f"{len(catalog.tools):,} tool{'' if len(catalog.tools) == 1 else 's'}"
            lines.append(f"{name}  {count}  {catalog.revision[:8]}  {_outcome(row, choices)}")
        for finding in row.findings:
            at = finding.location
            where = f" (line {at.line}, column {at.column})" if at else ""
            lines.append(f"  {finding.severity.value} {finding.slug}  {finding.message}{where}")
            if finding.advice:
                lines.append(f"    {finding.advice}")
        summary = first_sentence(catalog.instructions or "") if catalog else ""
        if summary and row.server not in described:
            lines.append(f"  it says of itself: {shown(summary)}")
            lines.append(
                f"    If that is true and says when to use it, make it [mcp_servers.{shown(row.server)}] description."
            )
    return "".join(f"{line}\n" for line in lines)


def _outcome(row: Row, choices: Choices) -> str:
    if choices.check:
        return "differs from the catalog" if row.differs else "as in the catalog"
    if row.written is None:
        return "not written"
    state = "new" if row.differs else "unchanged"
    return f"{state}, written to {shown(console.name_of(row.written))}"


def first_sentence(text: str) -> str:
    """The first sentence of a server's instructions, on one line, of at most 250 characters."""
    line = one_line(first_line(text))
    for at, char in enumerate(line):
        if char in ".!?。" and (at + 1 == len(line) or line[at + 1] == " "):
            return cut(line[: at + 1], _SUMMARY)
    return cut(line, _SUMMARY)
