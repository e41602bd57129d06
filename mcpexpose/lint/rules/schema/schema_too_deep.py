"""A schema nests more than 100 levels, or chains more than 100 schemas on one value."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
