"""The file uses syntax of TOML 1.1 that a reader of TOML 1.0 refuses."""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="warning", since="0.1.0", fix="unsafe")
