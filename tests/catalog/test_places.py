"""Many places in one catalog: the same answers as one at a time, at a fraction of the cost."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from mcpexpose.catalog.places import CatalogText
from mcpexpose.catalog.position import span
from tests.work import steps

TOOLS = [
    {
        "name": "票\n務",
        "description": 'a "quoted" \\ word',
        "inputSchema": {"properties": {"x": {"enum": [1, None]}}},
    },
    {"name": "empty", "inputSchema": {}, "list": []},
    {"name": "last", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}},
]


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    out = [path]
    if isinstance(value, dict):
        for key, item in value.items():
            out += paths(item, (*path, key))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            out += paths(item, (*path, n))
    return out


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("wrapped", [False, True])
def test_it_answers_as_the_walk_does(indent: int | None, wrapped: bool) -> None:
    """Values and keys, found and not found, in stored catalogs and in raw answers."""
    value: Any = {"a": [1], "captured_at": "x", "tools": TOOLS, "z": {"tools": 1}}
    text = json.dumps({"jsonrpc": "2.0", "result": value} if wrapped else value, ensure_ascii=False, indent=indent)
    fast = CatalogText(text)
    for path in paths(value):
        for more in ((), ("nowhere",)):
            for on in ("value", "key"):
                wanted = (*path, *more)
                assert fast.span(wanted, on) == span(text, wanted, on), (wanted, on)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"tools"', '{"tools": [{"a": 1}, {', '{"tools": 3}', "nul", "[" * 5_000]
)
def test_a_text_of_another_shape_is_no_trouble(text: str) -> None:
    """Where it is no catalog the walk answers, which raises nothing."""
    fast = CatalogText(text)
    for path in ((), ("tools",), ("tools", 0), ("tools", 1, "a"), ("tools", -1)):
        assert fast.span(path) == span(text, path)


def test_a_thousand_places_of_a_large_catalog_cost_less_than_ten_walks() -> None:
    """Findings on every tool of a big server do not hang lint."""
    schema = {"properties": {f"p{m}": {"type": "string"} for m in range(9)}}
    tools = [{"name": f"t{n}", "inputSchema": schema} for n in range(1_000)]
    text = json.dumps({"tools": tools}, indent=1)
    order = random.Random(1).sample(range(1_000), 1_000)
    fast = CatalogText(text)
    walk = steps(lambda: span(text, ("tools", 999, "name")))
    assert steps(lambda: [fast.span(("tools", n, "name")) for n in order]) < 10 * walk


def test_lines_are_counted_from_1() -> None:
    """Without their ends."""
    text = CatalogText("a\r\nb\nc")
    assert [text.line(n) for n in (0, 1, 2, 3, 4)] == [None, "a", "b", "c", None]


class ReadWhole(str):
    """A text that counts how many characters of it were gone through for their line feeds."""

    __slots__ = ()
    gone_through = 0

    def count(self, part: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
        ReadWhole.gone_through += (len(self) if end is None else end) - start
        return super().count(part, start, len(self) if end is None else end)


def test_the_lines_of_a_large_catalog_are_counted_once() -> None:
    """Not for every finding, which would take the square of the catalog (C04)."""
    count = 2_000
    text = ReadWhole(json.dumps({"tools": [{"name": f"t{n}", "about": "x"} for n in range(count)]}, indent=1))
    places = CatalogText(text)
    lines = [places.span(("tools", n, "name")).line for n in range(count)]
    assert lines[0] == 4
    assert {later - earlier for earlier, later in pairwise(lines)} == {4}
    assert ReadWhole.gone_through <= len(text)
