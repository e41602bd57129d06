"""Positions of nodes in a catalog's text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.catalog.position import locate, span

TEXT = """{
 "server": "s",
 "tools": [
  {"name": "a", "inputSchema": {"type": "object"}},
  {
   "name": "é😀", "inputSchema": {
     "properties": {"x": {"$ref": "#/a"}, "a/b": 5}}
  }
 ]
}
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 1, 1),
        (("server",), 2, 12),
        (("tools",), 3, 11),
        (("tools", 0), 4, 3),
        (("tools", 0, "inputSchema", "type"), 4, 41),
        (("tools", 1, "name"), 6, 12),
        (("tools", 1, "inputSchema", "properties", "x", "$ref"), 7, 35),
        (("tools", 1, "inputSchema", "properties", "a/b"), 7, 50),
    ],
)
def test_a_value_is_found_where_it_stands(path: tuple[str | int, ...], line: int, column: int) -> None:
    assert locate(TEXT, path) == (line, column)


def test_a_key_is_found_where_it_stands() -> None:
    found = span(TEXT, ("tools", 1, "inputSchema"), "key")
    assert (found.line, found.column, found.end_line, found.end_column) == (6, 18, 6, 31)


def test_the_span_of_a_value_ends_with_it() -> None:
    assert span(TEXT, ("server",)) == (2, 12, 2, 15)
    assert span(TEXT, ("tools", 0)) == (4, 3, 4, 51)


def test_of_a_value_that_spans_lines_the_first_line_is_given() -> None:
    assert span(TEXT, ("tools", 1)) == (5, 3, 5, 4)


@pytest.mark.parametrize("path", [("tools", 0, "nothing", "deeper"), ("tools", 0, "name", "deeper")])
def test_a_path_that_leads_nowhere_gives_the_nearest_ancestor(path: tuple[str | int, ...]) -> None:
    assert locate(TEXT, path)[0] == 4


def test_tools_of_a_stored_json_rpc_answer_are_found() -> None:
    text = '{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a"}]}}'
    assert locate(text, ("tools", 0, "name")) == (1, text.index('"a"') + 1)


def test_a_broken_text_has_places_too() -> None:
    """What is shown of a broken file must not break anything."""
    assert locate('{"tools": [{"name": ', ("tools", 0, "name")) == (1, 12)
    assert locate("", ("tools",)) == (1, 1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.dictionaries(st.text(min_size=1), st.integers() | st.text(), min_size=1), min_size=1))
def test_the_span_of_every_value_holds_that_value(tools: list[dict[str, object]]) -> None:
    """For whatever keys and texts."""
    text = json.dumps({"tools": tools}, ensure_ascii=False)
    lines = text.split("\n")
    for index, tool in enumerate(tools):
        for key, value in tool.items():
            found = span(text, ("tools", index, key))
            cut = lines[found.line - 1][found.column - 1 : found.end_column - 1]
            assert json.loads(cut) == value
