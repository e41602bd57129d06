"""`mcpexpose init --from`: what the files of other hosts become, and what is said of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mcpexpose.cli import console, exits
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mcpexpose.importers.importing import Imported
    from mcpexpose.importers.source import Source

HOSTS = (
    *("claude", "claude-settings", "claude-desktop", "codex", "step", "cursor", "vscode", "gemini", "qwen", "opencode"),
    *("goose", "zed", "cline", "roo", "kiro", "windsurf", "copilot-cli", "amp", "pi", "librechat", "mcp-json"),
)
"""The names in importers' table of dialects; they stand here so that `--help` need not import it."""


def import_into(origins: Sequence[Path], host: str | None, form: str, write: Callable[[str], str]) -> int:
    """Import ORIGINS, WRITE the config (it gives the name that was written), report, and give the exit code."""
    from mcpexpose.importers.dialects import BY_NAME
    from mcpexpose.importers.importing import import_files

    sources = [_read(origin) for origin in origins]
    imported = import_files(sources, BY_NAME[host] if host else None)
    name = write(imported.text) if imported.text else ""
    console.put(form, _report(imported, sources, form))
    for line in _next_steps(imported, sources, name):
        console.say(line)
    codes = [exits.of_findings(imported.findings)]
    return exits.combine([*codes, *([] if imported.text else [exits.NOTHING_CHECKED])])


def _read(origin: Path) -> Source:
    from mcpexpose.importers import source

    if str(origin) == "-":
        return source.of_bytes(sys.stdin.buffer.read(max(source.MAX_BYTES.values()) + 1), "stdin")
    return source.read(origin, console.name_of(origin))


def _report(imported: Imported, sources: Sequence[Source], form: str) -> str:
    from mcpexpose.cli.linting import import_facts
    from mcpexpose.lint.registry import slugs
    from mcpexpose.report.findings import FindingsReport, in_order, render

    by_name = {source.name: source for source in sources}

    def line(file: str, number: int) -> str | None:
        return by_name[file].line(number) if file in by_name else None

    report = FindingsReport(
        in_order(imported.findings),
        {"files": len(sources)},
        line=line,
        conceal=imported.literals.conceal,
        explained=frozenset(slugs()),
        configs=tuple(by_name),
        rules=import_facts,
    )
    return render(form, report, console.screen() if form in console.READ_BY_PEOPLE else console.page())


def _next_steps(imported: Imported, sources: Sequence[Source], name: str) -> list[str]:
    """What was written, what to set and to write down, and which command comes next."""
    lines = []
    for source in sources:
        host = imported.hosts.get(source.name)
        if host is None and source.data is not None:
            lines.append(
                f"{shown(source.name)} has no MCP servers in a form that is known; --host NAME says whose file it is: "
                + ", ".join(HOSTS)
            )
    if not imported.text:
        return [*lines, "no server to import: nothing was written"]
    files = ", ".join(f"{shown(file)} ({host})" for file, host in imported.hosts.items())
    count = len(imported.servers)
    lines.append(f"wrote {name}: {count} server{'' if count == 1 else 's'} from {files}")
    if imported.variables:
        lines.append(f"To set where something connects: {', '.join(imported.variables)}")
    if imported.undescribed:
        names = _some(imported.undescribed)
        lines.append(f"To describe, in one line each, since a model knows of a deferred server by that alone: {names}")
    lines.append("Next: mcpexpose capture asks the servers for their tools; then mcpexpose lint, mcpexpose plan")
    return lines


def _some(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown(name, 60) for name in names[:most]) + more
