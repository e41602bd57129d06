"""A waiver, a comment or `[lint]` names a rule that does not exist."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0", fix="safe")
