"""Something in a host's file is no MCP server."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="info", since="0.1.0")
