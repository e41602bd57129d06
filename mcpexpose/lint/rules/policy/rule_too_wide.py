"""An entry of `auto_approve` or `default_tools` has a pattern for the server."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
