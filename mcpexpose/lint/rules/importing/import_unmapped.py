"""A key of a server has no counterpart here, and is left out."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="info", since="0.1.0")
