"""What keywords that apply to one value demand together, and no value can do: values, lists, multiples, names."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from mcpexpose.toolschema.dialects import DRAFT_4
from mcpexpose.toolschema.patterns import compiled, problem
from mcpexpose.toolschema.shapes import is_number, json_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcpexpose.toolschema.problem import Path
    from mcpexpose.toolschema.walk import Node

Bound = tuple[float, bool, "Path"]
Clash = tuple["Path", str]
_MOST_VALUES = 1_000
_TEXT = 200
"""Characters of a text, and of a pattern, that are matched."""
_BITS = 14.0
"""Attempts of a matcher for one text, as a power of two."""
_CONCERNED = frozenset({"items", "contains", "multipleOf", "propertyNames", "unevaluatedProperties", "not"})
"""Keywords without which one schema object alone is at no odds with itself here."""
_ANNOTATIONS = frozenset({"title", "description", "$comment", "default", "examples"})
_SEES_THROUGH = frozenset(
    {
        *("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"),
        *("patternProperties", "additionalProperties"),
    }
)
"""Beside one of these, `unevaluatedProperties` lets more pass than `properties`."""


class Demands(Protocol):
    """What all parts together leave; bounds by name: "minimum", "length", "items", "properties"."""

    types: frozenset[str]
    low: dict[str, Bound]
    high: dict[str, Bound]
    required: dict[str, Path]
    whole: bool


def disagreement(facts: Demands, parts: Sequence[Node]) -> Clash | None:
    """Where and why nothing fits all PARTS, in ways that take more than one keyword to see; None where something may.

    PARTS are schema objects in which every keyword counts.
    """
    if len(parts) == 1 and _CONCERNED.isdisjoint(parts[0].schema):
        return None
    for look in (_values, _lists, _multiples, _names, _excluded):
        for found in look(facts, parts):
            return found
    return None


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether VALUE can fit the simple keywords of a schema; `enum` and `const` are not among them."""
    if "type" in schema:
        listed = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(_is(value, name) for name in listed):
            return False
    if isinstance(value, str):
        low, high = schema.get("minLength"), schema.get("maxLength")
        if (is_number(low) and len(value) < low) or (is_number(high) and len(value) > high):
            return False
        return not isinstance(schema.get("pattern"), str) or may_match(schema["pattern"], value)
    return not is_number(value) or _fits_number(value, schema)


def may_match(pattern: str, text: str) -> bool:
    """Whether PATTERN occurs in TEXT; what cannot be told in few steps counts as occurring."""
    from mcpexpose.toolschema.bounded import is_cheap  # for schemas with values or names to be matched alone

    if len(text) > _TEXT or len(pattern) > _TEXT or problem(pattern) or not is_cheap(pattern, len(text), _BITS):
        return True
    return compiled(pattern).search(text) is not None


