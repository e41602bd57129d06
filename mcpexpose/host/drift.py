"""By what cause a server's list is another than the plan's: words, contract, safety. For operators, not for models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import digest
from mcpexpose.model.changes import Part, Risk, change, in_order
from mcpexpose.toolschema.review import differences, reviewed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcpexpose.host.plan import HostPlan
    from mcpexpose.model.changes import Change
    from mcpexpose.model.lock import LockedTool
    from mcpexpose.model.plan import PlannedTool


def compare(plan: HostPlan, server: str, listed: Sequence[Mapping[str, Any]]) -> tuple[Change, ...]:
    """What changed on the tools that PLAN has of SERVER, the worst first. Tools that it has not are none of its own.

    Raises BundleRefused where a definition was changed on disk.
    """
    now = {str(tool["name"]): tool for tool in listed}
    changes = []
    for _, _, span in (each for each in plan.rows.servers() if each[0] == server):
        for row in span:
            planned = plan.tool(row)
            tool = now.get(planned.name)
            parts = (Part(Risk.SAFETY, "tool", "is gone"),) if tool is None else _parts(plan, row, planned, tool)
            if parts:
                changes.append(change("tool", str(planned.id), parts))
    return in_order(changes)


def worst(changes: Sequence[Change]) -> str | None:
    """SAFETY, SCHEMA or TEXT; None where nothing that the plan has is another."""
    return changes[0].risk.value if changes else None


def _parts(plan: HostPlan, row: int, planned: PlannedTool, tool: Mapping[str, Any]) -> tuple[Part, ...]:
    definition = plan.definition(row)
    before, after = _comparable(definition, definition.get("title")), _comparable(tool, _title(tool))
    if planned.replaced_description_digest is not None:  # the operator's own words stand there
        before = replace(before, description=planned.replaced_description_digest)
    return differences(before, after)


def _comparable(definition: Mapping[str, Any], title: Any) -> LockedTool:
    """As a plan has it: an empty text is none, and the title is wherever a server puts it."""
    described = definition.get("description")
    return replace(
        reviewed(definition),
        title=digest(title) if title else None,
        description=digest(described) if described else None,
    )


def _title(tool: Mapping[str, Any]) -> Any:
    annotations = tool.get("annotations")
    return tool.get("title") or (annotations.get("title") if isinstance(annotations, dict) else None)
