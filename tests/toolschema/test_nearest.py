"""Faults of schemas that a person made by a slip are told with what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.toolschema import check_definition


@pytest.mark.parametrize(
    ("part", "meant"),
    [
        ({"type": "strng"}, "string"),
        ({"type": "int"}, "integer"),
        ({"type": ["Float", "null"]}, "number"),
        ({"items": {"type": "dict"}}, "object"),
        ({"$ref": "#/definitions/Issue"}, "#/$defs/Issue"),
        ({"$ref": "#/$defs/issue"}, "#/$defs/Issue"),
        ({"$ref": "#/$defs/Isue"}, "#/$defs/Issue"),
        ({"$ref": "#Issue"}, "#/$defs/Issue"),
    ],
)
def test_the_nearest_right_thing_is_named(part: Any, meant: str) -> None:
    schema = {"type": "object", "properties": {"a": part}, "$defs": {"Issue": {"type": "object"}}}
    (problem,) = check_definition({"name": "t", "inputSchema": schema})
    assert f"did you mean {meant if meant.startswith('#') else chr(34) + meant + chr(34)}?" in problem.message


@pytest.mark.parametrize("part", [{"type": "any"}, {"type": "x" * 5_000}, {"$ref": "#/$defs/Label"}, {"$ref": "#/x"}])
def test_where_nothing_is_near_nothing_is_named(part: Any) -> None:
    schema = {"type": "object", "properties": {"a": part}, "$defs": {"Issue": {"type": "object"}}}
    (problem,) = check_definition({"name": "t", "inputSchema": schema})
    assert "did you mean" not in problem.message


@pytest.mark.parametrize("key", ["input_schema", "InputSchema", "parameters"])
def test_an_input_schema_under_another_key_is_named(key: str) -> None:
    (problem,) = check_definition({"name": "t", key: {"type": "object"}})
    assert problem.slug == "schema-invalid"
    assert problem.path == ()
    assert f'"{key}"; did you mean "inputSchema"?' in problem.message


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ({"a": {}, "required": ["a"]}, "the keyword `required` stands beside `properties`"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, "the keyword `$schema` stands beside"),
        ({"type": "object"}, "the keyword `type` stands beside"),
        ({"a": {"required": True}}, "the object around lists the names"),
    ],
)
def test_a_keyword_in_the_wrong_place_is_told_its_place(inside: Any, said: str) -> None:
    (problem,) = check_definition({"name": "t", "inputSchema": {"type": "object", "properties": inside}})
    assert problem.slug == "schema-invalid"
    assert said in problem.message
