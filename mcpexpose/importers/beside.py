"""What a host says of its servers beside their tables: which are off, which tools are refused or asked about.

What narrows is taken over; what would run without asking is reported; an order of rules is not, so the stricter stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mcpexpose.config.subjects import dotted
from mcpexpose.importers import filters
from mcpexpose.importers.draft import Draft, Notes
from mcpexpose.importers.rulenames import Named, Servers
from mcpexpose.importers.source import Source
from mcpexpose.importers.tree import Path
from mcpexpose.importers.values import what
from mcpexpose.model.text import shown

Beside = Callable[[Source, Path, Any, Sequence[Draft], Notes], None]

_NOT_TAKEN = "Answer for it in [policy] auto_approve, tool by tool, once the catalog was captured."
_OURS = "Its own tools are no MCP server's."


def note(notes: Notes, slug: str, source: Source, path: Path, said: str, advice: str = "It is left out.") -> None:
    """A finding on a key that stands beside the servers."""
    name = dotted(path)
    notes.add(slug, source, path, (name,), f"{shown(name, 200)} {said}", advice)


def _servers_of(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> list[str] | None:
    """Ids of servers; None where the value is none, and then all are switched off."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    note(notes, "import-value", source, path, f"is {what(value)} and no list of servers: all are written switched off")
    for draft in drafts:
        draft.switch_off()
    return None


