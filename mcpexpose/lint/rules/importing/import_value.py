"""A value in a host's file is of another type than its key wants, or nothing that can be used here."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
