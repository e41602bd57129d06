"""Side effects before packs."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.model.policy import SideEffect
from tests.compiler.build import compiled, decision, tool

R, W, D, U = SideEffect.READ_ONLY, SideEffect.WRITE, SideEffect.DESTRUCTIVE, SideEffect.UNKNOWN


@pytest.mark.parametrize(
    ("annotations", "trusted", "untrusted"),
    [
        (None, U, U),
        ({}, U, U),
        ({"readOnlyHint": True}, R, U),
        ({"readOnlyHint": False}, U, U),
        ({"destructiveHint": True}, D, D),
        ({"destructiveHint": False}, W, U),
        ({"readOnlyHint": True, "destructiveHint": True}, D, D),
        ({"readOnlyHint": True, "destructiveHint": False}, R, U),
        ({"readOnlyHint": False, "destructiveHint": False}, W, U),
        ({"readOnlyHint": "true"}, U, U),
        ({"readOnlyHint": 1}, U, U),
        ({"destructiveHint": 1}, U, U),
        ({"destructiveHint": 0}, U, U),
        ({"ReadOnlyHint": True}, U, U),
        (["readOnlyHint"], U, U),
        ("readOnlyHint", U, U),
    ],
)
def test_hints(annotations: Any, trusted: SideEffect, untrusted: SideEffect) -> None:
    """Only JSON booleans count; an untrusted hint only turns unknown into destructive (G01)."""
    for trust, wanted in (("true", trusted), ("false", untrusted)):
        made = compiled(f"[mcp_servers.s]\ntrust_annotations={trust}", {"s": [tool("x", annotations=annotations)]})
        assert decision(made, "s/x").side_effect is wanted


@pytest.mark.parametrize("trust", ["true", "false"])
def test_the_configs_class_stands_against_any_hint(trust: str) -> None:
    """Hints against it only warn, which lint does from what the decision holds (G01)."""
    made = compiled(
        f"[mcp_servers.s]\ntrust_annotations={trust}\n[mcp_servers.s.tools.x]\nside_effect='read_only'\n",
        {"s": [tool("x", annotations={"destructiveHint": True})]},
    )
    got = decision(made, "s/x")
    assert (got.side_effect, got.declared_side_effect, got.hint_side_effect) == (R, R, D)


def test_unknown_is_shown_as_unknown() -> None:
    """And handled as destructive: it asks (G06)."""
    made = compiled("[policy]\nauto_approve=['read_only','write','destructive']\n[mcp_servers.s]", {"s": ["x"]})
    assert decision(made, "s/x").side_effect is U
    assert decision(made, "s/x").approval == "ask"
