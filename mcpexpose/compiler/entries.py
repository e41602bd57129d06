"""Entries of `policy.auto_approve` and `profiles.NAME.default_tools`: `server/tool`, the server spelled out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcpexpose.compiler import keys, patterns
from mcpexpose.compiler.nearest import ENOUGH, suggest
from mcpexpose.compiler.select import bad_pattern
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.names import ToolId
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcpexpose.compiler.captured import Inputs, Server

CLASSES = ("read_only", "write", "destructive")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry that has the right shape, with the captured tools that it meets."""

    text: str
    path: tuple[str | int, ...]
    server: str
    pattern: patterns.Pattern
    meets: tuple[ToolId, ...]

    @property
    def key(self) -> str:
        """The list without the place in it, since a plan must not hang on the order of entries."""
        return keys.written(self.path[:-1])


@dataclass(frozen=True, slots=True)
class Entries:
    """A list, read."""

    classes: Mapping[str, int]
    """Classes that are named, with their place in the list; of `auto_approve` alone."""
    entries: tuple[Entry, ...]
    by_server: Mapping[str, tuple[Entry, ...]]


def read(
    inputs: Inputs, path: tuple[str, ...], texts: Sequence[str], *, classes: bool
) -> tuple[Entries, tuple[Finding, ...]]:
    """The entries of the list at PATH, and a finding for each that is mis-shaped or meets nothing.

    With CLASSES a side effect's name is an entry too. What is wrong is left out: it approves and selects nothing.
    """
    named: dict[str, int] = {}
    entries: list[Entry] = []
    findings: list[Finding] = []
    for at, text in enumerate(texts):
        if classes and text in CLASSES:
            named.setdefault(text, at)
            continue
        entry, finding = _entry(inputs, (*path, at), text, classes, len(findings) < ENOUGH)
        if entry:
            entries.append(entry)
        if finding:
            findings.append(finding)
    by_server: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_server[entry.server].append(entry)
    grouped = {server: tuple(each) for server, each in by_server.items()}
    return Entries(named, tuple(entries), grouped), tuple(findings)


def _entry(
    inputs: Inputs, path: tuple[str | int, ...], text: str, classes: bool, names: bool
) -> tuple[Entry | None, Finding | None]:
    server, slash, tool = text.partition("/")
    if not slash:
        return None, _without_server(inputs, path, text, classes, names)
    if not server or not tool:
        return None, _misshaped(inputs, path, text, "names no server" if not server else "names no tool", classes)
    if server not in inputs.resolved.config.mcp_servers and patterns.problem(server):
        return None, _misshaped(inputs, path, text, "has a broken pattern for its server", classes)
    if server not in inputs.resolved.config.mcp_servers and not patterns.compiled(server).exact:
        return None, _finding(
            inputs,
            "rule-too-wide",
            path,
            text,
            "has a pattern for its server",
            "Spell the server out, one entry for each, so that a new server is never met by chance.",
        )
    if trouble := patterns.problem(tool):
        return None, bad_pattern(keys.written(path), text, trouble, Place(inputs.resolved.file, path))
    pattern = patterns.compiled(tool)
    known = inputs.servers.get(server)
    if known is None and server in inputs.resolved.broken:
        return None, None
    if known is None:
        return None, _no_server(inputs, path, text, server, pattern, names)
    if known.catalog is None:
        return Entry(text, path, server, pattern, ()), None
    meets: tuple[ToolId, ...]
    if pattern.exact:
        meets = (ToolId(server, tool),) if tool in known.tools else ()
    else:
        meets = tuple(ToolId(server, name) for name in known.tools if pattern.matches(name))
    if meets or (not known.tools and tool == "*"):
        return Entry(text, path, server, pattern, meets), None
    return None, _no_tool(inputs, path, text, server, pattern, names)


def _without_server(inputs: Inputs, path: tuple[str | int, ...], text: str, classes: bool, names: bool) -> Finding:
    if not text:
        return _misshaped(inputs, path, text, "is empty", classes)
    if classes and text == "unknown":
        return _misshaped(inputs, path, text, "can stand for no class: what is unknown asks", classes)
    tools = _spelled_otherwise(inputs, text) if names else ()
    meant = suggest(text, CLASSES)
    if tools:
        advice = "Write " + " or ".join(f'"{shown(tool, 120)}"' for tool in tools[:3]) + "."
    elif classes and meant.near:
        advice = f'Write "{meant.names[0]}" for the class, or "server/tool" for a tool.'
    else:
        advice = 'Write "server/tool", the server spelled out.'
    return _finding(inputs, "rule-without-server", path, text, "names no server", advice)