def _fits_number(value: float, schema: Mapping[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if is_number(low) and (value < low or (above is True and value == low)):
        return False
    if is_number(high) and (value > high or (below is True and value == high)):
        return False
    if (is_number(above) and value <= above) or (is_number(below) and value >= below):
        return False
    step = schema.get("multipleOf")
    return not is_number(step) or step <= 0 or _exact(value) % _exact(step) == 0


def _is(value: Any, name: str) -> bool:
    if name == "integer":
        return is_number(value) and (isinstance(value, int) or value.is_integer())
    if name == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    kinds: dict[str, type] = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    return isinstance(value, kinds[name])


def _listed(part: Node) -> tuple[str, list[Any]] | None:
    """The keyword that names the values that a part allows, and those values."""
    if "const" in part.schema and part.dialect is not DRAFT_4:
        return "const", [part.schema["const"]]
    return ("enum", part.schema["enum"]) if isinstance(part.schema.get("enum"), list) else None


def _values(facts: Demands, parts: Sequence[Node]) -> Iterator[Clash]:
    """Of values that are named, none fits all parts. What one part says against itself is told elsewhere."""
    named = [(part, *listed) for part in parts if (listed := _listed(part)) is not None]
    if len(parts) < 2 or not named or any(len(values) > _MOST_VALUES for _, _, values in named):
        return
    known = [{json_key(value) for value in values} for _, _, values in named]
    for value in named[0][2]:
        form = json_key(value)
        if all(form in keys for keys in known) and all(fits(value, part.schema) for part in parts):
            return
    part, keyword, _ = named[-1]
    yield (*part.path, keyword), f"no value of `{keyword}` fits what else must hold"


def _lists(facts: Demands, parts: Sequence[Node]) -> Iterator[Clash]:
    if facts.types != {"array"}:
        return
    low, high = facts.low.get("items"), facts.high.get("items")
    for part in parts:
        schema, holds = part.schema, part.dialect.holds
        room, unlike = _room(part), _unlike(part)
        if low is not None and room is not None and low[0] > room:
            yield low[2], f"`minItems` wants more items than the {room} that there may be"
        if low is not None and unlike is not None and low[0] > unlike:
            yield low[2], f"`minItems` wants more items than the {unlike} that can be unequal"
        if "contains" in schema and "contains" in holds:
            counts = "minContains" in part.dialect.shapes
            least = schema.get("minContains", 1) if counts else 1
            most = schema.get("maxContains") if counts else None
            if is_number(most) and most < least:
                yield (*part.path, "maxContains"), "`minContains` and `maxContains` leave no number"
            if high is not None and high[0] < least:
                yield high[2], "`contains` wants more items than `maxItems` allows"


def _room(part: Node) -> int | None:
    """The most items that a part allows by saying what each is; None where it sets no end."""
    schema = part.schema
    items = schema.get("items")
    if "prefixItems" in part.dialect.holds:
        return len(schema.get("prefixItems", ())) if items is False else None
    if isinstance(items, list):
        return len(items) if schema.get("additionalItems") is False else None
    return 0 if items is False else None


def _unlike(part: Node) -> int | None:
    """How many unequal items a part can have; None where nobody knows."""
    items = part.schema.get("items")
    if part.schema.get("uniqueItems") is not True or not isinstance(items, dict) or "prefixItems" in part.schema:
        return None
    if part.dialect.ref_alone and "$ref" in items:
        return None
    if isinstance(items.get("enum"), list) and len(items["enum"]) <= _MOST_VALUES:
        return len({json_key(value) for value in items["enum"]})
    return {"boolean": 2, "null": 1}.get(items["type"]) if isinstance(items.get("type"), str) else None


def _multiples(facts: Demands, parts: Sequence[Node]) -> Iterator[Clash]:
    if facts.types != {"number"} or not {"minimum"} <= facts.low.keys() & facts.high.keys():
        return
    (low, low_open, _), (high, high_open, _) = facts.low["minimum"], facts.high["minimum"]
    for part in parts:
        step = part.schema.get("multipleOf")
        if not is_number(step) or step <= 0:
            continue
        each, least, most = _exact(step), _exact(low), _exact(high)
        first = math.ceil(least / each) * each
        first += each if low_open and first == least else 0
        if first > most or (high_open and first == most):
            yield (*part.path, "multipleOf"), "no multiple of `multipleOf` lies within the bounds"


def _names(facts: Demands, parts: Sequence[Node]) -> Iterator[Clash]:
    """A property is required that cannot be called so, or that nothing accounts for."""
    if facts.types != {"object"}:
        return
    for part in parts:
        schema, holds = part.schema, part.dialect.holds
        names = schema.get("propertyNames") if "propertyNames" in holds else None
        if part.dialect.ref_alone and isinstance(names, dict) and "$ref" in names:
            names = None
        closed = schema.get("unevaluatedProperties") is False and "unevaluatedProperties" in holds
        closed = closed and _SEES_THROUGH.isdisjoint(schema)
        for name, at in facts.required.items() if closed or names is not None else ():
            if names is False or (isinstance(names, dict) and not _may_be_called(name, names)):
                yield at, "a property is required whose name `propertyNames` excludes"
            if closed and name not in schema.get("properties", {}):
                yield at, "a property is required that `unevaluatedProperties: false` forbids"


def _may_be_called(name: str, names: Mapping[str, Any]) -> bool:
    allowed = [names["const"]] if "const" in names else names.get("enum")
    return fits(name, names) and (not isinstance(allowed, list) or name in allowed)


def _excluded(facts: Demands, parts: Sequence[Node]) -> Iterator[Clash]:
    for part in parts:
        inner = part.schema.get("not")
        if not isinstance(inner, dict):
            continue
        said = inner.keys() - _ANNOTATIONS
        if said == {"required"} and facts.types == {"object"} and set(inner["required"]) <= facts.required.keys():
            yield (*part.path, "not"), "`not` excludes what is required"
        if said == {"type"}:
            listed = {inner["type"]} if isinstance(inner["type"], str) else set(inner["type"])
            if "integer" in listed and facts.whole:
                listed.add("number")
            if facts.types <= listed:
                yield (*part.path, "not"), "`not` excludes every type that is left"


def all_twice(branches: Sequence[Any]) -> bool:
    """Whether each of BRANCHES has an equal among them, so that exactly one can never fit. Reads all that they hold."""
    if len(branches) < 2:
        return False
    sizes = Counter(len(branch) if isinstance(branch, dict) else -1 for branch in branches)
    if 1 in sizes.values():  # one that has no equal, told without writing any
        return False
    return min(Counter(map(json_key, branches)).values()) > 1


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))
