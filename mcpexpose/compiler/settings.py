"""The tool tables: for each tool the tables that meet it, key by key, the most exact first."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mcpexpose.compiler import keys, patterns
from mcpexpose.compiler.nearest import ENOUGH, suggest
from mcpexpose.compiler.select import bad_pattern
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import Approval, Exposure, SideEffect, strictness
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from mcpexpose.compiler.captured import Inputs, Server
    from mcpexpose.model.config import ToolTable

ASKING_MODES = frozenset({"prompt", "writes"})
"""Codex's approval modes that ask; the others change nothing here."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of one tool table, as it is written."""

    value: Any
    table: str
    """The table's name: a tool's, or a pattern."""
    exact: bool
    weight: int
    path: tuple[str | int, ...]

    @property
    def key(self) -> str:
        return keys.written(self.path)

    @property
    def rank(self) -> tuple[bool, int]:
        return (self.exact, self.weight)


Settings = Mapping[str, tuple[Setting, ...]]
"""What the tables say of one tool: by key, the one in force first, then those that it beat."""

NO_SETTINGS: Settings = MappingProxyType({})


def in_force(settings: Settings, key: str) -> Setting | None:
    """The setting of a key that no other beats."""
    says = settings.get(key)
    return says[0] if says else None


@dataclass(frozen=True, slots=True)
class Table:
    """One tool table of a server, its pattern ready."""

    name: str
    pattern: patterns.Pattern
    values: Mapping[str, Any]
    """The keys that are written in it."""


@dataclass(frozen=True, slots=True)
class Tables:
    """All that the tool tables say."""

    of: Mapping[ToolId, Settings]
    tables: Mapping[str, tuple[Table, ...]]
    """By server, the most exact first."""
    meets: Mapping[tuple[str, str], tuple[str, ...]]
    """By server and table, the names of the tools that it meets."""

    def get(self, tool: ToolId) -> Settings:
        return self.of.get(tool, NO_SETTINGS)


def settle(inputs: Inputs) -> tuple[Tables, tuple[Finding, ...]]:
    """The settings of every tool that a table meets, and what is wrong with the tables."""
    of: dict[ToolId, Settings] = {}
    tables: dict[str, tuple[Table, ...]] = {}
    meets: dict[tuple[str, str], tuple[str, ...]] = {}
    findings: list[Finding] = []
    for server in inputs.servers.values():
        if not server.table.tools:
            continue
        own = _tables(server, inputs.resolved.file, findings)
        tables[server.id] = own
        missed = 0
        for table in own:
            met = _met(server, table)
            meets[server.id, table.name] = met
            if not met and server.catalog is not None and "require_in_plan" not in table.values:
                names = server.names if missed < ENOUGH else ()
                findings.append(_meets_nothing(server, table, inputs.resolved.file, names))
                missed += 1
        found = _collect(server, own, meets)
        findings += _conflicts(server, found, inputs.resolved.file)
        of.update((ToolId(server.id, name), settings) for name, settings in found.items())
    return Tables(of, tables, meets), tuple(findings)


def _tables(server: Server, file: str, findings: list[Finding]) -> tuple[Table, ...]:
    tables = []
    for name, table in server.table.tools.items():
        if trouble := patterns.problem(name):
            path = ("mcp_servers", server.id, "tools", name)
            subject = keys.subject(path)
            findings.append(bad_pattern(subject, name, trouble, Place(file, path, "key")))
            continue
        tables.append(Table(name, patterns.compiled(name), _values(table)))
    return tuple(sorted(tables, key=lambda table: (not table.pattern.exact, -table.pattern.weight, table.name)))


def _values(table: ToolTable) -> dict[str, Any]:
    values = {key: getattr(table, key) for key in sorted(table.model_fields_set)}
    if values.get("approval_mode") not in ASKING_MODES:
        values.pop("approval_mode", None)
    if not values.get("require_in_plan", True):
        del values["require_in_plan"]
    for key in ("groups", "keywords"):
        if key in values:
            values[key] = tuple(sorted(set(values[key] or ())))
    return {key: value for key, value in values.items() if value is not None}


