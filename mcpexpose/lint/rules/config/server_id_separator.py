"""A server's id holds, or ends with, the sign that stands between server and tool."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0")
