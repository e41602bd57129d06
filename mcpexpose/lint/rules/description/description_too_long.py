"""A text that some provider refuses, or that is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import CapturedTool, Context
from mcpexpose.model.limits import smallest
from mcpexpose.model.text import shown
from mcpexpose.surface.wording import DESCRIPTION_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0", remembered="tool")


@rule.on(CapturedTool)
def check(tool: CapturedTool, context: Context) -> Iterator[Finding]:
    length = len(tool.decision.description)
    least = smallest(context.config.exposure.targets, "description-length")
    limit, whose = (least[0], ", ".join(least[1])) if least else (DESCRIPTION_LIMIT, "find_tools")
    if not tool.planned or length <= min(limit, DESCRIPTION_LIMIT):
        return
    cut = f"; the model is given {DESCRIPTION_LIMIT:,} and a mark" if length > DESCRIPTION_LIMIT else ""
    yield rule.finding(
        f"the description of {shown(str(tool.id))} has {length:,} characters; {limit:,} are the limit of {whose}{cut}",
        (tool.id,),
        "Write a shorter one in the config: rules that stand at the end of a long text are the first to be cut.",
        tool.at("description"),
        details={"length": length, "limit": limit, "targets": whose.split(", ")},
    )
