"""A list of the tools to let in is empty, and is kept empty."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
