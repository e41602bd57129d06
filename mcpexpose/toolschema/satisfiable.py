"""Schemas that no value fits: contradictions that can be seen without solving anything."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcpexpose.model.text import shown
from mcpexpose.toolschema.dialects import DRAFT_4
from mcpexpose.toolschema.shapes import TYPES, is_number, json_key
from mcpexpose.toolschema.together import all_twice, disagreement, fits, may_match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.toolschema.problem import Path
    from mcpexpose.toolschema.walk import Node, Walked

_STEPS = 100_000
"""Schemas that are looked at, each as often as it applies; what is not seen within them is not said."""
_VALUES_A_STEP = 4
_BOUNDS = {
    "minimum": ("minimum", "maximum", frozenset({"number", "integer"})),
    "length": ("minLength", "maxLength", frozenset({"string"})),
    "items": ("minItems", "maxItems", frozenset({"array"})),
    "properties": ("minProperties", "maxProperties", frozenset({"object"})),
}
_BOUNDING = frozenset({"exclusiveMinimum", "exclusiveMaximum"}.union(*(keys[:2] for keys in _BOUNDS.values())))
_ALL_TYPES = frozenset(TYPES) - {"integer"}


def contradictions(walked: Walked, edges: dict[Path, list[tuple[Path, Path]]]) -> list[tuple[Path, str]]:
    """Each place where a schema says what no value can fulfil, with a sentence on why.

    A schema that is written as `false` or `{"not": {}}` says so on purpose, so it counts only where something is then
    impossible that was meant to be possible: the tool's arguments as a whole, or a required property.
    """
    judge = _Judge(walked, edges)
    found: dict[Path, str] = {}
    for node in list(walked.nodes.values()):
        if isinstance(node.schema, dict) and (fault := judge.fault(node)) is not None:
            path, why, deliberate = fault
            if not deliberate or node.path == ():
                found.setdefault(path, why)
    return list(found.items())


@dataclass(slots=True)
class _Facts:
    """What a schema, and all that applies along with it, demands."""

    types: frozenset[str]
    low: dict[str, tuple[float, bool, Path]] = field(default_factory=dict)
    high: dict[str, tuple[float, bool, Path]] = field(default_factory=dict)
    required: dict[str, Path] = field(default_factory=dict)
    whole: bool = False
    """Of numbers, whole ones alone are left."""


class _Judge:
    def __init__(self, walked: Walked, edges: dict[Path, list[tuple[Path, Path]]]) -> None:
        self.walked = walked
        self.edges = edges
        self.steps = 0
        self.asked: set[Path] = set()
        self.doubled: dict[Path, bool] = {}
        """By place of a schema, whether each branch of its `oneOf` stands there twice."""

    def fault(self, node: Node, types: frozenset[str] = _ALL_TYPES) -> tuple[Path, str, bool] | None:
        """Where and why nothing fits NODE, and whether it was written on purpose; None where something may fit.

        TYPES are those that are left by what applies around it.
        """
        if node.schema is False:
            return node.path, "the schema is false: nothing fits it", True
        if not isinstance(node.schema, dict):
            return None
        self.steps += 1
        if self.steps > _STEPS:
            return None
        parts = list(self._parts(node))
        self.steps += len(parts)
        facts = _Facts(types & {"object"} if node.path == () else types)  # arguments are always an object
        for part in parts:
            if part.schema is False:
                return part.path, "the schema is false: nothing fits it", True
            if isinstance(part.schema, dict):
                if (fault := self._own(part)) is not None:
                    return fault
                if clash := _gather(facts, part):
                    return (*clash, False)
        found = self._bounds(facts) or self._properties(facts, parts)
        if found is None and (apart := disagreement(facts, [part for part in parts if _counts(part)])) is not None:
            found = (*apart, False)
        return found or self._branches(facts, parts)

    def _parts(self, node: Node) -> Iterator[Node]:
        """NODE and all that must hold with it: references and members of `allOf`, each once."""
        waiting, seen = [node.path], {node.path}
        while waiting:
            part = self.walked.nodes.get(waiting.pop())
            if part is None:
                continue
            yield part
            for keyword, target in self.edges.get(part.path, ()):
                if (keyword[-1] == "$ref" or keyword[-2:-1] == ("allOf",)) and target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def _own(self, part: Node) -> tuple[Path, str, bool] | None:
        """Contradictions inside one schema object."""
        schema, path = part.schema, part.path
        self.steps += len(schema["enum"]) // _VALUES_A_STEP if isinstance(schema.get("enum"), list) else 0
        if part.dialect.ref_alone and "$ref" in schema:
            return None
        if schema.get("not") == {} or schema.get("not") is True:
            return (*path, "not"), "`not` excludes everything", set(schema) <= {"not", "description", "title"}
        allowed = schema.get("enum")
        constant = "const" in schema and part.dialect is not DRAFT_4
        if constant:
            if isinstance(allowed, list) and json_key(schema["const"]) not in map(json_key, allowed):
                return (*path, "const"), "`const` is not among the values of `enum`", False
            allowed = [schema["const"]]
        if not isinstance(allowed, list):
            return None
        keyword = "const" if constant else "enum"
        if not allowed:
            return (*path, keyword), "`enum` is empty: no value is allowed", False
        if not any(fits(value, schema) for value in allowed):
            return (*path, keyword), f"no value of `{keyword}` fits what stands beside it", False
        return None

    def _bounds(self, facts: _Facts) -> tuple[Path, str, bool] | None:
        for name, (low_key, high_key, types) in _BOUNDS.items():
            if name not in facts.low or name not in facts.high or not facts.types <= types:
                continue
            low, low_open, _ = facts.low[name]
            high, high_open, path = facts.high[name]
            values = "whole number" if name == "minimum" and facts.whole else "value"
            if low > high or (low == high and (low_open or high_open)) or (values != "value" and _no_whole(facts)):
                between = f"{shown(str(low), 30)} to {shown(str(high), 30)}"
                return path, f"`{low_key}` and `{high_key}` leave no {values}: {between}", False
        return None

    def _properties(self, facts: _Facts, parts: list[Node]) -> tuple[Path, str, bool] | None:
        if facts.types != {"object"}:
            return None
        for name, at in facts.required.items():
            self.steps += len(parts)
            if self.steps > _STEPS:
                return None
            for part in parts:
                schema = part.schema
                if not isinstance(schema, dict) or (part.dialect.ref_alone and "$ref" in schema):
                    continue
                properties = schema.get("properties", {})
                if name in properties:
                    inner = self.walked.nodes.get((*part.path, "properties", name))
                    if inner is not None and self._never(inner):
                        return self._deepest(inner) or (at, "a required property can have no value", False)
                elif "additionalProperties" in schema and not _matched(name, schema):
                    if schema["additionalProperties"] is False:
                        return at, "a property is required that `additionalProperties: false` forbids", False
                    if self._never(self.walked.nodes.get((*part.path, "additionalProperties"))):
                        return at, "a property is required that `additionalProperties` gives no value", False
        low = facts.low.get("properties")
        for part in parts if low is not None else ():
            schema = part.schema
            if not isinstance(schema, dict) or (part.dialect.ref_alone and "$ref" in schema):
                continue
            closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
            if low is not None and closed and len(schema.get("properties", {})) < low[0]:
                return low[2], "`minProperties` wants more properties than there are", False
        high = facts.high.get("properties")
        if high is not None and len(facts.required) > high[0]:
            return high[2], "more properties are required than `maxProperties` allows", False
        return None

    def _branches(self, facts: _Facts, parts: list[Node]) -> tuple[Path, str, bool] | None:
        for part in parts:
            for keyword in ("anyOf", "oneOf"):
                inside = [at for at, _ in self.edges.get(part.path, ()) if at[-2:-1] == (keyword,)]
                if keyword == "oneOf" and len(inside) > 1:
                    if part.path not in self.doubled:
                        self.doubled[part.path] = all_twice(part.schema["oneOf"])
                    if self.doubled[part.path]:
                        why = "each branch of `oneOf` stands there twice, and exactly one is to fit"
                        return (*part.path, keyword), why, False
                if inside and all(self._never(self.walked.nodes.get(at), facts.types) for at in inside):
                    return (*part.path, keyword), f"no branch of `{keyword}` can be fulfilled", False
        return None

    def _deepest(self, inner: Node) -> tuple[Path, str, bool] | None:
        """The fault inside a required property, where it is one by itself and is told there."""
        if inner.path in self.asked:
            return None
        self.asked.add(inner.path)
        fault = self.fault(inner)
        self.asked.discard(inner.path)
        return None if fault is None or fault[2] else fault

    def _never(self, node: Node | None, types: frozenset[str] = _ALL_TYPES) -> bool:
        """Whether nothing fits NODE. What is being asked already counts as fitting nothing: a value that must hold
        another of its own kind for ever is none."""
        if node is None:
            return False
        if node.path in self.asked:
            return True
        if len(self.asked) > 50:
            return False
        self.asked.add(node.path)
        try:
            return self.fault(node, types) is not None
        finally:
            self.asked.discard(node.path)


def _counts(part: Node) -> bool:
    """Whether PART is an object of which every keyword counts."""
    return isinstance(part.schema, dict) and not (part.dialect.ref_alone and "$ref" in part.schema)


def _gather(facts: _Facts, part: Node) -> tuple[Path, str] | None:
    """Add what PART demands; the place and reason where its type excludes all that was left."""
    schema, path = part.schema, part.path
    if part.dialect.ref_alone and "$ref" in schema:
        return None
    if "type" in schema:
        listed = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        wanted = frozenset("number" if name == "integer" else name for name in listed)
        if not facts.types & wanted:
            return (*path, "type"), "`type` excludes what another part of the schema demands"
        facts.types &= wanted
        facts.whole = facts.whole or ("integer" in listed and "number" not in listed)
    if not _BOUNDING.isdisjoint(schema):
        _gather_bounds(facts, part)
    for n, required in enumerate(schema.get("required", ())):
        facts.required.setdefault(required, (*path, "required", n))
    return None


def _gather_bounds(facts: _Facts, part: Node) -> None:
    schema, path = part.schema, part.path
    for name, (low_key, high_key, _) in _BOUNDS.items():
        for key, store, sign in ((low_key, facts.low, 1), (high_key, facts.high, -1)):
            if is_number(schema.get(key)):
                exclusive = schema.get("exclusive" + key[0].upper() + key[1:]) is True
                _tighten(store, name, schema[key], exclusive, (*path, key), sign)
    for key, store, sign in (("exclusiveMinimum", facts.low, 1), ("exclusiveMaximum", facts.high, -1)):
        if is_number(schema.get(key)):
            _tighten(store, "minimum", schema[key], True, (*path, key), sign)


def _tighten(
    store: dict[str, tuple[float, bool, Path]], name: str, value: float, exclusive: bool, path: Path, sign: int
) -> None:
    held = store.get(name)
    if held is None or (sign * value, exclusive) > (sign * held[0], held[1]):
        store[name] = (value, exclusive, path)


def _no_whole(facts: _Facts) -> bool:
    """Whether no whole number lies between the bounds of numbers."""
    (low, low_open, _), (high, high_open, _) = facts.low["minimum"], facts.high["minimum"]
    least, most = math.ceil(low), math.floor(high)
    return least + (low_open and least == low) > most - (high_open and most == high)


def _matched(name: str, schema: dict[str, Any]) -> bool:
    return any(may_match(pattern, name) for pattern in schema.get("patternProperties", {}))
