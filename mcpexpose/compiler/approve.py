"""Whether a call runs by itself: the tool's tables, the server's asking mode, `policy.auto_approve`, then packs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mcpexpose.compiler import keys
from mcpexpose.model.plan import Because
from mcpexpose.model.policy import Approval, SideEffect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.compiler.captured import Inputs, Server
    from mcpexpose.compiler.classify import Class
    from mcpexpose.compiler.constrain import Limit
    from mcpexpose.compiler.entries import Entries, Entry
    from mcpexpose.compiler.settings import Setting, Settings, Tables
    from mcpexpose.model.names import ToolId

_LIST = ("policy", "auto_approve")


@dataclass(frozen=True, slots=True)
class Consent:
    """One tool's approval and the layers behind it."""

    approval: Approval
    because: Because
    losers: tuple[Because, ...] = ()


def approve(
    inputs: Inputs,
    tables: Tables,
    entries: Entries,
    classes: Mapping[ToolId, Class],
    limits: Mapping[ToolId, Limit],
) -> Mapping[ToolId, Consent]:
    """The approval of every captured tool.

    What the config says must let a tool run both by its class before packs and by the class they raised it to, so
    that no pack can loosen anything.
    """
    consents: dict[ToolId, Consent] = {}
    for tool in inputs.ids:
        server = inputs.servers[tool.server]
        limit = limits[tool]
        own = entries.by_server.get(tool.server, ())
        says = _says(inputs, server, tool, tables.get(tool), entries, own, limit.side_effect)
        if limit.raised and says[0].value == Approval.AUTO:
            before = _says(inputs, server, tool, tables.get(tool), entries, own, classes[tool].side_effect)
            says = before if before[0].value == Approval.ASK else says
        if limit.ask:
            says = [limit.ask, *says]
        consents[tool] = Consent(Approval(says[0].value), says[0], tuple(says[1:]))
    return consents


def _says(
    inputs: Inputs,
    server: Server,
    tool: ToolId,
    settings: Settings,
    entries: Entries,
    own: tuple[Entry, ...],
    side_effect: SideEffect,
) -> list[Because]:
    """Every layer's say, the one in force first; an entry that does not reach so far comes after the default."""
    file = inputs.resolved.file
    says: list[Because] = []
    void: list[Because] = []
    for because, reaches in _of_tables(file, settings, side_effect):
        (says if reaches else void).append(because)
    mode = server.table.default_tools_approval_mode
    if mode == "prompt" or (mode == "writes" and side_effect is not SideEffect.READ_ONLY):
        path = ("mcp_servers", server.id, "default_tools_approval_mode")
        says.append(Because("approval", "ask", "server", keys.written(path), f"{mode} asks", file, path))
    for because, reaches in _of_list(file, tool, entries, own, side_effect):
        (says if reaches else void).append(because)
    reason = f"no entry lets {side_effect.value} run by itself"
    says.append(Because("approval", "ask", "default", keys.written(_LIST), reason, file, _LIST))
    return says + void


def _of_tables(file: str, settings: Settings, side_effect: SideEffect) -> list[tuple[Because, bool]]:
    """By rank; in one table asking wins over running by itself."""
    both = [*settings.get("approval_mode", ()), *settings.get("approval", ())]
    says: list[tuple[tuple[bool, int, bool], str, Because, bool]] = []
    for setting in both:
        asks = _asks(setting, side_effect)
        if asks is None:
            continue
        reaches = asks or setting.exact or side_effect is SideEffect.READ_ONLY
        reason = "" if reaches else "a pattern lets read_only tools alone run by themselves"
        because = Because("approval", "ask" if asks else "auto", "tool", setting.key, reason, file, setting.path)
        says.append(((not setting.exact, -setting.weight, not asks), setting.table, because, reaches))
    return [(because, reaches) for _, _, because, reaches in sorted(says, key=lambda say: say[:2])]


def _asks(setting: Setting, side_effect: SideEffect) -> bool | None:
    """None where the mode says nothing about this class."""
    if setting.value == "writes":
        return True if side_effect is not SideEffect.READ_ONLY else None
    return bool(setting.value in ("ask", "prompt"))


def _of_list(
    file: str, tool: ToolId, entries: Entries, own: tuple[Entry, ...], side_effect: SideEffect
) -> list[tuple[Because, bool]]:
    says: list[tuple[Because, bool]] = []
    meeting = [entry for entry in own if entry.pattern.matches(tool.name)]
    for entry in sorted(meeting, key=lambda each: (not each.pattern.exact, -each.pattern.weight, each.text)):
        reaches = entry.pattern.exact or side_effect is SideEffect.READ_ONLY
        reason = "" if reaches else "a pattern lets read_only tools alone run by themselves"
        key = keys.entry(_LIST, entry.text)
        says.append((Because("approval", "auto", "policy", key, reason, file, entry.path), reaches))
    if (at := entries.classes.get(side_effect.value)) is not None:
        key = keys.entry(_LIST, side_effect.value)
        says.append((Because("approval", "auto", "policy", key, "", file, (*_LIST, at)), True))
    return says


def without_place(because: Because) -> Because:
    """As the plan holds it: the config may bear any name, and its lists may stand in any order."""
    return replace(because, file="", path=())
