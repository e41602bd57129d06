"""What a host says of its servers' tools beside their tables: which are refused or asked about, and by which rule.

What narrows is taken over; what would run without asking is reported; an order of rules is not, so the stricter stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcpexpose.importers import filters, serverlists
from mcpexpose.importers.draft import Draft, Notes, note
from mcpexpose.importers.rulenames import Servers
from mcpexpose.importers.values import what
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcpexpose.importers.serverlists import Beside
    from mcpexpose.importers.source import Source
    from mcpexpose.importers.tree import Path

_NOT_TAKEN = "Answer for it in [policy] auto_approve, tool by tool, once the catalog was captured."
_OURS = "Its own tools are no MCP server's."
_CLAUDE = ("__", "mcp__")
"""How Claude Code and Amp name tools: what stands behind a server's name, and before it."""
_MCP_OF_CURSOR = re.compile(r"Mcp\(([^()]*)\)")


def _gemini_tools(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    table = value if isinstance(value, dict) else {}
    if "exclude" in table:
        _gemini_exclude(source, (*path, "exclude"), table["exclude"], drafts, notes)
    if table.keys() - {"exclude"} or not isinstance(value, dict):
        note(notes, "import-ignored", source, path, "has settings of the host's own", _OURS)


def _gemini_exclude(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """Tools by the names under which Gemini CLI shows them, `mcp_server_tool` and before that `server__tool`."""
    rules = _Rules(source, drafts, notes)
    foreign = False
    for n, rule in enumerate(value if isinstance(value, list) else [value]):
        name, place = str(rule).partition("(")[0], (*path, n)
        found = [rules.apply("deny", name, place, mark, before) for mark, before in (("_", "mcp_"), ("__", ""))]
        foreign |= not any(found)
    if foreign:
        note(notes, "import-ignored", source, path, "names tools of the host's own", _OURS)


class _Rules:
    """The rules of one file, and the servers that they may be of."""

    def __init__(self, source: Source, drafts: Sequence[Draft], notes: Notes) -> None:
        self.source, self.drafts, self.notes = source, drafts, notes
        self.servers = Servers(drafts)

    def apply(self, verdict: str, rule: str, path: Path, mark: str, before: str = "") -> bool:
        """Do what a rule says (deny, ask or allow) to the tools that it names; whether it names any."""
        spent = self.servers.is_spent
        found = self.servers.named(rule, mark, before)
        for draft, tool in found:
            self._one(verdict, draft, tool, path)
        if self.servers.is_spent and not spent:
            said = "and the rules after it are too many for so many servers: all are written switched off"
            note(self.notes, "import-value", self.source, path, said, "Switch on the ones that are meant.")
        return bool(found) or self.servers.is_spent

    def _one(self, verdict: str, draft: Draft, tool: str, path: Path) -> None:
        def say(slug: str, said: str, advice: str) -> None:
            note(self.notes, slug, self.source, path, said, advice)

        if verdict == "deny":
            draft.keep_out(filters.denied(draft, tool, say, is_pattern=True))
        elif verdict == "ask":
            draft.ask_before(filters.asked(tool, say))
        elif verdict == "allow":
            said = f"lets {shown(draft.name, 60)}/{shown(tool, 60)} run without asking: not taken over"
            note(self.notes, "import-approval-not-mapped", self.source, path, said, _NOT_TAKEN)
        elif draft.denied:
            said = f"lets {shown(tool, 60)} in again after a wider rule: what was kept out stays out"
            note(self.notes, "import-unmapped", self.source, path, said, "Take it out of deny if it is wanted.")

    def no_rules(self, path: Path, value: Any) -> None:
        """Rules that cannot be read may keep anything out."""
        for draft in self.drafts:
            draft.switch_off()
        said = f"is {what(value)} where rules are wanted: every server is written switched off"
        note(self.notes, "import-value", self.source, path, said, "Switch on the ones that are meant.")


def _permissions(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """Rules of Claude Code, and Cursor's of the form `Mcp(server:tool)`; those on other tools are none of ours."""
    foreign = not isinstance(value, dict)
    rules = _Rules(source, drafts, notes)
    for key, listed in value.items() if isinstance(value, dict) else ():
        if key not in ("deny", "ask", "allow"):
            foreign = True
        elif isinstance(listed, list):
            for n, rule in enumerate(listed):
                foreign |= not (isinstance(rule, str) and _permission(rules, key, rule, (*path, key, n)))
        elif key != "allow":
            rules.no_rules((*path, key), listed)
    if foreign:
        note(notes, "import-ignored", source, path, "has rules of the host's own", _OURS)


def _permission(rules: _Rules, verdict: str, rule: str, path: Path) -> bool:
    """Whether the rule is about tools of MCP servers; then it is applied, or said."""
    of_cursor = _MCP_OF_CURSOR.fullmatch(rule)
    is_ours = of_cursor is not None or rule.startswith("mcp__")
    if "(" in rule and of_cursor is None:
        if is_ours:
            said = f'holds "{shown(rule, 80)}", a form that the host passes over: no rule comes of it'
            note(rules.notes, "import-pattern-unsupported", rules.source, path, said, "Write the tool's name alone.")
        return is_ours
    found = rules.apply(verdict, of_cursor[1], path, ":") if of_cursor else rules.apply(verdict, rule, path, *_CLAUDE)
    if is_ours and not found:
        note(
            rules.notes,
            "import-unmapped",
            rules.source,
            path,
            f'names "{shown(rule, 80)}", of no server of these files',
        )
    return is_ours or found


def _toggles(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """opencode's `tools` and `permission`: names of tools as the model sees them, with patterns, or a word for all."""
    rules = _Rules(source, drafts, notes)
    foreign = False
    for rule, item in (value if isinstance(value, dict) else {"*": value}).items():
        place = (*path, rule) if isinstance(value, dict) else path
        verdict = _strictest(item)
        if verdict is None:
            foreign = True
            continue
        found = rules.apply(verdict or "deny", rule, place, "_")
        foreign |= not found
        if found and not verdict:
            note(
                notes, "import-value", source, place, f"is {what(item)} and no verdict: it is taken as deny", "Mend it."
            )
    if foreign:
        note(notes, "import-ignored", source, path, "has rules on tools of the host's own", _OURS)


def _strictest(item: Any) -> str | None:
    """What opencode's rule says, of several by argument the strictest; "" for what is no verdict, None for nothing."""
    if isinstance(item, dict):
        inner = [_strictest(each) for each in item.values()]
        return next((each for each in ("deny", "", "ask", "let in", "allow") if each in inner), None)
    if item is None:
        return None
    verdicts = {False: "deny", True: "let in", "deny": "deny", "ask": "ask", "allow": "allow"}
    return verdicts.get(item, "") if isinstance(item, bool | str) else ""


def _agents(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """opencode's agents, each of which may have rules on tools."""
    tables = value.items() if isinstance(value, dict) else ()
    ruled = [
        (*path, name) for name, table in tables if isinstance(table, dict) and {"tools", "permission"} & table.keys()
    ]
    for place in ruled:
        said = "chooses tools for one way of working"
        note(notes, "import-unmapped", source, place, said, "Say it in allow or deny, or in [profiles].")
    if len(ruled) < len(tables) or not tables:
        note(notes, "import-ignored", source, path, "has settings of the host's own", _OURS)


def _zed(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    foreign = not isinstance(value, dict)
    rules = _Rules(source, drafts, notes)
    verdicts = {"deny": "deny", "confirm": "ask", "allow": "allow"}
    for place, item in _within(path, value, ("tool_permissions",)):
        if place[-1] == "default" and item in verdicts:
            rules.apply(verdicts[item], "*", place, ":")
    for place, item in _within(path, value, ("tool_permissions", "tools")):
        rule = str(place[-1])
        verdict = verdicts.get(str(item.get("default")) if isinstance(item, dict) else "")
        if not rule.startswith("mcp:"):
            foreign = True
        elif not (verdict and rules.apply(verdict, rule, place, ":", "mcp:")):
            note(notes, "import-unmapped", source, place, "names no server of these files, or no verdict")
    for place, profile in _within(path, value, ("profiles",)):
        if isinstance(profile, dict) and (profile.get("context_servers") or profile.get("enable_all_context_servers")):
            said = "chooses tools for one way of working"
            note(notes, "import-unmapped", source, place, said, "Say it in allow or deny, or in [profiles].")
    if foreign or (isinstance(value, dict) and value.keys() - {"tool_permissions", "profiles"}):
        note(notes, "import-ignored", source, path, "has settings of the host's own", _OURS)


def _amp_disable(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    rules = _Rules(source, drafts, notes)
    for n, rule in enumerate(value if isinstance(value, list) else [value]):
        if not (isinstance(rule, str) and rules.apply("deny", rule, (*path, n), *_CLAUDE)):
            note(notes, "import-ignored", source, (*path, n), "names no tool of these servers", _OURS)


def _amp_permissions(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """What Amp refuses, asks or passes on under a condition asks here under none; what it lets run, not at all."""
    rules = _Rules(source, drafts, notes)
    verdicts = {"reject": "deny", "ask": "ask", "delegate": "ask", "allow": "allow"}
    for n, rule in enumerate(value if isinstance(value, list) else [value]):
        table = rule if isinstance(rule, dict) else {}
        verdict = verdicts.get(str(table.get("action")), "")
        conditions = sorted(table.keys() - {"tool", "action", "to", "message"})
        if conditions and verdict in ("deny", "ask"):
            verdict = "ask"
        taken = verdict and not (conditions and verdict == "allow")
        if not (taken and rules.apply(verdict, str(table.get("tool")), (*path, n), *_CLAUDE)):
            note(notes, "import-unmapped", source, (*path, n), "is a rule that has no counterpart here")
        elif conditions:
            listed = ", ".join(shown(each, 40) for each in conditions[:4])
            said = f"holds under a condition ({listed}): what it names asks each time"
            note(notes, "import-pattern-unsupported", source, (*path, n), said, "Put it in deny if it was refused.")


def _goose_user(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """goose's permission.yaml: three lists of `extension__tool`."""
    rules = _Rules(source, drafts, notes)
    verdicts = {"never_allow": "deny", "ask_before": "ask", "always_allow": "allow"}
    for key, listed in value.items() if isinstance(value, dict) else ():
        for n, rule in enumerate(listed if isinstance(listed, list) else [listed]):
            if not (
                isinstance(rule, str) and key in verdicts and rules.apply(verdicts[key], rule, (*path, key, n), "__")
            ):
                note(notes, "import-ignored", source, (*path, key, n), "is of no server of these files", _OURS)


def _run_unasked(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """Cursor's list of what runs without asking."""
    if value:
        said = "lets what it names run without asking: not taken over"
        note(notes, "import-approval-not-mapped", source, path, said, _NOT_TAKEN)


def _our_exposure(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    """What is hidden by default in a config of ours is hidden server by server in the one that is written."""
    default = value.get("default") if isinstance(value, dict) else None
    for draft in drafts:
        if draft.source is source and default == "hidden":
            draft.values.setdefault("exposure", default)
    _our_limits(source, path, value, drafts, notes)


def _our_limits(source: Source, path: Path, value: Any, drafts: Sequence[Draft], notes: Notes) -> None:
    note(
        notes,
        "import-unmapped",
        source,
        path,
        "is of a config of ours, and holds for all its servers",
        "Copy it by hand.",
    )


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
    "gemini_servers": serverlists.gemini,
    "gemini_tools": _gemini_tools,
    "gemini_exclude": _gemini_exclude,
    "servers_only": serverlists.only,
    "servers_but": serverlists.but,
    "servers_denied": serverlists.admin(False),
    "servers_allowed": serverlists.admin(True),
    "permissions": _permissions,
    "run_unasked": _run_unasked,
    "toggles": _toggles,
    "agents": _agents,
    "zed": _zed,
    "goose_user": _goose_user,
    "projects": _projects,
    "our_exposure": _our_exposure,
    "our_limits": _our_limits,
    "amp_disable": _amp_disable,
    "amp_permissions": _amp_permissions,
}
"""By the names that rows of `dialects` use."""
