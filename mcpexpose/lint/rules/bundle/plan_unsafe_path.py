"""A bundle holds a link, or a path that leads out of it."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
