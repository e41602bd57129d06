"""A name or a text holds control characters: terminal escapes, or line breaks in a name."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
