"""The side effect of each tool before any pack: the config's class, then the server's hints, then unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.plan import Because
from mcpexpose.model.policy import SideEffect

if TYPE_CHECKING:
    from mcpexpose.compiler.captured import Inputs
    from mcpexpose.compiler.settings import Tables
    from mcpexpose.model.names import ToolId


@dataclass(frozen=True, slots=True)
class Class:
    """One tool's class, and what each source said."""

    side_effect: SideEffect
    declared: SideEffect | None
    """The config's."""
    hinted: SideEffect | None
    """What the hints say, believed or not."""
    because: Because
    losers: tuple[Because, ...] = ()


def classify(inputs: Inputs, tables: Tables) -> Mapping[ToolId, Class]:
    """The class of every captured tool. Of a name that the server lists twice the first definition's hints count."""
    return {tool: _classify(inputs, tables, tool) for tool in inputs.ids}


def hinted(tool: Mapping[str, Any]) -> tuple[SideEffect, str] | None:
    """The class that a definition's annotations claim, and the hint that says so. Only JSON booleans count."""
    annotations = tool.get("annotations")
    if not isinstance(annotations, Mapping):
        return None
    if annotations.get("destructiveHint") is True:
        return SideEffect.DESTRUCTIVE, "destructiveHint true"
    if annotations.get("readOnlyHint") is True:
        return SideEffect.READ_ONLY, "readOnlyHint true"
    if annotations.get("destructiveHint") is False:
        return SideEffect.WRITE, "destructiveHint false"
    return None


def _classify(inputs: Inputs, tables: Tables, tool: ToolId) -> Class:
    file = inputs.resolved.file
    says = [
        Because("side_effect", setting.value, "tool", setting.key, "", file, setting.path)
        for setting in tables.get(tool).get("side_effect", ())
    ]
    hint = hinted(inputs.first(tool).tool)
    if hint:
        believed = inputs.servers[tool.server].table.trust_annotations or hint[0] is SideEffect.DESTRUCTIVE
        reason = hint[1] if believed else f"{hint[1]}, not trusted"
        says.append(Because("side_effect", hint[0].value, "hint", f"annotations of {tool}", reason))
    else:
        believed = False
    if not believed:
        unsure = Because("side_effect", SideEffect.UNKNOWN.value, "default", "no class", "no class and no trusted hint")
        says.insert(len(says) - (hint is not None), unsure)
    winner, *losers = says
    declared = tables.get(tool).get("side_effect")
    return Class(
        side_effect=SideEffect(winner.value),
        declared=SideEffect(declared[0].value) if declared else None,
        hinted=hint[0] if hint else None,
        because=winner,
        losers=tuple(losers),
    )
