"""`require_in_plan`: the plan fails if the tool is gone, left out, denied or hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler import keys
from mcpexpose.compiler.nearest import suggest
from mcpexpose.model.finding import Finding, Place, Severity
from mcpexpose.model.names import ToolId
from mcpexpose.model.policy import PolicyState
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpexpose.compiler.captured import Inputs, Server
    from mcpexpose.compiler.settings import Table, Tables
    from mcpexpose.model.plan import ToolDecision


def check_required(inputs: Inputs, tables: Tables, decisions: Mapping[ToolId, ToolDecision]) -> tuple[Finding, ...]:
    """A finding for each tool that has to be in the plan and is not: the one way in which a server can stop a plan."""
    return tuple(
        finding
        for server in inputs.servers.values()
        for table in tables.tables.get(server.id, ())
        if table.values.get("require_in_plan")
        for finding in _missing(inputs.resolved.file, server, table, tables.meets[server.id, table.name], decisions)
    )


def _missing(
    file: str, server: Server, table: Table, names: tuple[str, ...], decisions: Mapping[ToolId, ToolDecision]
) -> Iterator[Finding]:
    path = ("mcp_servers", server.id, "tools", table.name)
    place = Place(file, (*path, "require_in_plan"), "key")
    for name in names:
        decision = decisions[ToolId(server.id, name)]
        if decision.in_plan:
            continue
        if decision.left_out_by:
            why, advice = f"it is left out by {decision.left_out_by}", "Have the server mended."
        else:
            state = "denied" if decision.policy_state is PolicyState.DENIED else "hidden"
            layer = next((because.key for because in decision.because if because.axis == "exposure"), "")
            why, advice = f"it is {state} by {shown(layer, 120)}", "Expose it, or take require_in_plan out."
        yield _finding(decision.id, why, advice, place, ())
    if names:
        return
    tool = ToolId(server.id, table.name)
    if server.catalog is None:
        again = f"Capture {shown(server.id)}, or take require_in_plan out."
        yield _finding(tool, f"{shown(server.id)} has no usable catalog", again, place, ())
        return
    found = suggest(table.name, server.names)
    listed = ", ".join(f'"{shown(name, 80)}"' for name in found.names)
    nearest = f"; {'nearest' if found.near else 'there are'}: {listed}" if listed else ""
    why = f"it is not among the {len(server.tools):,} tools captured of {shown(server.id)}{nearest}"
    advice = f"Name the tool that took its place, or take {shown(keys.written(path))} out."
    yield _finding(tool, why, advice, place, found.names)


def _finding(tool: ToolId, why: str, advice: str, place: Place, suggests: tuple[str, ...]) -> Finding:
    return Finding(
        "required-tool-missing",
        Severity.ERROR,
        f"{shown(str(tool))} has to be in the plan, and {why}",
        (str(tool),),
        advice,
        place,
        details={"suggests": list(suggests)},
    )
