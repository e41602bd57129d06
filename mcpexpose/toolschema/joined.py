"""Two schemas as one: what both ask for together, and what either of several would take. Never stricter than they are
where both must hold; what cannot be said in one is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.model.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Schema = dict[str, Any]

_WORDING = frozenset({"title", "description", "default", "examples", "example", "$comment", "deprecated"})
_LEAST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_GREATEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_MAPS = frozenset({"$defs", "definitions"})
_MERGED = _MAPS | {"properties", "required"}
"""What is gathered from many branches, and would be compared as a whole for each of them."""


def both(one: Mapping[str, Any], two: Mapping[str, Any]) -> tuple[Schema, tuple[str, ...]]:
    """A schema that takes whatever ONE and TWO both take, and the keywords of TWO that it does not hold.

    Of titles, descriptions, defaults and examples ONE's stay.
    """
    out: Schema = dict(one)
    lost: list[str] = []
    for keyword, value in two.items():
        if keyword not in out:
            out[keyword] = value
        elif keyword in _WORDING or (keyword not in _MERGED and _same(out[keyword], value)):
            continue
        else:
            joined, whole = _joined(keyword, out[keyword], value)
            out[keyword] = joined
            if not whole:
                lost.append(keyword)
    return out, tuple(lost)


def _joined(keyword: str, one: Any, two: Any) -> tuple[Any, bool]:
    """The keyword's value for both, and whether it says all of both."""
    if keyword == "properties":
        return _properties(one, two)
    if keyword in _MAPS:
        return {**two, **one}, True
    if keyword == "required":
        return list(dict.fromkeys([*one, *two])), True
    if keyword in _LEAST:
        return min(one, two), True
    if keyword in _GREATEST:
        return max(one, two), True
    if keyword == "type":
        return _types(one, two)
    if keyword == "enum":
        others = frozenset(map(canonical, two))
        kept = [value for value in one if canonical(value) in others]
        return (kept, True) if kept else (one, False)
    if keyword == "additionalProperties" and (one is False or two is False):
        return False, True
    return one, False


def _properties(one: Mapping[str, Any], two: Mapping[str, Any]) -> tuple[Schema, bool]:
    out = dict(one)
    whole = True
    for name, schema in two.items():
        if name not in out:
            out[name] = schema
        elif isinstance(out[name], dict) and isinstance(schema, dict):
            out[name], lost = both(out[name], schema)
            whole = whole and not lost
        elif out[name] is True:
            out[name] = schema
    return out, whole


def _types(one: Any, two: Any) -> tuple[Any, bool]:
    ours, theirs = listed(one), listed(two)
    kept = [kind for kind in ours if kind in theirs or (kind == "integer" and "number" in theirs)]
    kept += [kind for kind in theirs if kind == "integer" and "number" in ours and kind not in kept]
    if not kept:
        return one, False
    return kept[0] if len(kept) == 1 else kept, True


def either(branches: Iterable[Any]) -> Schema:
    """An object that takes what any of BRANCHES tells of one: all their properties, required where all require it.

    Branches that are for no object say nothing here.
    """
    objects = [
        branch for branch in branches if isinstance(branch, dict) and "object" in listed(branch.get("type", "object"))
    ]
    if not objects:
        return {}
    forms: dict[str, list[Any]] = {}
    for branch in objects:
        for name, schema in branch.get("properties", {}).items():
            forms.setdefault(name, []).append(schema)
    out: Schema = {}
    if forms:
        out["properties"] = {name: one_of(schemas) for name, schemas in forms.items()}
    demanded = [frozenset(branch.get("required", ())) for branch in objects]
    everywhere = demanded[0].intersection(*demanded)
    required = [name for name in objects[0].get("required", ()) if name in everywhere]
    if required:
        out["required"] = required
    if all(branch.get("additionalProperties") is False for branch in objects):
        out["additionalProperties"] = False
    return out


def listed(declared: Any) -> Sequence[str]:
    """The value of `type` as a list."""
    return declared if isinstance(declared, list) else [declared]


def one_of(schemas: Sequence[Any]) -> Any:
    """A schema for what any of SCHEMAS, of which there is one at least, takes."""
    kinds: dict[bytes, Any] = {}
    for each in schemas:
        kinds.setdefault(canonical(each), each)
    schemas = list(kinds.values())
    if len(schemas) == 1:
        return schemas[0]
    values = [schema.get("enum") for schema in schemas if isinstance(schema, dict)]
    rest = [{key: item for key, item in each.items() if key != "enum"} for each in schemas if isinstance(each, dict)]
    if len(rest) == len(schemas) and all(values) and len(set(map(canonical, rest))) == 1:
        # A property that tells the branches apart: its values together say more than a choice of constants.
        return {**rest[0], "enum": [value for each in values for value in each or ()]}
    return {"anyOf": schemas}


def _same(one: Any, two: Any) -> bool:
    """Whether their canonical forms are one; that is told from the first difference on, however long they are."""
    if one is two:
        return True
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(_same(item, two[key]) for key, item in one.items())
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(_same, one, two))
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (one, two))
    return (numbers or type(one) is type(two)) and bool(one == two)
