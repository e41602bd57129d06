"""A setting is made void by deny, hidden, or a policy pack."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
