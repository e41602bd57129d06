"""A server gave more pages than 1,000, or more tools than `max_tools_per_server`."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
