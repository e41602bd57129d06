"""The canonical form: RFC 8785 but for integers, the same however large the value and whatever stands in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpexpose.model.canonical import canonical

HIGH = "\U0001f600"
LATE = "\ufb33"  # sorted before an emoji by code point, and after it by UTF-16


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1.0, "a": 1e21}, '{"a":1e+21,"b":1}'),
        ([0.000001, 1e-7, -0.0, 123456789012345680000.0], "[0.000001,1e-7,0,123456789012345680000]"),
        ({LATE: 1, HIGH: 2}, f'{{"{HIGH}":2,"{LATE}":1}}'),
        (9223372036854775807, "9223372036854775807"),
        ('a "1.5" \u007f\u0001\n', '"a \\"1.5\\" \u007f\\u0001\\n"'),
    ],
)
def test_is_rfc_8785_with_whole_integers(value: Any, written: str) -> None:
    """Numbers as ECMAScript writes them, keys by UTF-16 (A03)."""
    assert canonical(value).decode() == written


@pytest.mark.parametrize("depth", range(8))
@pytest.mark.parametrize("odd", [2.50, {LATE: 1.0, HIGH: "[1.5"}, HIGH, "[0.5"])
def test_a_part_is_written_the_same_wherever_it_stands(odd: Any, depth: int) -> None:
    """One fraction or one emoji changes nothing in what stands around it (A03)."""
    alone = canonical(odd).decode()
    value, left, right = odd, "", ""
    for level in range(depth):
        if level % 2:
            value, left, right = [1, value, None], "[1," + left, right + ",null]"
        else:
            value, left, right = {"z": True, "m": value, "a": {}}, '{"a":{},"m":' + left, right + ',"z":true}'
    assert canonical(value).decode() == left + alone + right
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize("value", [float("nan"), [[[[[float("inf")]]]]], {"a": "\ud800"}, {"a": {1, 2}}])
def test_what_is_no_json_has_no_canonical_form(value: Any) -> None:
    """Never a digest of something that another program would read otherwise."""
    with pytest.raises(ValueError):
        canonical(value)


def test_thousands_of_levels_are_written() -> None:
    """Deeper than Python recurses (B05)."""
    value: Any = 0.5
    for _ in range(3_000):
        value = [value]
    assert canonical(value) == b"[" * 3_000 + b"0.5" + b"]" * 3_000
