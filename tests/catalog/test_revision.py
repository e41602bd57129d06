"""The canonical form and the revision: the same everywhere, and no digit lost."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.model.canonical import canonical, digest
from mcpexpose.model.catalog import revision_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9007199254740993, "9007199254740993"),
        (1.0, "1"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (0.000001, "0.000001"),
        (123456789012345680000.0, "123456789012345680000"),
        ({"b": 1, "a": [1.5, None, True]}, '{"a":[1.5,null,true],"b":1}'),
        # RFC 8785 sorts by UTF-16 units: the emoji (D83D) comes before U+FB33, though its code point is the larger.
        ({"\ufb33": 1, "😀": 2}, '{"😀":2,"\ufb33":1}'),
        ("a,1.5e3 €\u2028\x1f\n\x7f", '"a,1.5e3 €\u2028\\u001f\\n\x7f"'),
    ],
)
def test_the_form_is_rfc_8785_with_integers_in_full(value: Any, text: str) -> None:
    """Law 5, big-int-1."""
    assert canonical(value).decode() == text


@settings(deadline=None, max_examples=60)
@given(json_values)
def test_the_form_is_json_and_stays_as_it_is(value: object) -> None:
    """Written, read and written again."""
    assert canonical(json.loads(canonical(value))) == canonical(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": "\ud800"}, object(), {1, 2}, {"a": b""}])
def test_what_is_no_json_has_no_form(value: object) -> None:
    with pytest.raises(ValueError):
        canonical(value)


def test_depth_is_no_limit() -> None:
    value: Any = 1.5
    for _ in range(5_000):
        value = [{"a": value}]
    assert canonical(value) == b'[{"a":' * 5_000 + b"1.5" + b"}]" * 5_000


def test_the_revision_is_the_documented_digest() -> None:
    """DESIGN 4: SHA-256 of [server, tools], tools by name; another program can compute it."""
    tools = [{"name": "b", "x": 1}, {"name": "a", "é": 2}]
    by_hand = '["s",[{"name":"a","é":2},{"name":"b","x":1}]]'
    assert revision_of("s", tools) == hashlib.sha256(by_hand.encode()).hexdigest() == digest(["s", tools[::-1]])


def test_the_order_of_tools_is_no_change_even_of_those_with_one_name() -> None:
    tools = [{"name": "a", "x": 1}, {"name": "a", "x": 2}, {"name": "b"}]
    assert len({revision_of("s", order) for order in (tools, tools[::-1], [tools[1], tools[2], tools[0]])}) == 1
