"""Finds the rules by their being there: every module of every family under `lint/rules`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from mcpexpose.lint import rules
from mcpexpose.lint.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by slug, sorted. Raises TypeError for a module without a `rule` of its own."""
    found: dict[str, Rule] = {}
    for family in pkgutil.iter_modules(rules.__path__):
        if not family.ispkg:
            continue
        package = importlib.import_module(f"{rules.__name__}.{family.name}")
        for module in pkgutil.iter_modules(package.__path__):
            if module.name.startswith("_"):
                continue
            name = f"{package.__name__}.{module.name}"
            rule = getattr(importlib.import_module(name), "rule", None)
            if not isinstance(rule, Rule) or rule.module != name:
                raise TypeError(f"{name} holds no rule of its own")
            found[rule.slug] = rule
    return dict(sorted(found.items()))


@cache
def families() -> frozenset[str]:
    """The names of families, which can be chosen like slugs."""
    return frozenset(rule.family for rule in all_rules().values())
