"""Values against schemas: bounded, exact, and answered without the value."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.toolschema import CannotCheck, Checker, Misfit, validate
from mcpexpose.toolschema.bounded import MatchTimeout, is_cheap, search
from tests.work import growth

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 100_000.0
"""Seconds that no check takes, for tests of what is found and not of what is given up."""


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


@pytest.mark.parametrize(
    ("schema", "value", "pointer", "wanted"),
    [
        (of({"limit": {"type": "integer"}}), {"limit": "50"}, "/limit", "an integer"),
        (of({"n": {"type": "integer"}}), {"n": True}, "/n", "an integer"),
        (of({"a/b": {"type": ["string", "null"]}}), {"a/b": 1}, "/a~1b", "a string or null"),
        (of({"t": {"type": "array", "items": {"type": "string"}}}), {"t": ["a", 2]}, "/t/1", "a string"),
        (of({}, required=["id"]), {}, "", 'the property "id"'),
        (of({}, additionalProperties=False), {"secret-key": 1}, "", "no other properties than those of the schema"),
        (of({"id": {}, "on": {}}, additionalProperties=False), {"ID": 1}, "", 'no other properties than "id", "on"'),
        (of({"e": {"enum": ["a", 1]}}), {"e": True}, "/e", 'one of ["a", 1]'),
        (of({"n": {"maximum": 9007199254740992}}), {"n": 9007199254740993}, "/n", None),
        (of({"m": {"multipleOf": 0.01}}), {"m": 0.075}, "/m", "a multiple of 0.01"),
        (of({"u": {"uniqueItems": True}}), {"u": [1, 1.0]}, "/u", "items of which no two are equal"),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "", None),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 2}, "", None),
        (of({"s": {"pattern": r"^\d+$"}}), {"s": "٣"}, "/s", r'a string that matches "^\\d+$"'),
        (of({"s": {"pattern": "^a$"}}), {"s": "a\n"}, "/s", None),
        (False, {}, "", "nothing at this place"),
    ],
)
def test_what_does_not_fit_is_told_by_place_and_wish(schema: Any, value: Any, pointer: str, wanted: str | None) -> None:
    """G06: a JSON pointer and what was wanted; no coercion, no float in between, ECMA patterns."""
    found = validate(schema, value)
    assert found is not None
    assert found.pointer == pointer
    assert wanted is None or found.wanted == wanted


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (of({"m": {"multipleOf": 0.01}}), {"m": 0.07}),
        (of({"n": {"type": "integer", "minimum": 9007199254740993}}), {"n": 9007199254740993}),
        (of({"u": {"uniqueItems": True}}), {"u": [1, True, "1", None, [1], {"a": 1}]}),
        (of({"d": {"default": 3}}, required=[]), {}),
        ({"$defs": {"n": of({"c": {"items": {"$ref": "#/$defs/n"}}})}, "$ref": "#/$defs/n"}, {"c": [{"c": []}]}),
        (of({"f": {"format": "email"}}), {"f": "nobody"}),
        (True, {"anything": 1}),
    ],
)
def test_what_fits(schema: Any, value: Any) -> None:
    """G06"""
    assert validate(schema, value) is None


@pytest.mark.parametrize(
    ("dialect", "schema", "value"),
    [
        ("http://json-schema.org/draft-04/schema#", {"properties": {"n": {"maximum": 3, "exclusiveMaximum": True}}}, 3),
        ("http://json-schema.org/draft-06/schema#", {"properties": {"n": {"const": 4}}}, 3),
        ("http://json-schema.org/draft-07/schema", {"properties": {"n": {"if": True, "then": {"minimum": 4}}}}, 3),
        ("https://json-schema.org/draft/2019-09/schema", {"properties": {"n": {"exclusiveMaximum": 3}}}, 3),
        ("https://json-schema.org/draft/2020-12/schema", {"properties": {"n": {"prefixItems": [False]}}}, [1]),
    ],
)
def test_each_dialect_by_its_own_rules(dialect: str, schema: dict[str, Any], value: Any) -> None:
    """The declared dialect decides, and its root `$schema` does not lead around the bounds."""
    found = validate({"$schema": dialect, **schema}, {"n": value})
    assert found is not None
    assert found.pointer.startswith("/n")


def test_a_keyword_of_another_dialect_is_none() -> None:
    assert validate({"$schema": "http://json-schema.org/draft-04/schema#", "const": {"a": 1}}, {}) is None


def test_a_runaway_pattern_is_given_up() -> None:
    """G06: what would be matched for years is refused, and the next one is not."""
    with pytest.raises(CannotCheck):
        validate(of({"s": {"pattern": "^(a+)+$"}}), {"s": "a" * 60 + "!"})
    assert validate(of({"s": {"pattern": "^(a+)+$"}}), {"s": "aaa"}) is None


def test_a_pattern_behind_a_nested_dialect_is_bounded_too() -> None:
    """A `$schema` within does not bring back the matcher without a bound."""
    dialect = "http://json-schema.org/draft-07/schema#"
    inner = {"$schema": dialect, "type": "string", "pattern": "^(a+)+$"}
    with pytest.raises(CannotCheck):
        validate({"$schema": dialect, "properties": {"s": inner}}, {"s": "a" * 60 + "!"})
    with pytest.raises(CannotCheck):
        validate({"properties": {"s": inner}}, {"s": "a" * 40 + "!"})


D7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "fits", "fits_not"),
    [
        ({"properties": {"o": {"$schema": D7, "required": ["n"]}}}, {"o": {"n": 1}}, {"o": {}}),
        ({"properties": {"o": {"$schema": D7, "items": [{"type": "null"}]}}}, {"o": [None, 1]}, {"o": [1]}),
        (
            {"$schema": D7, "properties": {"o": {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1}}},
            {"o": 2},
            None,
        ),
        (
            {"properties": {"o": {"$ref": "#/$defs/o"}}, "$defs": {"o": {"$schema": D7, "dependencies": {"a": ["b"]}}}},
            {"o": {"a": 1, "b": 2}},
            {"o": {"a": 1}},
        ),
    ],
)
def test_a_part_is_read_by_the_dialect_that_it_declares(schema: Any, fits: Any, fits_not: Any) -> None:
    """G06: generators leave their `$schema` in what is put into a larger document, and such a tool can be called."""
    assert validate(schema, fits) is None
    assert fits_not is None or isinstance(validate(schema, fits_not), Misfit)


def test_true_and_false_are_of_every_dialect() -> None:
    schema = {"properties": {"o": {"$schema": D7, "items": [{"$ref": "#/$defs/no"}]}}, "$defs": {"no": False}}
    assert validate(schema, {"o": []}) is None
    assert isinstance(validate(schema, {"o": [1]}), Misfit)


def test_a_reference_into_the_middle_of_another_dialect_is_not_guessed_at() -> None:
    inner = {"$schema": D7, "items": [{"items": [{}]}]}
    with pytest.raises(CannotCheck):
        validate({"properties": {"o": inner, "p": {"$ref": "#/properties/o/items/0"}}}, {"p": []})
    with pytest.raises(CannotCheck):
        validate({"properties": {"o": {"$schema": D7, "$ref": "#/$defs/o", "type": "null"}}, "$defs": {"o": {}}}, {})


@pytest.mark.parametrize(
    "part",
    [{"type": "numbr"}, {"properties": []}, {"required": "n"}, {"minimum": "1"}, {"pattern": "("}, {"items": "string"}],
)
def test_by_a_schema_that_is_none_nothing_is_judged(part: Any) -> None:
    """G07: not by the library's accident either, whose exception would quote the value."""
    for value in ("secret", 5, ["secret"], {"n": "secret"}):
        if "pattern" in part and not isinstance(value, str):
            continue
        with pytest.raises(CannotCheck) as caught:
            validate(part, value)
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None or "secret" not in str(caught.value.__cause__)


