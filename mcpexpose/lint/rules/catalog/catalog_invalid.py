"""A catalog, or one entry of it, has another shape than `tools/list` gives."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
