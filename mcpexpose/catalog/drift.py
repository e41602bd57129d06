"""What differs between a lock and the catalogs at hand: values, no verdicts. No disk, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mcpexpose.catalog.lockfile import tools_of
from mcpexpose.model.names import ToolId
from mcpexpose.toolschema.review import differences

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcpexpose.model.catalog import Catalog
    from mcpexpose.model.changes import Part
    from mcpexpose.model.lock import Lock, LockedServer, LockedTool

_PARTS = ("title", "description", "input_schema", "output_schema", "annotations")


@dataclass(frozen=True, slots=True)
class ToolDrift:
    """One tool that is not as it was reviewed."""

    id: ToolId
    kind: Literal["changed", "added", "removed"]
    parts: tuple[Part, ...] = ()
    """What changed in its definition, the causes one by one; also of one that came back or was renamed."""
    was: str = ""
    """The name under which it was reviewed, where that is another one."""
    returned: bool = False
    """It had been accepted as gone."""
    becomes: str = ""
    """Of a removed one: the name that it has now."""


@dataclass(frozen=True, slots=True)
class ServerDrift:
    """One server of which more than tools is another."""

    server: str
    kind: Literal["identity", "unlocked", "unconfigured", "unreviewed"]
    """Reached in another way; not in the lock; in the lock alone; its revision differs outside what is reviewed."""
    was: str = ""
    """Of an unlocked one: the id of a server in the lock that is reached in the same way and no longer configured."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Everything, sorted."""

    tools: tuple[ToolDrift, ...] = ()
    servers: tuple[ServerDrift, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tools or self.servers)


def compare(
    lock: Lock, catalogs: Mapping[str, Catalog], identities: Mapping[str, str], configured: Collection[str]
) -> Drift:
    """What CATALOGS, the usable ones of enabled servers, and IDENTITIES, of all enabled ones, are other than LOCK.

    CONFIGURED are all ids of the config: one that is switched off keeps its place in the lock. Of a server without a
    usable catalog nothing is compared but how it is reached.
    """
    tools: list[ToolDrift] = []
    servers = [ServerDrift(server, "unconfigured") for server in lock.servers if server not in configured]
    lost = {lock.servers[each.server].identity: each.server for each in servers}
    for server, identity in identities.items():
        was = lock.servers.get(server)
        if was is None:
            if server in catalogs:
                servers.append(ServerDrift(server, "unlocked", lost.get(identity, "")))
            continue
        if was.identity != identity:
            servers.append(ServerDrift(server, "identity"))
        catalog = catalogs.get(server)
        if catalog is None or catalog.revision == was.revision:
            continue
        found = _tools(server, was, catalog)
        tools += found
        if not found:
            servers.append(ServerDrift(server, "unreviewed"))
    return Drift(
        tuple(sorted(tools, key=lambda each: each.id)),
        tuple(sorted(servers, key=lambda each: (each.server, each.kind))),
    )


def _tools(server: str, was: LockedServer, catalog: Catalog) -> list[ToolDrift]:
    now = tools_of(catalog, was)
    listed = {tool["name"] for tool in catalog.tools}
    removed = {name: tool for name, tool in was.tools.items() if name not in listed}
    added = {name: tool for name, tool in now.items() if name not in was.tools}
    drifts = []
    for name in now.keys() & was.tools.keys():
        if parts := differences(was.tools[name], now[name]):
            drifts.append(ToolDrift(ToolId(server, name), "changed", parts))
    renamed = _renamed({name: tool for name, tool in added.items() if name not in was.gone}, removed)
    for name, tool in added.items():
        if (old := was.gone.get(name)) is not None:
            parts = differences(old, tool)
            drifts.append(ToolDrift(ToolId(server, name), "changed" if parts else "added", parts, returned=True))
        elif (former := renamed.get(name)) is not None:
            parts = differences(removed[former], tool)
            drifts.append(ToolDrift(ToolId(server, name), "changed" if parts else "added", parts, was=former))
        else:
            drifts.append(ToolDrift(ToolId(server, name), "added"))
    becomes = {former: name for name, former in renamed.items()}
    drifts += [ToolDrift(ToolId(server, name), "removed", becomes=becomes.get(name, "")) for name in removed]
    return drifts


def _renamed(added: Mapping[str, LockedTool], removed: Mapping[str, LockedTool]) -> dict[str, str]:
    """New names of tools that were reviewed under another one: first those that are equal in all, then those that have
    the same text or the same parameters, where only one fits; so that nobody escapes a review by a new name.
    """
    found: dict[str, str] = {}
    for alike in (_all, _description, _arguments):
        new: dict[object, list[str]] = {}
        old: dict[object, list[str]] = {}
        for name, tool in added.items():
            if name not in found and (key := alike(tool)) is not None:
                new.setdefault(key, []).append(name)
        for name, tool in removed.items():
            if name not in found.values() and (key := alike(tool)) is not None:
                old.setdefault(key, []).append(name)
        for key, names in new.items():
            if len(names) == 1 and len(old.get(key, ())) == 1:
                found[names[0]] = old[key][0]
    return found


def _all(tool: LockedTool) -> object:
    return tuple(getattr(tool, part) for part in _PARTS) if tool.description or len(tool.parameters) > 1 else None


def _description(tool: LockedTool) -> object:
    return tool.description


def _arguments(tool: LockedTool) -> object:
    """Only of a schema that says something: half of all tools take no argument, or one."""
    return tool.input_shape if len(tool.parameters) > 2 else None
