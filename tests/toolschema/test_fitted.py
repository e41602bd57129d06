"""Schemas in forms that targets take: what they refuse is mended or dropped, and what was valid stays valid."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from mcpexpose.model.limits import rows_of
from mcpexpose.toolschema.fitted import fitted
from mcpexpose.toolschema.portable import not_portable

TARGETS = ("anthropic", "openai", "openai-responses", "gemini", "gemini-json-schema", "mcp")


def root(schema: dict[str, Any], target: str) -> dict[str, Any]:
    """The form of a schema that must have one."""
    form = fitted(schema, target)
    assert form.refused == ""
    return form.schema


def of_property(schema: dict[str, Any], target: str = "gemini", **more: Any) -> dict[str, Any]:
    """The form of a property's schema."""
    whole = {"type": "object", "properties": {"p": schema}, **more}
    found: dict[str, Any] = root(whole, target)["properties"]["p"]
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_a_common_schema_stays_as_it_is(target: str) -> None:
    """Nothing is touched that need not be, and nothing is lost."""
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where", "minLength": 1},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        },
        "required": ["path"],
    }
    before = copy.deepcopy(schema)
    form = fitted(schema, target)
    assert form.schema == before == schema
    assert (form.dropped, form.refused) == ((), "")


@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-responses", "gemini", "gemini-json-schema", "mcp"])
def test_a_root_without_type_becomes_an_object_and_nothing_is_lost(target: str) -> None:
    form = fitted({"properties": {"a": {"type": "string"}}}, target)
    assert form.schema == {"type": "object", "properties": {"a": {"type": "string"}}}
    assert form.dropped == ()


def test_openai_gets_properties_and_items_where_there_are_none() -> None:
    """`object schema missing properties`, `array schema missing items`: the two that make it refuse a request."""
    assert root({"type": "object"}, "openai") == {"type": "object", "properties": {}}
    assert of_property({"type": "array"}, "openai") == {"type": "array", "items": {}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize("target", ["anthropic", "openai", "gemini"])
def test_a_choice_at_the_root_becomes_one_object_with_all_branches(keyword: str, target: str) -> None:
    """The form that made every request of a hosted server's users fail (2026-08)."""
    schema = {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        keyword: [
            {"properties": {"id": {"type": "string"}, "kind": {"type": "string"}}, "required": ["id", "kind"]},
            {"$ref": "#/$defs/named"},
        ],
        "$defs": {
            "named": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["kind", "name"]}
        },
    }
    form = fitted(schema, target)
    assert set(form.schema["properties"]) == {"kind", "id", "name"}
    assert form.schema["required"] == ["kind"]
    assert keyword not in form.schema
    assert (keyword,) in {dropped.path for dropped in form.dropped}


def test_all_of_at_the_root_is_joined_without_a_loss() -> None:
    schema = {
        "type": "object",
        "allOf": [
            {"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
            {"properties": {"a": {"maximum": 9}, "b": {}}},
        ],
    }
    form = fitted(schema, "anthropic")
    assert form.schema == {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1, "maximum": 9}, "b": {}},
        "required": ["a"],
    }
    assert form.dropped == ()


def test_a_property_whose_name_is_refused_is_not_told_and_a_required_one_refuses_the_tool() -> None:
    """Anthropic takes [A-Za-z0-9_.-]{1,64} for a key, and fails the whole request over another one."""
    schema = {"type": "object", "properties": {"$expand": {"type": "string"}, "a": {"type": "string"}}}
    form = fitted(schema, "anthropic")
    assert list(form.schema["properties"]) == ["a"]
    assert [dropped.path for dropped in form.dropped] == [("properties", "$expand")]
    refused = fitted({**schema, "required": ["$expand"]}, "anthropic")
    assert refused.schema == {}
    assert '"$expand"' in refused.refused


