"""Aliases."""

from __future__ import annotations

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from mcpexpose.compiler.naming import aliases
from mcpexpose.model.names import ToolId
from tests.compiler.build import compiled, decision

PORTABLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
WORD = st.text(alphabet="aAbB_-.1 λ/", min_size=1, max_size=40)
LONG = st.text(alphabet="ab_.", min_size=28, max_size=80)


def hex8(server: str, name: str) -> str:
    return hashlib.sha256(f'["{server}","{name}"]'.encode()).hexdigest()[:8]


@given(st.sets(st.tuples(WORD | LONG, WORD | LONG), max_size=30))
def test_portable_and_distinct_in_any_order(pairs: set[tuple[str, str]]) -> None:
    """Every alias fits everywhere, no two are equal without regard to case, no order matters (G04)."""
    tools = [ToolId(*pair) for pair in pairs]
    named = aliases(tools)
    assert len({alias.lower() for alias in named.values()}) == len(tools)
    assert all(PORTABLE.fullmatch(alias) for alias in named.values())
    assert aliases(reversed(tools)) == named


def test_plain_names_are_kept() -> None:
    """`<server>__<tool>`, unfit characters as `_`, `t_` before what is no letter (G04)."""
    named = aliases([ToolId("gh", "get-it"), ToolId("my.server", "a b"), ToolId("1st", "x"), ToolId("λ", "x")])
    assert list(named.values()) == ["gh__get-it", "my_server__a_b", "t_1st__x", "t____x"]


def test_every_member_of_a_collision_is_told_apart() -> None:
    """By the digest of its identity; the others keep their names (G04)."""
    named = aliases([ToolId("a", "x.y"), ToolId("a", "x_y"), ToolId("A", "X_Y"), ToolId("b", "x")])
    assert named[ToolId("b", "x")] == "b__x"
    assert named[ToolId("a", "x.y")] == f"a__x_y_{hex8('a', 'x.y')}"
    assert named[ToolId("a", "x_y")] == f"a__x_y_{hex8('a', 'x_y')}"
    assert named[ToolId("A", "X_Y")] == f"A__X_Y_{hex8('A', 'X_Y')}"


def test_a_long_one_is_cut_to_64_with_its_suffix() -> None:
    """Names that differ in the middle stay apart (G04)."""
    name = "x" * 80
    assert aliases([ToolId("s", name)])[ToolId("s", name)] == "s__" + "x" * 52 + "_" + hex8("s", name)
    fits = "y" * 61
    assert aliases([ToolId("s", fits)])[ToolId("s", fits)] == "s__" + fits


def test_one_that_looks_like_anothers_suffixed_name() -> None:
    """Rounds go on until no two are equal (G04)."""
    fake = f"x_y_{hex8('a', 'x.y')}"
    named = aliases([ToolId("a", "x.y"), ToolId("a", "x_y"), ToolId("a", fake)])
    assert len({alias.lower() for alias in named.values()}) == 3
    assert all(PORTABLE.fullmatch(alias) for alias in named.values())


def test_a_servers_find_tools_never_has_the_hosts_name() -> None:
    """No other tool answers to `find_tools` (F10)."""
    named = aliases([ToolId("find", "tools"), ToolId("helper", "find_tools"), ToolId("FIND", "TOOLS")])
    assert "find_tools" not in {alias.lower() for alias in named.values()}


def test_hiding_or_denying_one_renames_none() -> None:
    """Aliases are over all captured tools (G04)."""
    tools = {"a": ["x.y", "x_y"]}
    all_open = compiled("[mcp_servers.a]", tools)
    one_denied = compiled("[mcp_servers.a]\ndeny=['x.y']", tools)
    assert decision(all_open, "a/x_y").alias == decision(one_denied, "a/x_y").alias
