"""Request 1 of a plan."""

from __future__ import annotations

import json

import pytest

from mcpexpose.model.errors import SelectionRefused
from mcpexpose.model.policy import Exposure
from mcpexpose.surface.view import view
from tests.builders import compiled, profile, tool


def test_search_tool_first_then_the_declared_by_alias() -> None:
    """A stable prefix: find_tools, then aliases in order (G13, X01)."""
    done = compiled(
        tool("z", "a", exposure=Exposure.DIRECT),
        tool("a", "z", exposure=Exposure.DIRECT),
        tool("m", "deferred"),
    )
    shown = view(done.plan, lambda row: json.loads(done.definitions[row]))
    assert [one["name"] for one in shown.declared] == ["find_tools", "a__z", "z__a"]
    assert shown.prompt_section == "# MCP servers\n- m: Example server m"
    assert shown.tokens == shown.tokens_tools + shown.tokens_search_tool + shown.tokens_prompt_section > 0


def test_without_deferred_tools_there_is_neither_search_nor_section() -> None:
    """A plan with direct tools only gives no line and no search tool (X06)."""
    done = compiled(tool("a", "z", exposure=Exposure.DIRECT))
    shown = view(done.plan, lambda row: json.loads(done.definitions[row]))
    assert [one["name"] for one in shown.declared] == ["a__z"]
    assert shown.prompt_section == ""
    assert shown.tokens_search_tool == 0


def test_a_profile_declares_its_default_tools_and_reaches_no_further() -> None:
    """default_tools beat deferred; direct tools outside it are not declared, nor their servers listed (X04)."""
    done = compiled(
        tool("a", "one"),
        tool("a", "two"),
        tool("b", "direct", exposure=Exposure.DIRECT),
        tool("c", "other"),
        profiles=[profile("ci", ["a/one", "a/two"], ["a/two"])],
    )
    shown = view(done.plan, lambda row: json.loads(done.definitions[row]), "ci")
    assert [one["name"] for one in shown.declared] == ["find_tools", "a__two"]
    assert shown.prompt_section == "# MCP servers\n- a: Example server a"
    with pytest.raises(SelectionRefused, match="no profile 'nope'; it has: ci"):
        view(done.plan, lambda row: {}, "nope")
