"""A server is reached over HTTP+SSE, an old transport of MCP."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
