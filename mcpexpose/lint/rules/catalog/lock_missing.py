"""There is no lock, so nothing is compared."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="info", since="0.1.0")
