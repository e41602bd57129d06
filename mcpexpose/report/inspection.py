"""One tool's definition as a host hands it out, with what the plan says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcpexpose.report.jsonout import dump
from mcpexpose.report.preview_text import RISK
from mcpexpose.report.screen import Paint, Screen
from mcpexpose.report.words import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.model.plan import PlannedServer, PlannedTool


def render_json(tool: PlannedTool, server: PlannedServer, definition: Mapping[str, Any]) -> str:
    """The definition's own keys, and beside them what the plan decided."""
    return dump({**definition, **_policy(tool, server)})


def render_text(tool: PlannedTool, server: PlannedServer, definition: Mapping[str, Any], screen: Screen) -> str:
    """Policy first, then the description, then the schemas as JSON."""
    lines = [f"{screen.text(str(tool.id))} {screen.dot} {screen.text(tool.alias)}", ""]
    asks = "asks before each call" if tool.policy_state.value == "approval_required" else "runs without asking"
    facts = {
        "exposure": screen.paint(tool.exposure.value, Paint.OPEN),
        "side effect": screen.paint(tool.side_effect.value, RISK[tool.side_effect]),
        "approval": f"{tool.approval.value} ({asks})",
        "groups": ", ".join(screen.text(group) for group in tool.groups),
        "revision": server.revision,
        "captured": screen.text(server.captured_at or ""),
        "digest": tool.definition_digest,
        "tokens": count(tool.tokens, "token").removesuffix(" tokens").removesuffix(" token"),
        "title": screen.text(tool.title),
    }
    lines += [f"  {name:<12} {value}" for name, value in facts.items() if value]
    if tool.description:
        lines += ["", *(f"  {screen.text(line)}" for line in tool.description.splitlines())]
    for key in ("inputSchema", "outputSchema", "annotations"):
        if key in definition:
            lines += ["", f"  {key}"]
            text = json.dumps(definition[key], ensure_ascii=False, indent=2)
            lines += [f"  {screen.text(line)}" for line in text.split("\n")]
    return "\n".join(lines) + "\n"


def _policy(tool: PlannedTool, server: PlannedServer) -> dict[str, Any]:
    return {
        "exposure": tool.exposure.value,
        "policy_state": tool.policy_state.value,
        "side_effect": tool.side_effect.value,
        "approval": tool.approval.value,
        "groups": list(tool.groups),
        "idempotent": tool.idempotent,
        "tokens": tool.tokens,
        "definition_digest": tool.definition_digest,
        "revision": server.revision,
        "captured_at": server.captured_at,
    }
