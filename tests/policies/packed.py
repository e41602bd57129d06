"""Tools under a shipped pack, through the compiler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpexpose.config.packs import find
from tests.compiler.build import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcpexpose.model.plan import ToolDecision


def decisions(
    packs: Sequence[str],
    catalogs: Mapping[str, Sequence[str | Mapping[str, Any]]],
    *,
    head: str = "",
    server: str = "",
    tools: str = "",
) -> Mapping[tuple[str, str], ToolDecision]:
    """What is decided on each tool under PACKS.

    HEAD stands on top of the config, SERVER in the table of each server, TOOLS in its `tools."*"`.
    """
    resolved, findings = find(tuple(packs), Path(), "config.toml")
    assert findings == ()
    lines = [head]
    for name in catalogs:
        lines += [f"[mcp_servers.{json.dumps(name)}]", 'command = "x"', server]
        lines += [f'[mcp_servers.{json.dumps(name)}.tools."*"]', tools] if tools else []
    made = compiled("\n".join(lines), catalogs, *resolved)
    return {(decision.id.server, decision.id.name): decision for decision in made.decisions}
