"""Two definitions are told apart by cause: what a call may do or must be given, what it may be given, wording."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.model.changes import Risk
from mcpexpose.toolschema.parameters import parameters, wordless
from mcpexpose.toolschema.review import differences, reviewed

STRING: dict[str, Any] = {"type": "string"}


def takes(*required: str, **properties: Any) -> dict[str, Any]:
    return {"inputSchema": {"type": "object", "properties": properties, "required": list(required)}}


def told(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str]]:
    return [(part.risk.value, part.field) for part in differences(reviewed(before), reviewed(after))]


@pytest.mark.parametrize(
    ("before", "after", "risk", "says"),
    [
        (takes(a=STRING), takes(a=STRING, b=STRING), Risk.SCHEMA, "b is new, optional string"),
        (takes(a=STRING), takes("b", a=STRING, b=STRING), Risk.SAFETY, "b is new, required string"),
        (takes(a=STRING, b=STRING), takes(a=STRING), Risk.SAFETY, "b is gone"),
        (takes(a=STRING), takes(a={"type": "integer"}), Risk.SAFETY, "a string → integer"),
        (takes(a=STRING), takes(a={"type": ["null", "string"]}), Risk.SAFETY, "a string → null|string"),
        (takes(a=STRING), takes("a", a=STRING), Risk.SAFETY, "a optional → required"),
        (takes("a", a=STRING), takes(a=STRING), Risk.SCHEMA, "a required → optional"),
        (takes(a=STRING | {"enum": ["x"]}), takes(a=STRING | {"enum": ["x", "all"]}), Risk.SAFETY, "other values"),
        (takes(a=STRING), takes(a=STRING | {"description": "Where"}), Risk.TEXT, "wording"),
        (
            takes(f={"type": "object", "properties": {"x": STRING}}),
            takes(f={"type": "object", "properties": {"x": STRING, "y": STRING}}),
            Risk.SCHEMA,
            "f/y is new, optional string",
        ),
        (
            takes(rows={"type": "array", "items": STRING}),
            takes(rows={"type": "array", "items": {"type": "integer"}}),
            Risk.SAFETY,
            "rows[] string → integer",
        ),
        (
            takes(f={"type": "object", "properties": {"x": STRING}}),
            takes(),
            Risk.SAFETY,
            "f is gone",
        ),
        (
            {"inputSchema": {"type": "object", "additionalProperties": True}},
            {"inputSchema": {"type": "object", "additionalProperties": False}},
            Risk.SCHEMA,
            "input schema changed",
        ),
        (
            {"inputSchema": {"type": "object"}},
            {"inputSchema": {"type": "object", "minProperties": 1}},
            Risk.SAFETY,
            "all arguments together",
        ),
    ],
)
def test_a_change_of_arguments_has_a_cause(
    before: dict[str, Any], after: dict[str, Any], risk: Risk, says: str
) -> None:
    """Removed, retyped and required ones are SAFETY; new optional ones and wording are not (C07)."""
    (part,) = differences(reviewed(before), reviewed(after))
    assert part.risk is risk
    assert part.field == "inputSchema"
    assert says in part.text


@pytest.mark.parametrize(
    ("before", "after", "risk", "hint"),
    [
        ({"destructiveHint": True}, {"destructiveHint": False}, Risk.SAFETY, "destructiveHint"),
        (None, {"destructiveHint": False}, Risk.SAFETY, "destructiveHint"),
        ({}, {"readOnlyHint": True}, Risk.SAFETY, "readOnlyHint"),
        ({"idempotentHint": False}, {"idempotentHint": True}, Risk.SAFETY, "idempotentHint"),
        ({"openWorldHint": True}, {"openWorldHint": False}, Risk.SAFETY, "openWorldHint"),
        ({"readOnlyHint": True}, {"readOnlyHint": False}, Risk.SCHEMA, ""),
        ({"readOnlyHint": True}, None, Risk.SCHEMA, ""),
        ({}, {"destructiveHint": True}, Risk.TEXT, ""),
        ({"title": "One"}, {"title": "Two"}, Risk.TEXT, ""),
        ({}, {"readOnlyHint": "true"}, Risk.TEXT, ""),
    ],
)
def test_a_softened_hint_is_safety(before: Any, after: Any, risk: Risk, hint: str) -> None:
    """An absent hint counts as the worse one; only booleans count (C07)."""
    (part,) = differences(
        reviewed({"annotations": before} if before is not None else {}),
        reviewed({"annotations": after} if after is not None else {}),
    )
    assert (part.risk, part.field, part.softened) == (risk, "annotations", hint)


def test_each_changed_part_is_named_as_the_catalog_spells_it() -> None:
    """C07"""
    before = {"title": "A", "description": "x"} | takes() | {"outputSchema": {"type": "object"}}
    after = {"title": "B", "description": "y"} | takes(a=STRING) | {"outputSchema": {"type": "object", "required": []}}
    assert told(before, after) == [
        ("TEXT", "title"),
        ("TEXT", "description"),
        ("SCHEMA", "inputSchema"),
        ("SCHEMA", "outputSchema"),
    ]


def test_order_and_unreviewed_fields_change_nothing() -> None:
    """Compared by meaning, and `_meta` or icons are not reviewed (C07)."""
    one = takes(a=STRING, b=STRING) | {"description": "x"}
    other = {"_meta": {"v": 2}, "icons": []} | {"description": "x"} | takes(b=STRING, a=STRING)
    assert differences(reviewed(one), reviewed(other)) == ()


def test_a_definition_that_is_referred_to_belongs_to_the_argument() -> None:
    """The type of an argument cannot change behind a `$ref` (C07)."""

    def of(target: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
        return {"inputSchema": {"type": "object", "properties": {"a": schema}, "$defs": {"T": target}}}

    optional = {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}
    assert told(of(STRING, optional), of({"type": "integer"}, optional)) == [("SAFETY", "inputSchema")]
    assert told(of(STRING, {"$ref": "#/$defs/T"}), of({"type": "integer"}, {"$ref": "#/$defs/T"})) == [
        ("SAFETY", "inputSchema")
    ]
    worded = STRING | {"description": "Words"}
    assert told(of(STRING, optional), of(worded, optional)) == [("TEXT", "inputSchema")]


def test_a_lock_of_another_program_expects_the_worst() -> None:
    """Without what is derived a changed schema counts as SAFETY (C07)."""
    import dataclasses

    bare = dataclasses.replace(reviewed(takes(a=STRING)), input_shape=None, parameters={})
    (part,) = differences(bare, reviewed(takes(a=STRING, b=STRING)))
    assert part.risk is Risk.SAFETY


def test_an_argument_called_title_is_no_wording() -> None:
    """Names under `properties` are names (C07)."""
    schema = {"type": "object", "title": "T", "properties": {"title": {"type": "string", "title": "x"}}}
    assert wordless(schema) == {"type": "object", "properties": {"title": {"type": "string"}}}


def test_endless_deep_and_wide_schemas_end() -> None:
    """A schema of a server costs no more than its size (C07)."""
    endless = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {}}
    node = {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}, "m": {"$ref": "#/$defs/N"}}}
    endless["$defs"] = {"N": node}
    assert set(parameters(endless)) == {"", "/n", "/n/n", "/n/m"}
    deep: dict[str, Any] = STRING
    for _ in range(1_500):
        deep = {"type": "object", "properties": {"a": deep}}
    assert list(parameters(deep)) == [""]
    wide = {"type": "object", "properties": {f"p{n}": STRING for n in range(2_000)}}
    more = {"type": "object", "properties": {f"p{n}": STRING for n in range(2_001)}}
    (part,) = differences(reviewed({"inputSchema": wide}), reviewed({"inputSchema": more}))
    assert part.risk is Risk.SAFETY  # too many to tell apart
    assert told({"inputSchema": True}, {"inputSchema": 5}) == [("SCHEMA", "inputSchema")]


def test_names_of_servers_are_made_safe() -> None:
    """Law 6"""
    (part,) = differences(reviewed(takes()), reviewed(takes(**{"a\x1b[31m\u202e": STRING})))
    assert "\x1b" not in part.text
    assert "\u202e" not in part.text


def test_an_empty_text_and_no_hints_are_the_same_as_none() -> None:
    """A lock is compared by meaning: nothing was said before, and nothing is said now (C07)."""
    bare: dict[str, Any] = {"inputSchema": {"type": "object"}}
    empty = {**bare, "title": "", "description": "", "annotations": {}}
    absent = {**bare, "title": None, "description": None, "annotations": None}
    for before, after in ((bare, empty), (empty, bare), (absent, empty), (bare, absent)):
        assert told(before, after) == []
    assert told(bare, {**empty, "description": " "}) == [("TEXT", "description")]
