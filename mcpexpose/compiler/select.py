"""Which captured tools exist for us: `allow` and `deny`, over every captured name. Deny wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.compiler import keys, patterns
from mcpexpose.compiler.nearest import ENOUGH, suggest
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.names import ToolId
from mcpexpose.model.plan import Because
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcpexpose.compiler.captured import Inputs, Server


@dataclass(frozen=True, slots=True)
class Selection:
    """The say of the lists on one tool."""

    denied: bool
    because: Because | None
    """The list that denied it, or the allow entry that named it; None without an allow list."""
    losers: tuple[Because, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    at: int
    text: str
    pattern: patterns.Pattern


@dataclass(frozen=True, slots=True)
class _List:
    """A list, names apart from patterns, so that a thousand names cost no more than one."""

    exact: Mapping[str, _Entry]
    patterns: tuple[_Entry, ...]
    """The heaviest first."""

    def best(self, name: str) -> _Entry | None:
        """The most exact of the entries that meet the name."""
        exact = self.exact.get(name)
        return exact or next((entry for entry in self.patterns if entry.pattern.matches(name)), None)


_FREE = Selection(False, None)


def select(inputs: Inputs) -> tuple[Mapping[ToolId, Selection], tuple[Finding, ...]]:
    """The selection of every captured tool, and what is wrong with the lists."""
    selections: dict[ToolId, Selection] = {}
    findings: list[Finding] = []
    file = inputs.resolved.file
    for server in inputs.servers.values():
        table = server.table
        allow = None
        if table.allow_patterns is not None:
            allow = _read(server, file, table.allow_key, table.allow_patterns, findings)
        deny = _read(server, file, table.deny_key, table.deny_patterns, findings)
        for name in server.tools:
            selections[ToolId(server.id, name)] = _judge(server, file, name, allow, deny)
        findings += _case_misses(server, file, deny, selections)
    return selections, tuple(findings)


def _judge(server: Server, file: str, name: str, allow: _List | None, deny: _List) -> Selection:
    allowed_by = allow.best(name) if allow else None
    denied_by = deny.best(name)
    if allow is None and denied_by is None:
        return _FREE
    allowed = (
        _because(server, file, server.table.allow_key, allowed_by, "allowed", "allow")
        if allow is not None and allowed_by
        else None
    )
    if denied_by:
        denied = _because(server, file, server.table.deny_key, denied_by, "denied", "deny")
        return Selection(True, denied, (allowed,) if allowed else ())
    if allowed is None:
        path = ("mcp_servers", server.id, server.table.allow_key)
        reason = "no entry names it" if server.table.allow_patterns else "the list is empty"
        return Selection(True, Because("policy_state", "denied", "allow", keys.written(path), reason, file, path))
    return Selection(False, allowed)


def _because(server: Server, file: str, key: str, entry: _Entry, value: str, layer: str) -> Because:
    path = ("mcp_servers", server.id, key)
    written = keys.entry(path, entry.text)
    return Because("policy_state", value, "deny" if layer == "deny" else "allow", written, "", file, (*path, entry.at))


def _read(server: Server, file: str, key: str, texts: Sequence[str], findings: list[Finding]) -> _List:
    entries: list[_Entry] = []
    missed = 0
    for at, text in enumerate(texts):
        subject = f"{server.id}:{key}[{at}]"
        place = Place(file, ("mcp_servers", server.id, key, at))
        if trouble := patterns.problem(text):
            findings.append(bad_pattern(subject, text, trouble, place))
            continue
        entry = _Entry(at, text, patterns.compiled(text))
        entries.append(entry)
        if not _meets_something(server, entry.pattern):
            names = server.names if missed < ENOUGH else ()
            findings.append(_nothing(server, key, entry, subject, place, names))
            missed += 1
    loose = [entry for entry in entries if not entry.pattern.exact]
    return _List(
        {entry.text: entry for entry in reversed(entries) if entry.pattern.exact},
        tuple(sorted(loose, key=lambda entry: (-entry.pattern.weight, entry.text))),
    )


def _meets_something(server: Server, pattern: patterns.Pattern) -> bool:
    """True as well where it cannot be judged: no usable catalog, or a star alone over a server that has no tools."""
    if server.catalog is None or (not server.tools and not pattern.weight and set(pattern.text) == {"*"}):
        return True
    if pattern.exact:
        return pattern.text in server.tools
    return any(pattern.matches(name) for name in server.tools)


def bad_pattern(subject: str, text: str, trouble: str, place: Place) -> Finding:
    """A pattern that cannot be one."""
    return Finding(
        "config-invalid",
        Severity.ERROR,
        f'{shown(subject)}: the pattern "{shown(text, 80)}" {shown(trouble)}',
        (subject,),
        "Write a tool's name, or a pattern with `*`, `?` or `[...]`.",
        place,
        details={"pattern": text},
    )


def _nothing(server: Server, key: str, entry: _Entry, subject: str, place: Place, names: Sequence[str]) -> Finding:
    found = suggest(entry.text, names)
    listed = ", ".join(f'"{shown(name, 80)}"' for name in found.names)
    if not found.names:
        tail, advice = "", "Take the entry out, or capture the server again."
    elif found.near:
        tail = f"; nearest: {listed}"
        advice = f'Write "{shown(found.names[0], 80)}", or take the entry out.'
    else:
        tail = f"; there are: {listed}" + (", …" if len(server.tools) > len(found.names) else "")
        advice = f"Entries are plain names of tools of {shown(server.id)}, or patterns of them; mend it or take it out."
    if "{" in entry.text:
        advice = "Braces are plain characters here: write one entry for each alternative."
    elif _names_the_server(server, entry.text):
        advice = f"Write plain names of tools of {shown(server.id)}, without the server in front, or patterns of them."
    return Finding(
        "pattern-matches-nothing",
        Severity.ERROR,
        f'{shown(subject)}: "{shown(entry.text, 80)}" meets no tool of {shown(server.id)} '
        f"({len(server.tools):,} captured){tail}",
        (subject,),
        advice,
        place,
        details={"pattern": entry.text, "suggests": list(found.names), "list": key},
    )


def _names_the_server(server: Server, text: str) -> bool:
    return text == server.id or text.startswith((f"{server.id}__", f"mcp__{server.id}", f"{server.id}/"))


def _case_misses(server: Server, file: str, deny: _List, selections: Mapping[ToolId, Selection]) -> list[Finding]:
    """Tools that a deny entry would meet in other letter case, and that are open for want of it."""
    findings: list[Finding] = []
    open_names = [(name, name.lower()) for name in server.tools if not selections[ToolId(server.id, name)].denied]
    for entry in sorted((*deny.exact.values(), *deny.patterns), key=lambda entry: entry.at):
        folded = entry.text.lower()
        if patterns.problem(folded):
            continue
        loose = patterns.compiled(folded)
        for name, lower in open_names:
            if not loose.matches(lower):
                continue
            tool = ToolId(server.id, name)
            findings.append(
                Finding(
                    "deny-case-miss",
                    Severity.WARNING,
                    f'{server.table.deny_key} "{shown(entry.text, 80)}" of {shown(server.id)} misses '
                    f"{shown(str(tool))} by letter case alone, which stays open",
                    (str(tool), f"{server.id}:{server.table.deny_key}[{entry.at}]"),
                    f'Add "{shown(name, 80)}" to {server.table.deny_key}, if it is meant.',
                    Place(file, ("mcp_servers", server.id, server.table.deny_key, entry.at)),
                    details={"pattern": entry.text},
                )
            )
    return findings
