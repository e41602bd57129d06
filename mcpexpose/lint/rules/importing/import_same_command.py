"""One command or address stands under two ids, or one server in two files."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="info", since="0.1.0")
