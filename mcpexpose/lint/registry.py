"""Finds the rules by their being there: modules of families under `lint/rules`, each imported when it is asked for."""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mcpexpose.lint import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpexpose.lint.rule import Rule

_MADE = re.compile(r"^rule = Rule\([^)]*\)", re.MULTILINE)
_REMEMBERED = re.compile(r"remembered=\"(\w+)\"")
_KINDS = re.compile(r"^@rule\.on\((\w+)\)", re.MULTILINE)


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


@dataclass(frozen=True, slots=True)
class Facts:
    """What a rule's source says of it: a run imports those rules alone that have something to look at."""

    kinds: tuple[str, ...]
    """Names of the subjects that it looks at; none: other stages find what it stands for."""
    audit: bool
    remembered: str


@cache
def facts(slug: str) -> Facts:
    """Of a rule that there is."""
    source = (Path(rules.__path__[0]) / slugs()[slug] / f"{slug.replace('-', '_')}.py").read_text("utf-8")
    made = _MADE.search(source)
    words = made[0] if made else ""
    remembered = _REMEMBERED.search(words)
    kinds = tuple(dict.fromkeys(_KINDS.findall(source)))
    return Facts(kinds, "audit=True" in words, remembered[1] if remembered else "")


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