def _met(server: Server, table: Table) -> tuple[str, ...]:
    if table.pattern.exact:
        return (table.name,) if table.name in server.tools else ()
    return tuple(name for name in server.tools if table.pattern.matches(name))


def _collect(
    server: Server, tables: tuple[Table, ...], meets: Mapping[tuple[str, str], tuple[str, ...]]
) -> dict[str, Settings]:
    """By tool. Tables come most exact first, and so do the settings of each key; of equals the stricter first."""
    says: dict[str, dict[str, list[Setting]]] = defaultdict(lambda: defaultdict(list))
    for table in tables:
        for name in meets[server.id, table.name]:
            for key, value in table.values.items():
                path = ("mcp_servers", server.id, "tools", table.name, key)
                setting = Setting(value, table.name, table.pattern.exact, table.pattern.weight, path)
                says[name][key].append(setting)
    return {
        name: {
            key: tuple(sorted(settings, key=lambda each: (not each.exact, -each.weight, _mildness(key, each))))
            for key, settings in sorted(by_key.items())
        }
        for name, by_key in says.items()
    }


_AXES = {
    "exposure": {"auto": 1, **{value.value: 2 * strictness(value) for value in Exposure}},
    "side_effect": {value.value: strictness(value) for value in SideEffect},
    "approval": {value.value: strictness(value) for value in Approval},
    "approval_mode": {"prompt": 2, "writes": 1},
}


def _mildness(key: str, setting: Setting) -> tuple[int, str]:
    """Among equals that disagree the strictest stands, so that a preview of the conflict errs on the safe side."""
    axis = _AXES.get(key)
    return (-axis[setting.value] if axis else 0, setting.table)


def _conflicts(server: Server, found: Mapping[str, Settings], file: str) -> list[Finding]:
    """Two patterns of equal weight, neither beaten, that want different things of a tool."""
    tools: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, settings in found.items():
        for key, says in settings.items():
            top = [setting for setting in says if setting.rank == says[0].rank]
            for one, other in itertools.pairwise(sorted(top, key=lambda setting: setting.table)):
                if one.value != other.value:
                    tools[key, one.table, other.table].append(name)
    return [_conflict(server, file, key, (one, other), names) for (key, one, other), names in sorted(tools.items())]


def _conflict(server: Server, file: str, key: str, pair: tuple[str, str], names: list[str]) -> Finding:
    one, other = (f'"{shown(name, 80)}"' for name in pair)
    places = [Place(file, ("mcp_servers", server.id, "tools", name, key)) for name in pair]
    also = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    first = shown(f"{server.id}/{names[0]}")
    return Finding(
        "policy-conflict",
        Severity.ERROR,
        f"The patterns {one} and {other} weigh the same and disagree on {key} of {first}{also}",
        tuple(f"{server.id}/{name}" for name in sorted(names)[:50]),
        f"Make them agree, or settle it in a table for {first} itself.",
        places[0],
        related=(places[1],),
        details={"patterns": list(pair), "key": key, "count": len(names)},
    )


def _meets_nothing(server: Server, table: Table, file: str, names: Sequence[str]) -> Finding:
    path = ("mcp_servers", server.id, "tools", table.name)
    place = Place(file, path, "key")
    found = suggest(table.name, names)
    listed = ", ".join(f'"{shown(name, 80)}"' for name in found.names)
    if found.near:
        tail, advice = f"; nearest: {listed}", f'Write "{shown(found.names[0], 80)}", or take the table out.'
    elif found.names:
        tail, advice = f"; there are: {listed}", "Write one of these names, or take the table out."
    else:
        tail, advice = "", "Take the table out, or capture the server again."
    tool = f"{server.id}/{table.name}"
    if table.pattern.exact:
        slug, said = "unknown-tool", f"{keys.subject(path)}: {tool} is no tool"
    else:
        slug, said = "pattern-matches-nothing", f'{keys.subject(path)}: "{table.name}" meets no tool'
    return Finding(
        slug,
        Severity.ERROR,
        f"{shown(said, 300)} of the {len(server.tools):,} captured of {shown(server.id)}{tail}",
        (tool, keys.subject(path)) if table.pattern.exact else (keys.subject(path), tool),
        advice,
        place,
        details={"pattern": table.name, "suggests": list(found.names)},
    )
