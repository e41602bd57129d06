"""A labelled query of the policy tests that does not find what it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.compiler import patterns
from mcpexpose.lint.rule import Rule
from mcpexpose.lint.subjects import Context, WholePlan
from mcpexpose.model.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.finding import Finding
    from mcpexpose.model.plan import Plan

rule = Rule(__name__, severity="error", since="0.1.0")
_MOST = 20
_SAID = 3


@rule.on(WholePlan)
def check(subject: WholePlan, context: Context) -> Iterator[Finding]:
    plan = subject.compiled.plan
    unknown = sorted(name for name, table in context.config.mcp_servers.items() if table.enabled)
    unknown = [name for name in unknown if name not in context.catalogs]
    for written in (context.tests() if context.tests else None) or ():
        test = written.test
        reached = _reached(plan, test.profile)
        if reached is None:
            continue  # `mcpexpose test` says that there is no such profile
        limit = min(test.within or plan.search.limit, _MOST)
        for text in test.wanted:
            wanted = patterns.of_tools(text)
            if wanted is None or any(wanted.server.matches(server) for server in unknown):
                continue  # a tool of a server without a catalog cannot be found, and that is told already
            for query in test.queries:
                hits = context.findable.search(query, limit, reached).hits
                if any(wanted.meets(plan.tools[hit.row].id) for hit in hits):
                    continue
                names = ", ".join(shown(str(plan.tools[hit.row].id), 80) for hit in hits[:_SAID])
                yield rule.finding(
                    f'"{shown(query, 80)}" does not find {shown(text, 80)} among the first {limit}, as the policy test '
                    f'"{shown(test.name, 60)}" wants; it finds {names or "nothing"}',
                    (text,),
                    "`mcpexpose test` says at which rank it stands, and which words it lacks.",
                    written.place("finds"),
                    details={"test": test.name, "query": query, "within": limit},
                )


def _reached(plan: Plan, profile: str | None) -> frozenset[int] | None:
    """The rows that a search of the profile may give; None where there is no such profile."""
    if profile is None:
        return frozenset(range(len(plan.tools)))
    tools = next((set(each.tools) for each in plan.profiles if each.name == profile), None)
    return None if tools is None else frozenset(row for row, tool in enumerate(plan.tools) if str(tool.id) in tools)
