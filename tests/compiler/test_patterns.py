"""Patterns: what they meet, what they weigh, what cannot be one."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpexpose.compiler.patterns import compiled, of_tools, problem
from mcpexpose.model.names import ToolId

PATTERNS = st.text(alphabet="ab*?[]!-^\\.{|&~", max_size=12)
NAMES = st.text(alphabet="abc-]^!\\.{|&~\n", max_size=12)


@given(PATTERNS, NAMES)
def test_meets_what_the_reference_meets(pattern: str, name: str) -> None:
    """`*`, `?`, `[...]` mean what they mean in `fnmatch`, over the whole name (X03)."""
    if problem(pattern) is None:
        assert compiled(pattern).matches(name) == fnmatch.fnmatchcase(name, pattern)


@given(st.text(alphabet="abAB_*", min_size=1, max_size=10), st.text(alphabet="abAB_", max_size=10))
def test_simple_shapes_meet_what_the_reference_meets(pattern: str, name: str) -> None:
    """The short ways for prefix, suffix and middle are no other language (X03)."""
    assert compiled(pattern).matches(name) == fnmatch.fnmatchcase(name, pattern)


@pytest.mark.parametrize(
    ("pattern", "name", "meets"),
    [
        ("get*", "forget", False),
        ("get*", "getIssue", True),
        ("get*", "GetIssue", False),
        ("*", "", True),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("[!a]b", "bb", True),
        ("[!a]b", "ab", False),
        ("a[[]b", "a[b", True),
        ("{a,b}", "a", False),
        ("{a,b}", "{a,b}", True),
        ("a.c", "abc", False),
        ("name", "name\n", False),
    ],
)
def test_is_anchored_and_case_sensitive(pattern: str, name: str, meets: bool) -> None:
    """No regular expressions, no braces, no folding (X03)."""
    assert compiled(pattern).matches(name) is meets


@pytest.mark.parametrize("pattern", ["", "[", "a[", "[]", "[!]", "[a", "[z-a]", "get_[0-9"])
def test_says_what_is_no_pattern(pattern: str) -> None:
    """An empty pattern, an open bracket, a backward range are errors and never ignored (C01)."""
    assert problem(pattern)
    with pytest.raises(ValueError):
        compiled(pattern)


@pytest.mark.parametrize(("pattern", "weight"), [("*", 0), ("get_*", 4), ("*_x_*", 3), ("a?b", 2), ("[ab]c", 1)])
def test_weighs_literal_characters(pattern: str, weight: int) -> None:
    """The pattern with more literal characters wins (X03)."""
    assert compiled(pattern).weight == weight
    assert not compiled(pattern).exact


def test_no_pattern_runs_away() -> None:
    """Stars upon stars stay cheap on a name that nearly fits (C01)."""
    assert not compiled("*a" * 40 + "b").matches("a" * 5_000)  # for ever, if stars could be tried anew
    assert not compiled("*?a" * 20 + "[b]").matches("b" + "a" * 2_000)


def test_a_pattern_of_tools_meets_by_server_and_name() -> None:
    """X03: either half a name or a pattern; a name that holds what is a wildcard elsewhere is met by itself."""
    some = of_tools("g*/get_[ab]")
    assert some is not None
    assert not some.exact
    met = ["gh/get_a", "gh/get_b", "gh/get_[ab]", "gh/get_c", "x/get_a", "gh/get_a/b"]
    assert [name for name in met if some.meets(ToolId.parse(name))] == ["gh/get_a", "gh/get_b", "gh/get_[ab]"]
    one = of_tools("gh/a/b")  # a tool's name may hold a slash, a server's id none
    assert one is not None
    assert one.exact
    assert one.meets(ToolId("gh", "a/b"))
    assert [of_tools(text) for text in ("gh", "/a", "gh/", "gh/[a")] == [None] * 4
