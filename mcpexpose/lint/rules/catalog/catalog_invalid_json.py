"""A catalog is no JSON that everybody reads alike: NaN, a key twice, a lone surrogate, a number out …"""

from __future__ import annotations

from mcpexpose.lint.rule import Rule

rule = Rule(__name__, severity="error", since="0.1.0")
