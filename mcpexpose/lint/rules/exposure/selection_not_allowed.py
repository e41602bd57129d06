"""A profile selects a tool that is hidden, denied or out of its reach."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
