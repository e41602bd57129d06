"""Files of other hosts to one config of ours: read, told apart, drafted, settled, written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.config.subjects import dotted
from mcpexpose.importers import beside, texts, write
from mcpexpose.importers.credentials import Literals, Variables
from mcpexpose.importers.detect import detect, no_maps, server_maps
from mcpexpose.importers.dialects import OF_GEMINI
from mcpexpose.importers.draft import Draft, Notes, note
from mcpexpose.importers.entry import draft_of
from mcpexpose.importers.same import rename_the_same, say_same_commands, with_fragments
from mcpexpose.importers.transport import say_faults
from mcpexpose.importers.values import what
from mcpexpose.model.struck import struck
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcpexpose.importers.dialects import Dialect
    from mcpexpose.importers.source import Source
    from mcpexpose.importers.tree import Path
    from mcpexpose.model.finding import Finding


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it."""

    text: str
    """The config, to stand behind a line that names its schema; "" where there is no server to write."""
    servers: tuple[str, ...]
    hosts: Mapping[str, str]
    """File to the host that it is taken for."""
    undescribed: tuple[str, ...]
    """Servers for which nobody wrote down what they are for."""
    variables: tuple[str, ...]
    """Those to set in the place of credentials and prompted inputs."""
    findings: tuple[Finding, ...]
    literals: Literals
    """Credentials of the files; to strike them out, never to print them."""


def import_files(sources: Sequence[Source], host: Dialect | None = None) -> Imported:
    """One config out of SOURCES, each taken for HOST's where it is given, else for whose it looks."""
    notes = Notes()
    notes.findings += [finding for source in sources for finding in source.findings]
    read = [(source, dialect) for source in sources if (dialect := _dialect(source, host)) is not None]
    drafts = with_fragments([draft for source, dialect in read for draft in _drafts(source, dialect, notes)], notes)
    for source, dialect in read:
        _beside(source, dialect, drafts, notes)
    inputs = {name: table for source, dialect in read for name, (_, table) in _inputs(source, dialect).items()}
    drafts = rename_the_same(drafts, notes)
    texts.settle(drafts, inputs, Variables(), notes)
    for source, dialect in read:
        _unused_inputs(source, dialect, drafts, notes)
    say_same_commands(drafts, notes)
    say_faults(drafts, notes)
    literals = Literals(notes.literals)
    findings = tuple(struck(finding, literals.within(_words(finding))) for finding in notes.findings)
    variables = [finding.details["variable"] for finding in findings if "variable" in finding.details]
    return Imported(
        write.config(drafts, [f"{source.name.rpartition('/')[2]} ({dialect.title})" for source, dialect in read])
        if drafts
        else "",
        tuple(draft.written_as for draft in drafts),
        {source.name: dialect.title for source, dialect in read},
        tuple(each.written_as for each in drafts if "description" not in each.values and _is_deferred(each)),
        tuple(dict.fromkeys(variables)),
        findings,
        literals,
    )


def _dialect(source: Source, host: Dialect | None) -> Dialect | None:
    """What is told by hand, unless it has no place in the file for its servers and another host has."""
    if source.data is None:
        return None
    if host is not None and any(True for found in (server_maps, no_maps) for _ in found(host, source.data)):
        return host
    return detect(source) or host


def _words(finding: Finding) -> str:
    return "\n".join([finding.message, finding.advice, *finding.subjects])


def _is_deferred(draft: Draft) -> bool:
    return draft.values.get("enabled") is not False and draft.values.get("exposure", "deferred") == "deferred"


