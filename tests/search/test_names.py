"""Names within a query: parted by any sign, with what hosts set before them, as they are spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.search.analysis import name_key

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "search graph trace path get code snippet query"
TOOLS = {
    "cbm": {"search_graph": "", "trace_path": "", "query_graph": "", "everything": {"title": WORDS}},
    "gh": {"search_code": "", "search_graphs": ""},
    "gl": {"search_code": ""},
}


@pytest.mark.parametrize(
    "text",
    [
        "search_graph→trace_path",
        "search_graph+trace_path",
        "search_graph&trace_path",
        "search_graph=trace_path",
        "search_graph、trace_path。",
        "search_graph，trace_path",
        "使用search_graph和trace_path",
        "search_graphとtrace_pathを使う",
        "「search_graph」「trace_path」",
        "search_graph/trace_path",
        "search_graph:trace_path",
        "cbm/search_graph,cbm__trace_path",
        "search_graph(x)|trace_path(y)",
        "ｓｅａｒｃｈ＿ｇｒａｐｈ　trace_path",
    ],
)
def test_names_parted_by_any_sign_come_first(over: Callable[..., Any], text: str) -> None:
    """Each name of a query counts, whatever stands between them (F01)."""
    one = over(TOOLS)
    assert set(one.find(text, 2)) == {"cbm/search_graph", "cbm/trace_path"}
    assert {one.hit(text, tool).exact for tool in one.find(text, 2)} == {True}


@pytest.mark.parametrize("text", ["mcp__cbm__query_graph", "mcp_cbm_query_graph", "functions.query_graph"])
def test_what_hosts_set_before_a_name_does_not_hide_it(over: Callable[..., Any], text: str) -> None:
    """The names under which hosts declare a server's tools (F01)."""
    one = over(TOOLS)
    assert one.first(text) == "cbm/query_graph"
    assert one.hit(text, "cbm/query_graph").exact


def test_a_whole_name_comes_before_its_parts(over: Callable[..., Any]) -> None:
    """Who names the server means its tool alone (F01)."""
    one = over(TOOLS)
    for text in ("gl/search_code", "gl:search_code", "gl__search_code", "mcp__gl__search_code"):
        assert one.first(text) == "gl/search_code"
        assert not one.hit(text, "gh/search_code").exact
    assert one.hit("search_code", "gh/search_code").exact
    assert one.hit("search_code", "gl/search_code").exact


@pytest.mark.parametrize("name", ["read_file", "readFile", "Read-File", "read.file"])
@pytest.mark.parametrize("text", ["{}", "use {} now", "{},x_y", "f/{}"])
def test_of_two_spellings_the_one_that_is_written_comes_first(over: Callable[..., Any], name: str, text: str) -> None:
    """All of them are named; the order among them is that of the letters first (F01)."""
    same = "Read a file"
    one = over({"f": {"read_file": same, "readFile": same, "Read-File": same, "read.file": same}})
    found = one.ask(text.format(name))
    assert one.names()[found.hits[0].row] == f"f/{name}"
    assert [hit.exact for hit in found.hits] == [True] * 4


def test_signs_that_are_letters_of_a_name_are_kept(over: Callable[..., Any]) -> None:
    """C++ is no C, so "c++ compile" does not name c_compile (F01)."""
    one = over({"g": {"c_compile": "Compile C", "compile_cpp": "Compile a C++ file"}})
    assert one.first("c++ compile") == "g/compile_cpp"
    assert name_key("C++ compile") == "cppcompile"
    assert name_key("C# run") == "csharprun"


@pytest.mark.parametrize(
    ("text", "tool"),
    [("web hook", "webhook_add"), ("git hub login", "github_login"), ("wi fi", "wifi_scan"), ("data base", "database")],
)
def test_words_torn_apart_are_joined(over: Callable[..., Any], text: str, tool: str) -> None:
    """Short words too, and a known one with an unknown one; two known ones are left alone (F01)."""
    one = over({"a": {"webhook_add": "", "github_login": "", "wifi_scan": "", "database": "", "data_view": ""}})
    assert one.first(text) == f"a/{tool}"
    assert one.find("data view") == ["a/data_view"]