def _only(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """The servers that are let in; the others are written switched off."""
    listed = _servers_of(source, path, value, drafts, notes)
    names = set(listed or ())
    for draft in drafts if listed is not None else ():
        if draft.name not in names:
            draft.switch_off()
    if listed == [] and drafts:
        said = "is an empty list: every server is written switched off"
        note(notes, "import-allow-empty", source, path, said, "Switch on the ones that are meant.")
    _strangers(source, path, listed or [], drafts, notes)


def _but(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """The servers that are kept out; they are written switched off."""
    listed = _servers_of(source, path, value, drafts, notes)
    names = set(listed or ())
    for draft in drafts:
        if draft.name in names:
            draft.switch_off()
    _strangers(source, path, listed or [], drafts, notes)


def _strangers(source: Source, path: Path, listed: list[str], drafts: Sequence[Draft], notes: Notes) -> None:
    known = {draft.name for draft in drafts}
    strange = [name for name in listed if name not in known]
    if strange:
        names = ", ".join(shown(name, 60) for name in strange[:10])
        note(notes, "import-unmapped", source, path, f"names what is no server of these files: {names}")


def _gemini(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    for key, item in value.items() if isinstance(value, dict) else ():
        act = {"allowed": _only, "excluded": _but}.get(key)
        if act is not None and item is not None:
            act(source, (*path, key), item, [each for each in drafts if each.source is source], notes)
        elif item is not None:
            note(notes, "import-unmapped", source, (*path, key), "has no counterpart here")


def _admin(is_list_of_allowed: bool) -> Beside:
    """Claude Code's managed lists: entries that each name a server, a command or a url."""

    def act(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
        entries = value if isinstance(value, list) else [value]
        names = [entry.get("serverName") if isinstance(entry, dict) else None for entry in entries]
        other = [n for n, name in enumerate(names) if not isinstance(name, str)]
        for n in other:
            said = "tells servers by something else than their name"
            note(notes, "import-unmapped", source, (*path, n), said, "Look through the servers by hand.")
        if not (is_list_of_allowed and other):
            listed = [name for name in names if isinstance(name, str)]
            (_only if is_list_of_allowed else _but)(source, path, listed, drafts, notes)

    return act


def _apply(verdict: str, named: Named, source: Source, path: Path, notes: Notes) -> None:
    """What a rule does to the tool that it names."""
    draft, tool = named
    if verdict == "deny":
        draft.keep_out(filters.denied(draft, path, tool, notes, is_pattern=True))
    elif verdict == "ask":
        draft.ask_before(tool)
    else:
        said = f"lets {shown(draft.name, 60)}/{shown(tool, 60)} run without asking: not taken over"
        note(notes, "import-approval-not-mapped", source, path, said, _NOT_TAKEN)


def _permissions(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """Claude Code's rules; those on its own tools are none of ours."""
    foreign = not isinstance(value, dict)
    servers = Servers(drafts)
    for key, rules in value.items() if isinstance(value, dict) else ():
        if key not in ("deny", "ask", "allow") or not isinstance(rules, list):
            foreign = True
            continue
        for n, rule in enumerate(rules):
            if not (isinstance(rule, str) and rule.startswith("mcp__")):
                foreign = True
            elif "(" in rule:
                said = f'holds "{shown(rule, 80)}", a form that the host passes over: no rule comes of it'
                note(notes, "import-pattern-unsupported", source, (*path, key, n), said, "Write the tool's name alone.")
            elif found := servers.by_prefix(rule):
                for named in found:
                    _apply(key, named, source, (*path, key, n), notes)
            else:
                said = f'names "{shown(rule, 80)}", of no server of these files'
                note(notes, "import-unmapped", source, (*path, key, n), said)
    if foreign:
        note(notes, "import-ignored", source, path, "has rules of the host's own", _OURS)


def _toggles(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """opencode's `tools` and `permission`: names of tools as the model sees them, with patterns."""
    verdicts = {False: "deny", "deny": "deny", "ask": "ask", "allow": "allow", True: ""}
    foreign = not isinstance(value, dict)
    servers = Servers(drafts)
    for rule, item in value.items() if isinstance(value, dict) else ():
        verdict = verdicts.get(item) if isinstance(item, bool | str) else None
        found = servers.named(rule, "_") if verdict is not None else []
        foreign |= not found
        for named in found:
            if verdict:
                _apply(verdict, named, source, (*path, rule), notes)
            elif named[0].denied:
                said = f"lets {shown(named[1], 60)} in again after a wider rule: what was kept out stays out"
                note(notes, "import-unmapped", source, (*path, rule), said, "Take it out of deny if it is wanted.")
    if foreign:
        note(notes, "import-ignored", source, path, "has rules on tools of the host's own", _OURS)


def _zed(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    foreign = not isinstance(value, dict)
    servers = {draft.name: draft for draft in drafts}
    for place, item in _within(path, value, ("tool_permissions", "tools")):
        rule = str(place[-1])
        verdict = {"deny": "deny", "confirm": "ask", "allow": "allow"}.get(
            str(item.get("default")) if isinstance(item, dict) else ""
        )
        server, _, tool = rule.removeprefix("mcp:").partition(":")
        draft = servers.get(server)
        if rule.startswith("mcp:") and verdict and draft and tool:
            _apply(verdict, (draft, filters.exact(tool)), source, place, notes)
        elif rule.startswith("mcp:"):
            note(notes, "import-unmapped", source, place, "names no server of these files, or no verdict")
        else:
            foreign = True
    for place, profile in _within(path, value, ("profiles",)):
        if isinstance(profile, dict) and (profile.get("context_servers") or profile.get("enable_all_context_servers")):
            said = "chooses tools for one way of working"
            note(notes, "import-unmapped", source, place, said, "Say it in allow or deny, or in [profiles].")
    if foreign or (isinstance(value, dict) and value.keys() - {"tool_permissions", "profiles"}):
        note(notes, "import-ignored", source, path, "has settings of the host's own", _OURS)


def _amp_disable(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    servers = Servers(drafts)
    for n, rule in enumerate(value if isinstance(value, list) else [value]):
        found = servers.by_prefix(rule) if isinstance(rule, str) else []
        for named in found:
            _apply("deny", named, source, (*path, n), notes)
        if not found:
            note(notes, "import-ignored", source, (*path, n), "names no tool of these servers", _OURS)


def _amp_permissions(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    verdicts = {"reject": "deny", "ask": "ask", "allow": "allow"}
    servers = Servers(drafts)
    for n, rule in enumerate(value if isinstance(value, list) else [value]):
        table = rule if isinstance(rule, dict) else {}
        verdict = verdicts.get(str(table.get("action")))
        taken = verdict is not None and not table.get("matches")
        found = servers.by_prefix(str(table.get("tool"))) if taken else []
        for named in found:
            _apply(str(verdict), named, source, (*path, n), notes)
        if not found:
            note(notes, "import-unmapped", source, (*path, n), "is a rule that has no counterpart here")


def _goose_user(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """goose's permission.yaml: three lists of `extension__tool`."""
    servers = Servers(drafts)
    verdicts = {"never_allow": "deny", "ask_before": "ask", "always_allow": "allow"}
    for key, listed in value.items() if isinstance(value, dict) else ():
        rules = listed if isinstance(listed, list) else [listed]
        for n, rule in enumerate(rules):
            found = servers.named(rule, "__") if isinstance(rule, str) and key in verdicts else []
            for named in found:
                _apply(verdicts[key], named, source, (*path, key, n), notes)
            if not found:
                note(notes, "import-ignored", source, (*path, key, n), "is of no server of these files", _OURS)


def _projects(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    said = "has what Claude Code keeps for single projects, servers among it: not read"
    note(notes, "import-ignored", source, path, said, "Import the .mcp.json of the project itself.")


def _within(path: Path, value: Any, steps: tuple[str, ...]) -> Iterator[tuple[Path, Any]]:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
        path = (*path, step)
    for key, item in value.items() if isinstance(value, dict) else ():
        yield (*path, key), item


BESIDE: dict[str, Beside] = {
    "mcp": _gemini,
    "allowMCPServers": _only,
    "excludeMCPServers": _but,
    "permissions": _permissions,
    "disabledMcpjsonServers": _but,
    "deniedMcpServers": _admin(False),
    "allowedMcpServers": _admin(True),
    "tools": _toggles,
    "permission": _toggles,
    "agent": _zed,
    "user": _goose_user,
    "projects": _projects,
    "amp.tools.disable": _amp_disable,
    "amp.permissions": _amp_permissions,
}
"""By the key at the top of the file."""
