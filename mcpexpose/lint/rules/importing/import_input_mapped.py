"""What a host asked for at its start is a variable now."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="info", since="0.1.0")
