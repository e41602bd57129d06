"""Finds the rules by their being there: modules of families under `lint/rules`, each imported when it is asked for."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import TYPE_CHECKING

from mcpexpose.lint import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.lint.rule import Rule


@cache
def slugs() -> Mapping[str, str]:
    """The family of every rule by its slug, sorted; no rule is imported for that."""
    found = {}
    for folder in rules.__path__:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("_"))
        for family in names:
            with os.scandir(f"{folder}/{family}") as entries:
                for entry in entries:
                    if entry.name.endswith(".py") and not entry.name.startswith("_"):
                        found[entry.name.removesuffix(".py").replace("_", "-")] = family
    return dict(sorted(found.items()))


@cache
def rule(slug: str) -> Rule | None:
    """The rule of that slug. Raises TypeError for a module without a `rule` of its own."""
    from mcpexpose.lint.rule import Rule

    family = slugs().get(slug)
    if family is None:
        return None
    name = f"{rules.__name__}.{family}.{slug.replace('-', '_')}"
    found = getattr(importlib.import_module(name), "rule", None)
    if not isinstance(found, Rule) or found.module != name:
        raise TypeError(f"{name} holds no rule of its own")
    return found


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by slug, sorted."""
    return {slug: found for slug in slugs() if (found := rule(slug)) is not None}


@cache
def families() -> frozenset[str]:
    """The names of families, which can be chosen like slugs."""
    return frozenset(slugs().values())