def test_an_old_dialect_is_put_into_the_words_of_the_new_one() -> None:
    """Draft 7 and 4, with the same meaning; `$schema` would name the old one."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "pair": {"type": "array", "items": [{"type": "string"}, {"type": "number"}], "additionalItems": False},
        },
        "dependencies": {"pair": ["x"], "x": {"required": ["pair"]}},
    }
    assert root(schema, "anthropic") == {
        "type": "object",
        "properties": {
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False}
        },
        "dependentRequired": {"pair": ["x"]},
        "dependentSchemas": {"x": {"required": ["pair"]}},
    }
    four = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}
    bound = {"type": "number", "minimum": 0, "exclusiveMinimum": True}
    assert of_property(bound, "anthropic", **four) == {"type": "number", "exclusiveMinimum": 0}


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, {"type": "string", "nullable": True}),
        (
            {"type": ["string", "array"], "items": {"type": "string"}, "description": "D"},
            {
                "anyOf": [
                    {"type": "string", "description": "D"},
                    {"type": "array", "items": {"type": "string"}, "description": "D"},
                ]
            },
        ),
        ({"const": "fixed"}, {"type": "string", "enum": ["fixed"]}),
        (
            {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
            {"type": "integer", "minimum": 1, "maximum": 9},
        ),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "minimum": 0}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer"}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"properties": {"a": True}}, {"type": "object", "properties": {"a": {}}}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, {"type": "string", "minLength": 2}),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
            {
                "anyOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"type": "object", "properties": {"a": {"type": "string"}}},
                ]
            },
        ),
    ],
)
def test_gemini_gets_the_subset_of_openapi(schema: dict[str, Any], form: dict[str, Any]) -> None:
    """One type, no null branch, a choice alone, lists of texts, no `const`, `required` only of what is told."""
    found = of_property(schema)
    found.pop("default", None)
    assert found == form


def test_references_are_followed_where_a_target_takes_none_and_a_circle_ends() -> None:
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node", "description": "The tree"}},
        "$defs": {
            "node": {"type": "object", "properties": {"value": {"type": "string"}, "next": {"$ref": "#/$defs/node"}}}
        },
    }
    form = fitted(schema, "gemini")
    tree = form.schema["properties"]["tree"]
    assert tree["description"] == "The tree"
    assert tree["properties"] == {"value": {"type": "string"}, "next": {}}
    assert "$defs" not in form.schema
    assert [dropped.message for dropped in form.dropped] == ["is not told: it leads back to where it stands"]


def test_gemini_json_schema_keeps_definitions_that_stand_alone() -> None:
    """`definitions` by their new name; a reference with something beside it is followed."""
    schema = {
        "type": "object",
        "properties": {
            "one": {"$ref": "#/definitions/text"},
            "two": {"$ref": "#/definitions/text", "description": "D"},
        },
        "definitions": {"text": {"type": "string"}},
    }
    assert root(schema, "gemini-json-schema") == {
        "type": "object",
        "properties": {"one": {"$ref": "#/$defs/text"}, "two": {"type": "string", "description": "D"}},
        "$defs": {"text": {"type": "string"}},
    }


def test_what_patterns_and_positions_allow_is_not_ruled_out_with_them() -> None:
    schema = {
        "type": "object",
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
        "properties": {
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False}
        },
    }
    form = root(schema, "gemini-json-schema")
    assert form["additionalProperties"] == {"type": "string"}
    assert form["properties"]["pair"]["items"] == {"anyOf": [{"type": "string"}, {"type": "number"}]}


def test_a_schema_that_refers_to_itself_a_hundred_times_stays_small() -> None:
    """Copies of definitions that refer to each other would grow without bound."""
    defs = {
        f"d{n}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "abcdefgh"}}
        for n in range(30)
    } | {"d30": {"type": "string"}}
    form = fitted({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs}, "gemini")
    assert form.refused == ""
    assert any("too large" in dropped.message for dropped in form.dropped)
    assert len(str(form.schema)) < 2_000_000


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    return schema


def referred(definition: dict[str, Any], times: int) -> dict[str, Any]:
    return {"$defs": {"d": definition}, "properties": {f"p{n}": {"$ref": "#/$defs/d"} for n in range(times)}}


HOSTILE: dict[str, dict[str, Any]] = {
    "a long enum, everywhere": referred({"enum": [str(n) for n in range(20_000)]}, 2_000),
    "a long default, everywhere": referred({"type": "array", "default": ["x"] * 50_000}, 2_000),
    "a long text, everywhere": referred({"type": "string", "description": "x" * 500_000}, 4_000),
    "a choice of thousands at the root": {"anyOf": [{"properties": {"a": {"const": str(n)}}} for n in range(2_000)]},
    "demands that add up": {"allOf": [{"required": [f"{n}-{m}" for m in range(30)]} for n in range(1_600)]},
    "lists to intersect": {
        "properties": {"a": {"allOf": [{"enum": [*range(n, n + 1_000), "x"]} for n in range(0, 20_000, 1_000)]}}
    },
    "much beside a choice": {
        "properties": {
            "a": {
                "properties": {f"q{n}": {"type": "string"} for n in range(1_500)},
                "anyOf": [{"required": [f"q{n}"]} for n in range(1_500)],
            }
        }
    },
    "choices in choices": {"properties": {"a": nested(25)}},
    "a long text, joined with thousands": {
        "properties": {
            "q": {"allOf": [{"items": {"description": "x" * n}} for n in (900_000, *([400] * 2_000))]},
        }
    },
    "more than anybody takes": {"description": "x" * 3_000_000},
}


@pytest.mark.slow
@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_schema_grows_without_bound(schema: dict[str, Any]) -> None:
    """What a server sends stops no export and fills no memory (X08): the form is bounded, and what is left out told."""
    for target in ("gemini", "anthropic"):
        form = fitted({"type": "object", **schema}, target)
        assert len(json.dumps(form.schema)) < 6_000_000  # without a bound: gigabytes, or for ever


def test_a_broken_schema_is_refused_with_a_reason() -> None:
    for schema in ({"type": "object", "properties": []}, {"$schema": "urn:none"}):
        form = fitted(schema, "openai")
        assert form.refused
        assert form.schema == {}


LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer", "minimum": 1},
        {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 5},
        {"type": "number", "exclusiveMaximum": 2, "multipleOf": 0.5},
        {"type": ["string", "null"], "maxLength": 1},
        {"const": "x"},
        {"const": 1},
        {"enum": ["x", None, 1]},
        {"type": "null"},
        {"not": {"type": "string"}},
        {"type": "string", "format": "email", "pattern": "x"},
        True,
        {},
    ]
)


def _more(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b", "x"])
    some = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(names, inner, max_size=2),
                "required": st.lists(names, max_size=1),
                "additionalProperties": st.one_of(st.booleans(), inner),
                "patternProperties": st.dictionaries(st.sampled_from(["^x", "b"]), inner, max_size=2),
                "minProperties": st.just(1),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={"items": inner, "prefixItems": some, "maxItems": st.just(2), "uniqueItems": st.just(True)},
        ),
        st.fixed_dictionaries({}, optional={"anyOf": some, "oneOf": some, "allOf": some}),
        st.fixed_dictionaries({"if": inner, "then": inner}),
    )


VALUES = st.recursive(
    st.sampled_from(["", "x", "xy", 0, 1, 2, 5, 0.5, 1.5, None, True]),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("abx"), inner, max_size=2)),
    max_leaves=4,
)


SCHEMAS = st.recursive(LEAVES, _more, max_leaves=5)
TUPLE = {"type": "array", "items": {"type": "string"}, "prefixItems": [{"type": "integer"}]}


@given(schema=SCHEMAS, value=VALUES, target=st.sampled_from(TARGETS))
@settings(max_examples=150, deadline=None)
def test_what_fits_the_schema_fits_its_form(schema: Any, value: Any, target: str) -> None:
    """Only demands are dropped: no argument that the tool takes is kept from the model (G06)."""
    holds(schema, value, target)


@pytest.mark.slow
@example(schema={"oneOf": [{"type": "array"}, TUPLE]}, value=[""], target="gemini-json-schema")
@given(schema=SCHEMAS, value=VALUES, target=st.sampled_from(TARGETS))
@settings(max_examples=1_000, deadline=None)
def test_what_fits_any_of_many_schemas_fits_its_form(schema: Any, value: Any, target: str) -> None:
    """The same at length (G06)."""
    holds(schema, value, target)


def holds(schema: Any, value: Any, target: str) -> None:
    whole = {"type": "object", "properties": {"p": schema}}
    form = fitted(whole, target)
    assert form.refused == ""
    assert not not_portable({"inputSchema": form.schema}, (target,))
    if Draft202012Validator(whole).is_valid({"p": value}):
        assert Draft202012Validator(_nullable(form.schema)).is_valid({"p": value}), form.schema


@given(schema=st.recursive(LEAVES, _more, max_leaves=6), target=st.sampled_from(("gemini", "gemini-json-schema")))
@settings(max_examples=100, deadline=None)
def test_a_form_holds_no_keyword_outside_its_subset(schema: Any, target: str) -> None:
    kept = rows_of(target)["kept-keywords"]
    assert isinstance(kept, tuple)
    form = fitted({"type": "object", "properties": {"p": schema}}, target).schema
    waiting = [form]
    while waiting:
        here = waiting.pop()
        assert isinstance(here, dict)
        assert set(here) <= set(kept)
        assert target != "gemini" or "anyOf" not in here or set(here) == {"anyOf"}
        waiting += [*here.get("properties", {}).values(), *here.get("anyOf", ()), *here.get("oneOf", ())]
        waiting += [here[key] for key in ("items", "additionalProperties") if isinstance(here.get(key), dict)]


def _nullable(schema: Any) -> Any:
    """OpenAPI's `nullable` in JSON Schema, so that a validator can read the form."""
    if isinstance(schema, list):
        return [_nullable(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _nullable(each) for key, each in schema.items() if key != "nullable"}
    return {"anyOf": [out, {"type": "null"}]} if schema.get("nullable") is True else out


def test_the_dialect_of_a_form_is_the_new_one() -> None:
    """What a provider reads as 2020-12 is that."""
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"a": {"$id": "#a"}},
    }
    form = root(schema, "anthropic")
    assert validator_for(form, default=Draft202012Validator) is Draft202012Validator
    Draft202012Validator.check_schema(form)
