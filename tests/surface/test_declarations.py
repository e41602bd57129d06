"""What a request declares."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpexpose.surface.declarations import SEARCH_SIDE_EFFECT, declaration, declaration_text, search_tool
from mcpexpose.surface.wording import DESCRIPTION_LIMIT
from tests.builders import definition


def test_a_declaration_is_the_alias_the_text_and_the_schema_as_it_came() -> None:
    """Name, description and schema, the schema's key order and enum order kept; nothing else of the server (X01)."""
    schema = {"type": "object", "properties": {"b": {"enum": ["z", "a", None]}, "a": {"$ref": "#/properties/b"}}}
    line = definition("s", "t", "Text", schema, outputSchema={"type": "object"}, annotations={"readOnlyHint": True})
    declared = declaration(line)
    assert declared == {"name": "s__t", "description": "Text", "inputSchema": schema}
    assert list(declared["inputSchema"]["properties"]) == ["b", "a"]
    assert json.loads(declaration_text(declared)) == declared


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "object"}, {"type": "object", "properties": {}}),
        ({}, {"type": "object", "properties": {}}),
        ({"additionalProperties": False}, {"type": "object", "properties": {}, "additionalProperties": False}),
        ({"type": "object", "anyOf": [{}]}, {"type": "object", "properties": {}, "anyOf": [{}]}),
        ({"properties": {"a": {"type": "object"}}}, {"type": "object", "properties": {"a": {"type": "object"}}}),
    ],
)
def test_a_schema_without_properties_is_told_with_none(schema: dict[str, Any], told: dict[str, Any]) -> None:
    """Providers refuse `{"type": "object"}`; the definition that calls are checked against stays as it came (G03)."""
    line = definition("s", "t", "Text", schema)
    assert declaration(line)["inputSchema"] == told
    assert line["inputSchema"] == schema
    assert list(declaration(line)["inputSchema"]) == sorted(told)


def test_declaration_and_answer_cut_a_text_alike() -> None:
    """The declared text is cut with the same mark, and one at the limit is whole (X08)."""
    whole = "x" * DESCRIPTION_LIMIT
    assert declaration(definition("s", "t", whole))["description"] == whole
    assert declaration(definition("s", "t", whole + "yz"))["description"] == f"{whole} … [cut here: 2 more characters]"


def test_the_search_tool_keeps_the_name_and_the_bounds_that_hosts_know() -> None:
    """find_tools, with query and limit from 1 to 20 and the plan's default (F10)."""
    declared = search_tool(5)
    assert declared["name"] == "find_tools"
    properties = declared["inputSchema"]["properties"]
    assert set(properties) == {"query", "limit"}
    assert declared["inputSchema"]["required"] == ["query"]
    assert (properties["limit"]["minimum"], properties["limit"]["maximum"], properties["limit"]["default"]) == (
        1,
        20,
        5,
    )


def test_a_search_is_read_only() -> None:
    """Hosts may run find_tools without asking: it changes the session's tools and nothing else (F05)."""
    assert SEARCH_SIDE_EFFECT == "read_only"
