"""A file of a bundle is missing, changed, or not listed in its manifest."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
