"""Many places in one catalog: the same answers as one at a time, at a fraction of the cost."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise
from typing import Any

import pytest

from mcpexpose.catalog.places import CatalogText
from mcpexpose.catalog.position import span

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
                assert fast.span(wanted, on) == span(text, wanted, on), (wanted, on)  # type: ignore[arg-type]


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
    import time

    schema = {"properties": {f"p{m}": {"type": "string"} for m in range(9)}}
    tools = [{"name": f"t{n}", "inputSchema": schema} for n in range(1_000)]
    text = json.dumps({"tools": tools}, indent=1)
    begin = time.perf_counter()
    for _ in range(3):
        span(text, ("tools", 999, "name"))
    walk = (time.perf_counter() - begin) / 3
    fast = CatalogText(text)
    begin = time.perf_counter()
    order = list(range(1_000))
    random.Random(1).shuffle(order)
    for n in order:
        fast.span(("tools", n, "name"))
    assert time.perf_counter() - begin < 10 * walk


def test_lines_are_counted_from_1() -> None:
    """Without their ends."""
    text = CatalogText("a\r\nb\nc")
    assert [text.line(n) for n in (0, 1, 2, 3, 4)] == [None, "a", "b", "c", None]


def test_a_hundred_thousand_places_take_little_time() -> None:
    """The lines of a large catalog are counted once, not for every finding (C04)."""
    count = 20_000
    text = json.dumps({"tools": [{"name": f"t{n}", "description": "x" * 200} for n in range(count)]}, indent=1)
    places = CatalogText(text)
    before = time.monotonic()
    lines = [places.span(("tools", n, "name")).line for n in range(count)]
    assert lines[0] == 4
    assert {later - earlier for earlier, later in pairwise(lines)} == {4}
    assert time.monotonic() - before < 15
