"""How a test names tools: "server/tool", either of them a name or a pattern, matched as the config's are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpexpose.compiler import patterns
from mcpexpose.compiler.nearest import suggest
from mcpexpose.config.nearest import nearest
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcpexpose.model.names import ToolId
    from mcpexpose.testing.subject import Subject


@dataclass(frozen=True, slots=True)
class Named(patterns.ToolPattern):
    """One entry of a test, ready to match."""

    text: str

    @property
    def speaks_of_tools(self) -> bool:
        """Whether it says something of the tools' names; a star alone names none."""
        return self.tool.weight > 0

    def of(self, tools: Iterable[ToolId]) -> list[ToolId]:
        """Those of TOOLS that it meets, in their order."""
        return [tool for tool in tools if self.meets(tool)]


@dataclass(frozen=True, slots=True)
class Misnamed:
    """Why an entry names nothing, and what to write."""

    fact: str
    advice: str


def read(text: str, subject: Subject) -> Named | Misnamed:
    """TEXT as a name, or why it is none in any plan."""
    server, slash, tool = text.partition("/")
    what = f'"{shown(text, 120)}"'
    if not slash:
        owners = [str(each) for each in subject.known if each.name == text]
        advice = f'Write "{shown(owners[0], 120)}".' if owners else 'Write "server/tool"; "*/tool" for any server.'
        return Misnamed(f"{what} names no server", advice)
    if not server or not tool:
        missing = "server" if not server else "tool"
        return Misnamed(f"{what} names no {missing}", 'Write "server/tool", with a star for any.')
    literal = server in subject.servers  # an id may hold what would be a class elsewhere
    for part in (tool,) if literal else (server, tool):
        if trouble := patterns.problem(part):
            return Misnamed(f"the pattern {what} {trouble}", "Mend the pattern.")
    of_server = patterns.Pattern(server, True, len(server), server, server.__eq__)
    return Named(of_server if literal else patterns.compiled(server), patterns.compiled(tool), text)


def unknown_server(named: Named, subject: Subject) -> Misnamed | None:
    """Where its server is none: the nearest one. Whatever is asserted of such a name says nothing."""
    if any(named.server.matches(server) for server in subject.servers):
        return None
    text = named.server.text
    of = shown(subject.name, 120)
    if not named.server.exact:
        return Misnamed(f'{of} has no server that "{shown(text, 80)}" meets', "Mend the pattern, or take it out.")
    near = nearest(text, subject.servers, aliases=False)
    meant = shown(f"{near}/{named.tool.text}", 120)
    advice = f'Write "{meant}".' if near else f"Its servers: {_listed(subject.servers)}."
    return Misnamed(f"{of} has no server {shown(text, 80)}", advice)


def unknown_tool(named: Named, subject: Subject) -> Misnamed | None:
    """Where it meets no captured tool of a server that there is: the nearest name."""
    if named.of(subject.known):
        return None
    servers = [server for server in subject.servers if named.server.matches(server)]
    text = f'"{shown(named.text, 120)}"'
    if len(servers) == 1 and (why := subject.servers[servers[0]]):
        return Misnamed(f"{text} meets no tool: {shown(servers[0], 80)} {why}", "Mend the config, or the test.")
    there = [tool for tool in subject.known if tool.server in servers]
    names: Mapping[str, ToolId] = {tool.name: tool for tool in reversed(there)}
    near = suggest(named.tool.text, tuple(names))
    whence = "captured of" if subject.decisions is not None else "in the plan of"
    where = f"{whence} {shown(servers[0], 80)}" if len(servers) == 1 else f"of {shown(subject.name, 120)}"
    fact = f"{text} meets none of the {len(there):,} tools {where}"
    if near.near:
        return Misnamed(fact, f'Write "{shown(str(names[near.names[0]]), 120)}".')
    return Misnamed(fact, f"Mend the name; there are {_listed(near.names)}." if near.names else "Take it out.")


def _listed(names: Iterable[str]) -> str:
    each = [shown(name, 80) for name in names]
    return ", ".join(each[:6]) + (" …" if len(each) > 6 else "") if each else "none"