@pytest.mark.slow
def test_runaway_names_of_properties_are_bounded() -> None:
    for schema in (
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
        {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
    ):
        with pytest.raises(CannotCheck):
            validate(schema, {"a" * 60 + "!": 1})


def test_a_branching_recursion_is_given_up() -> None:
    node = {"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["z"]}
    value: Any = 1
    for _ in range(60):
        value = {"n": value}
    with pytest.raises(CannotCheck):
        validate({"$defs": {"n": {"anyOf": [node, node, node]}}, "$ref": "#/$defs/n"}, value)


def test_unique_items_are_not_compared_with_all_others() -> None:
    """Those of mixed kinds cost no square of their number."""

    def compared(number: int) -> Callable[[], object]:
        items: list[Any] = [*range(number), *({"a": n} for n in range(number)), "x", None]
        checker = Checker({"uniqueItems": True})
        return lambda: checker.misfit(items, seconds=LONG)

    assert compared(1_000)() is None
    assert growth(compared, 100) < 11


def test_depth_is_bounded() -> None:
    value: Any = 1
    for _ in range(300):
        value = [value]
    assert isinstance(validate({}, {"v": value}), Misfit)


@pytest.mark.parametrize("ref", ["https://example.com/s.json", "file:///etc/passwd", "#/$defs/none", "other.json"])
def test_nothing_is_fetched(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No reference leads to the network or to a file."""
    import urllib.request

    monkeypatch.setattr(urllib.request, "urlopen", None)
    with pytest.raises(CannotCheck):
        validate({"properties": {"a": {"$ref": ref}}}, {"a": 1})


def test_the_value_is_in_no_answer() -> None:
    """Whatever does not fit, nothing of it comes back."""
    secret = "s3cr3t-value"
    schemas: list[Any] = [
        {"type": "integer"}, {"enum": [1]}, {"const": 2}, {"pattern": "^x$"}, {"maxLength": 1}, False,
        {"not": {}}, {"anyOf": [{"type": "null"}, {"maxLength": 2}]}, {"oneOf": [True, True]},
    ]  # fmt: skip
    for schema in schemas:
        found = validate(of({"k": schema}), {"k": secret})
        assert found is not None
        assert secret not in found.wanted + found.pointer


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "(a*)*b", "(ab|ab)*c", r"^(?:a|a|a)*c", r"(x+x+)+y", r"^(\w+\s?)*$", r"(.)\1*(.)\2*$"]
)
def test_what_may_run_away_is_not_cheap(pattern: str) -> None:
    assert not is_cheap(pattern, 100)


@pytest.mark.parametrize("pattern", ["^" + "(a|)" * 22 + "c", "^" + "a?" * 26 + "b", "^(a{0,7}){0,7}b", "^(a|b|ab)*c"])
def test_many_choices_are_not_cheap(pattern: str) -> None:
    """Without any loop without end, too."""
    assert not is_cheap(pattern, 60)


@pytest.mark.parametrize(
    "pattern",
    ["^[a-z]+$", "^[A-Z]{2,3}-[0-9]+$", r"^\d{4}-\d{2}-\d{2}$", "^[a-z]+(-[a-z]+)*$", "^(get|put)_", "^https?://"],
)
def test_what_servers_write_is_matched_at_once(pattern: str) -> None:
    """No process is started for the patterns that there are."""
    assert is_cheap(pattern, 100)


def test_a_polynomial_pattern_is_ended_too() -> None:
    """What is slow on long texts without being exponential has the same limit."""
    with pytest.raises(MatchTimeout):
        search("a*a*a*a*a*b", "a" * 20_000, time.monotonic() + 0.3)
    assert search("a*a*a*a*a*b", "a" * 50 + "b", time.monotonic() + LONG)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(value=json_values, other=json_values)
def test_const_and_enum_are_equality_of_json(value: Any, other: Any) -> None:
    """1 and 1.0 are equal, true and 1 are not."""
    equal = validate({"const": value}, other) is None
    assert equal == (validate({"enum": [value]}, other) is None)
    assert validate({"const": value}, value) is None
    if isinstance(value, bool) != isinstance(other, bool):
        assert not equal
