"""A catalog is older than `[freshness] max_age`, or than the server's own time to live."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
