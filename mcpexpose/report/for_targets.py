"""Request 1 as each target takes it: what fits, how much of it there may be, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.model.limits import DEFAULT_TARGETS
from mcpexpose.model.tokens import estimate
from mcpexpose.report.words import count, share
from mcpexpose.surface.declarations import declaration_text, search_tool
from mcpexpose.surface.fitting import Fitting
from mcpexpose.surface.offered import Surface, offered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcpexpose.model.plan import Plan
    from mcpexpose.surface.view import View

_TOLD = {
    "tool-left-out": ("tool left out", "tools left out"),
    "schema-reduced": ("schema reduced", "schemas reduced"),
    "description-cut": ("description cut", "descriptions cut"),
}
"""Losses that change what a target's request 1 holds; `mcpexpose export` tells each of them, and the others."""


@dataclass(frozen=True, slots=True)
class TargetLine:
    """One target of the preview."""

    target: str
    tools: int
    """Declared, find_tools among them."""
    most: int | None
    """How many it takes; None where it sets no number."""
    tokens: int
    """Of request 1 in its form, servers section and all, by the plan's estimator."""
    lost: Mapping[str, int]
    """How many tools were touched, by kind of loss."""

    def said_lost(self) -> str:
        """`1 description cut; 2 schemas reduced`; "" where all fits."""
        return "; ".join(count(number, *_TOLD[kind]) for kind, number in self.lost.items())

    def said(self, window: int) -> str:
        """`openai 612 (0.3 %; 3 of 128 tools; 1 description cut)`."""
        parts = [share(self.tokens, window)]
        if self.most is not None:
            parts.append(f"{self.tools:,} of {count(self.most, 'tool')}")
        parts += [lost] if (lost := self.said_lost()) else []
        return f"{self.target} {self.tokens:,} ({'; '.join(parts)})"

    def to_json(self) -> dict[str, Any]:
        """For programs, with every number."""
        lost = {kind.replace("-", "_"): self.lost.get(kind, 0) for kind in _TOLD}
        return {"target": self.target, "tools": self.tools, "most": self.most, "tokens": self.tokens, **lost}


def lines(
    plan: Plan, rows: Sequence[int], definition: Callable[[int], Mapping[str, Any]], seen: View
) -> list[TargetLine]:
    """A line for each of the plan's targets, or of the default ones. ROWS and SEEN are those of request 1."""
    surface = Surface(
        tools=offered({"first": rows}, lambda row: plan.tools[row], definition),
        search_tool=search_tool(plan.search.limit) if seen.tokens_search_tool else None,
        prompt_section=seen.prompt_section,
        servers=(),
    )
    return [_line(target, surface, seen.tokens_prompt_section) for target in plan.targets or DEFAULT_TARGETS]


def _line(target: str, surface: Surface, section: int) -> TargetLine:
    fitting = Fitting(target)
    search = fitting.search_tool(surface)
    most = fitting.room("tools")
    tools = [*search, *fitting.tools(surface.tools, room=None if most is None else most - len(search))]
    declared = [{"name": each.name, "description": each.description, "inputSchema": each.schema} for each in tools]
    touched = {kind: {loss.subject for loss in fitting.losses if loss.kind == kind} for kind in _TOLD}
    return TargetLine(
        target=target,
        tools=len(tools),
        most=most,
        tokens=sum(estimate(declaration_text(each)) for each in declared) + section,
        lost={kind: len(subjects) for kind, subjects in touched.items() if subjects},
    )
