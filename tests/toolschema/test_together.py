"""Schemas that no value fits for what several keywords say together, and those that only look so."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.toolschema import check_definition

D4, D7 = "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"


def found(part: Any, **more: Any) -> list[tuple[str, str]]:
    schema = {"type": "object", "properties": {"v": part}, "required": ["v"], **more}
    return [(each.slug, each.pointer) for each in check_definition({"name": "t", "inputSchema": schema})]


@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        ({"type": "array", "minItems": 1, "items": False}, "/minItems"),
        ({"type": "array", "minItems": 3, "prefixItems": [{}, {}], "items": False}, "/minItems"),
        ({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"enum": ["a", "b", "a"]}}, "/minItems"),
        ({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "boolean"}}, "/minItems"),
        ({"type": "array", "maxItems": 0, "contains": {}}, "/maxItems"),
        ({"type": "array", "contains": {}, "minContains": 3, "maxContains": 1}, "/maxContains"),
        ({"type": "integer", "multipleOf": 10, "minimum": 1, "maximum": 9}, "/multipleOf"),
        ({"type": "number", "multipleOf": 0.1, "exclusiveMinimum": 0.1, "exclusiveMaximum": 0.2}, "/multipleOf"),
        ({"enum": [1, 2], "exclusiveMinimum": 2}, "/enum"),
        ({"enum": [1, 3], "multipleOf": 2}, "/enum"),
        ({"enum": ["a", "b"], "pattern": "^[0-9]+$"}, "/enum"),
        ({"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, "/allOf/0/enum"),
        ({"oneOf": [{"type": "string"}, {"type": "string"}]}, "/oneOf"),
        ({"type": "string", "not": {"type": ["string", "null"]}}, "/not"),
        ({"type": "object", "required": ["a", "b"], "not": {"required": ["a"]}}, "/not"),
        ({"type": "object", "required": ["abc"], "propertyNames": {"maxLength": 2}}, "/required/0"),
        ({"type": "object", "required": ["a"], "propertyNames": {"enum": ["b"]}}, "/required/0"),
        ({"type": "object", "required": ["a"], "properties": {"b": {}}, "unevaluatedProperties": False}, "/required/0"),
    ],
)
def test_what_nothing_can_fulfil_is_told_at_its_place(part: Any, pointer: str) -> None:
    """A contradiction is a warning where it stands (G06)."""
    assert ("schema-unsatisfiable", f"/properties/v{pointer}") in found(part)


@pytest.mark.parametrize(
    "part",
    [
        {"minItems": 1, "items": False},  # a text fits
        {"type": ["array", "null"], "minItems": 1, "items": False},
        {"type": "array", "minItems": 2, "prefixItems": [{}, {}], "items": False},
        {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "integer"}},
        {"type": "array", "minItems": 2, "uniqueItems": True, "items": {"type": "boolean"}},
        {"type": "array", "minItems": 3, "uniqueItems": False, "items": {"type": "boolean"}},
        {"type": "array", "maxItems": 0, "contains": {}, "minContains": 0},
        {"type": "array", "minContains": 3, "maxContains": 1},  # without `contains` they say nothing
        {"type": "number", "multipleOf": 5, "minimum": 5, "maximum": 9},
        {"type": "string", "multipleOf": 10, "minimum": 1, "maximum": 9},
        {"enum": [1, 2], "exclusiveMinimum": 1},
        {"enum": ["1", "b"], "pattern": "^[0-9]+$"},
        {"allOf": [{"enum": ["a", "b"]}, {"enum": ["b"]}]},
        {"oneOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]},
        {"anyOf": [{"type": "string"}, {"type": "string"}]},
        {"type": "number", "not": {"type": "integer"}},
        {"type": "object", "required": ["a"], "not": {"required": ["a", "b"]}},
        {"type": "object", "required": ["ab"], "propertyNames": {"maxLength": 2}},
        {"type": "object", "required": ["a"], "unevaluatedProperties": False, "anyOf": [{"properties": {"a": {}}}]},
    ],
)
def test_what_only_looks_so_is_not_told(part: Any) -> None:
    """No false alarm (G06)."""
    assert found(part) == []


def test_each_dialect_by_its_own_keywords() -> None:
    """What a dialect does not know says nothing in it (G06)."""
    tuple_of_two = {"type": "array", "minItems": 3, "items": [{}, {}], "additionalItems": False}
    assert found(tuple_of_two, **{"$schema": D7}) == [("schema-unsatisfiable", "/properties/v/minItems")]
    contained = {"type": "array", "maxItems": 0, "contains": {}, "minContains": 0}
    assert found(contained, **{"$schema": D7}) == [("schema-unsatisfiable", "/properties/v/maxItems")]
    assert found({"allOf": [{"const": 1}, {"const": 2}]}, **{"$schema": D4}) == []
    assert found({"type": "object", "required": ["ab"], "propertyNames": {"maxLength": 1}}, **{"$schema": D4}) == []
