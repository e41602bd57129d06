"""A text holds a reference that only the host fills in, or that the host did not fill in at all."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
