"""The preview for programs: plan.json's content, and what is not in a plan beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.jsonform import to_json
from mcpexpose.report.changes import as_json as as_json_changes
from mcpexpose.report.findings_json import as_json
from mcpexpose.report.jsonout import dump
from mcpexpose.report.preview import Preview, decision_json

if TYPE_CHECKING:
    from mcpexpose.report.findings import FindingsReport
    from mcpexpose.report.screen import Screen


def render(preview: Preview, screen: Screen) -> str:
    """Exact: all that was decided, under every profile; a profile that was asked for stands under `preview`."""
    out = [decision for decision in preview.compiled.decisions if not decision.in_plan]
    return dump(
        {
            **to_json(preview.plan),
            "hidden": [decision_json(decision) for decision in out if not decision.left_out_by],
            "left_out": [decision_json(decision) for decision in out if decision.left_out_by],
            "findings": [as_json(finding) for finding in preview.findings],
            "writable": preview.writable,
            "changes": as_json_changes(preview.changes),
            "preview": {
                "profile": preview.profile,
                "tokens": preview.tokens,
                "tokens_tools": preview.tokens_tools,
                "tokens_search_tool": preview.tokens_search_tool,
                "tokens_prompt_section": preview.tokens_prompt_section,
                "tokens_if_all": preview.tokens_if_all,
                "targets": [line.to_json() for line in preview.targets],
                "declared": [line.tool.alias for line in preview.direct],
            },
        }
    )


def render_faults(report: FindingsReport, screen: Screen) -> str:
    """No plan: the findings alone."""
    return dump({"findings": [as_json(finding, report) for finding in report.findings], "writable": False})
