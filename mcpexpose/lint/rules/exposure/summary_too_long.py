"""A summary that the prompt section cuts, or a section that leaves servers out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, Server, WholePlan
from mcpexpose.model.policy import Exposure
from mcpexpose.model.text import first_line, shown
from mcpexpose.surface.prompt import SECTION_MAX, SUMMARY_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding

rule = Rule(__name__, severity="warning", since="0.1.0")


@rule.on(Server)
def check(server: Server, context: Context) -> Iterator[Finding]:
    length = len(first_line(server.table.description or ""))
    if length > SUMMARY_MAX:
        yield rule.finding(
            f"the description of {shown(server.id)} has {length:,} characters; the model gets {SUMMARY_MAX}",
            (f"{server.id}:description",),
            "Shorten it to what tells a model when to search here.",
            server.key("description"),
            details={"length": length, "limit": SUMMARY_MAX},
        )


@rule.on(WholePlan)
def check_section(subject: WholePlan, context: Context) -> Iterator[Finding]:
    plan = subject.compiled.plan
    deferred = {tool.server for tool in plan.tools if tool.exposure is Exposure.DEFERRED}
    shown_lines = sum(line.startswith("- ") for line in plan.prompt_section.splitlines())
    if shown_lines < len(deferred):
        left = len(deferred) - shown_lines
        yield rule.finding(
            f"the prompt section is full at {SECTION_MAX:,} characters: {left} of {len(deferred)} servers have no line",
            ("mcp_servers",),
            "Shorten the descriptions, hide servers, or give tasks profiles of their own.",
            context.place("mcp_servers"),
            details={"omitted": left},
        )
