"""A value is of the right type and cannot mean anything: an empty pattern, an unclosed bracket."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