def _drafts(source: Source, dialect: Dialect, notes: Notes) -> Iterable[Draft]:
    for place, value in no_maps(dialect, source.data or {}):
        said = f"is {what(value)} where a table of servers is wanted: none is imported"
        note(notes, "import-value", source, place, said, "Write it as a table, and import again.")
    for place, entries in server_maps(dialect, source.data or {}):
        repeat = next((each for each in source.repeats if each == place[: len(each)]), None)
        if repeat is not None:
            said = f"{shown(dotted(repeat), 200)} is given twice, so none of its servers is imported"
            notes.add("import-duplicate-key", source, repeat, (dotted(repeat),), said, "Keep one of the two.")
            continue
        for name, entry in entries.items():
            draft = draft_of(source, dialect, (*place, name), entry, notes)
            if draft is not None:
                yield draft


def _beside(source: Source, dialect: Dialect, drafts: Sequence[Draft], notes: Notes) -> None:
    """The rest of the file: what says more of the servers, and what is none of ours."""
    data = source.data or {}
    places = [place for found in (server_maps, no_maps) for place, _ in found(dialect, data)]
    plain: list[Path] = []
    for key, value in data.items():
        path: Path = (key,)
        if () in places and isinstance(value, dict):
            continue  # a server
        inside = [place for place in places if place[:1] == path]
        if key in dialect.beside:
            if act := beside.BESIDE.get(dialect.beside[key]):
                repeats = [each for each in source.repeats if each[:1] == path]
                for repeat in repeats:
                    said = "is given twice: the first counts, and it may have kept out less"
                    note(notes, "import-duplicate-key", source, repeat, said, "Keep one of the two.")
                act(source, path, value, _ruled(key, source, dialect, drafts), notes)
        elif inside:
            plain += _siblings(inside[0], data, dialect)
        elif isinstance(value, dict):
            note(notes, "import-ignored", source, path, "is no table of MCP servers", "Nothing comes of it.")
        else:
            plain.append(path)
    if plain:
        names = [dotted(path) for path in plain]
        listed = ", ".join(shown(name, 60) for name in names[:8]) + (" …" if len(names) > 8 else "")
        are = "is a setting" if len(names) == 1 else "are settings"
        message = f"{listed} {are} of the host's own"
        notes.add("import-ignored", source, plain[0], tuple(names), message, "Nothing comes of it.", on="key")


def _ruled(key: str, source: Source, dialect: Dialect, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """The servers of which a KEY says more: Gemini CLI's lists are of that host's servers alone, in all its files."""
    if key not in OF_GEMINI:
        return drafts
    is_known = dialect.name != "mcp-json"
    return [draft for draft in drafts if draft.source is source or (is_known and draft.dialect is dialect)]


def _siblings(place: Path, data: dict[str, Any], dialect: Dialect) -> Iterable[Path]:
    """What stands beside a map of servers that lies deeper than at the top."""
    table: Any = data
    for depth, step in enumerate(place):
        if depth:
            yield from (
                (*place[:depth], key)
                for key in table
                if key != step and not (key == "inputs" and dialect.name == "vscode")
            )
        table = table[step]


def _inputs(source: Source, dialect: Dialect) -> dict[str, tuple[Path, Mapping[str, Any]]]:
    """What VS Code asks for, by id, with its place."""
    out: dict[str, tuple[Path, Mapping[str, Any]]] = {}
    if dialect.name != "vscode":
        return out
    for place, _ in server_maps(dialect, source.data or {}):
        table: Any = source.data
        for step in place[:-1]:
            table = table[step]
        listed = table.get("inputs")
        for n, each in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(each, dict) and isinstance(each.get("id"), str):
                out.setdefault(each["id"], ((*place[:-1], "inputs", n), each))
    return out


def _unused_inputs(source: Source, dialect: Dialect, drafts: Sequence[Draft], notes: Notes) -> None:
    asked = {
        found
        for draft in drafts
        if draft.source is source
        for leaf in draft.leaves.values()
        for found in re.findall(r"\$\{input:([^{}]+)\}", leaf.raw)
    }
    for name, (path, _) in _inputs(source, dialect).items():
        if name not in asked:
            said = f"asks for {shown(name, 60)}, which no server of the file uses"
            note(notes, "import-ignored", source, path, said, "Nothing comes of it.")