def _spelled_otherwise(inputs: Inputs, text: str) -> tuple[str, ...]:
    """The tools that hosts call TEXT: by the bare name, as `server__tool`, `mcp__server__tool`, `server.tool`."""
    found = [f"{server.id}/{text}" for server in inputs.servers.values() if text in server.tools]
    bare = text.removeprefix("mcp__")
    for server in inputs.servers.values():
        for mark in ("__", ":", "."):
            name = bare.removeprefix(server.id + mark)
            if name != bare and (name in server.tools or _is_met(server, name)):
                found.append(f"{server.id}/{name}")
    return tuple(dict.fromkeys(found))


def _is_met(server: Server, pattern: str) -> bool:
    if patterns.problem(pattern):
        return False
    return any(patterns.compiled(pattern).matches(name) for name in server.tools)


def _misshaped(inputs: Inputs, path: tuple[str | int, ...], text: str, what: str, classes: bool) -> Finding:
    shapes = 'read_only, write, destructive or "server/tool"' if classes else '"server/tool" or "server/get_*"'
    return _finding(inputs, "rule-invalid", path, text, what, f"Write {shapes}.")


def _finding(inputs: Inputs, slug: str, path: tuple[str | int, ...], text: str, what: str, advice: str) -> Finding:
    subject = keys.written(path)
    return Finding(
        slug,
        Severity.ERROR,
        f'{shown(subject)}: "{shown(text, 80)}" {what}',
        (subject,),
        advice,
        Place(inputs.resolved.file, path),
        details={"entry": text},
    )


def _no_server(
    inputs: Inputs, path: tuple[str | int, ...], text: str, server: str, pattern: patterns.Pattern, names: bool
) -> Finding:
    if server in inputs.resolved.config.mcp_servers:
        what = f"the server {shown(server)} is switched off"
        return _met_nothing(inputs, path, text, pattern, what, (), False, "Switch it on, or take the entry out.")
    found = suggest(server, tuple(inputs.servers) if names else ())
    meant = tuple(f"{name}/{pattern.text}" for name in found.names)
    what = f"there is no server {shown(server, 80)}"
    other = "Name a server of this config."
    advice = f'Write "{shown(meant[0], 120)}", or take the entry out.' if found.near else other
    return _met_nothing(inputs, path, text, pattern, what, meant, bool(found.near), advice)


def _no_tool(
    inputs: Inputs, path: tuple[str | int, ...], text: str, server: str, pattern: patterns.Pattern, names: bool
) -> Finding:
    known = inputs.servers[server]
    found = suggest(pattern.text, known.names if names else ())
    meant = tuple(f"{server}/{name}" for name in found.names)
    what = f"it meets none of the {len(known.tools):,} tools captured of {shown(server)}"
    advice = f'Write "{shown(meant[0], 120)}", or take the entry out.' if found.near else "Mend it or take it out."
    return _met_nothing(inputs, path, text, pattern, what, meant, bool(found.near), advice)


def _met_nothing(
    inputs: Inputs,
    path: tuple[str | int, ...],
    text: str,
    pattern: patterns.Pattern,
    what: str,
    names: Sequence[str],
    near: bool,
    advice: str,
) -> Finding:
    slug: Literal["unknown-tool", "pattern-matches-nothing"] = (
        "unknown-tool" if pattern.exact else "pattern-matches-nothing"
    )
    listed = ", ".join(f'"{shown(name, 120)}"' for name in names)
    tail = f"; {'nearest' if near else 'there are'}: {listed}" if names else ""
    return Finding(
        slug,
        Severity.ERROR,
        f"{shown(keys.written(path))}: {shown(text, 120)} is not there, {what}{tail}",
        (text, keys.written(path)),
        advice,
        Place(inputs.resolved.file, path),
        details={"entry": text, "suggests": list(names)},
    )
