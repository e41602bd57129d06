"""`require_in_plan`."""

from __future__ import annotations

import pytest

from tests.compiler.build import compiled, found, pack, subjects

TABLE = "[mcp_servers.s.tools.x]\nrequire_in_plan=true\n"


@pytest.mark.parametrize(
    "config", [TABLE, "[mcp_servers.s]\ndeny=['x']\n" + TABLE, "[mcp_servers.s]\nexposure='hidden'\n" + TABLE]
)
def test_gone_denied_or_hidden_stops_the_plan(config: str) -> None:
    """The plan fails if the tool is gone (C02)."""
    tools = ["y"] if config is TABLE else ["x", "y"]
    made = compiled(config, {"s": tools})
    assert subjects(made, "required-tool-missing") == ["s/x"]
    assert not made.writable


def test_left_out_or_without_a_catalog_stops_it_too() -> None:
    """The one way in which a server can break a plan (C02)."""
    assert subjects(compiled(TABLE, {"s": ["x", "x"]}), "required-tool-missing") == ["s/x"]
    made = compiled(TABLE, {})
    assert subjects(made, "required-tool-missing") == ["s/x"]
    assert not made.writable


def test_a_pack_that_hides_it_and_a_pattern() -> None:
    """Whoever takes it away (C02)."""
    hides = pack("[[constraints]]\nmatch='*/x*'\nmax_exposure='hidden'\n")
    made = compiled(TABLE.replace("tools.x", "tools.'x*'"), {"s": ["x1", "x2", "y"]}, hides)
    assert subjects(made, "required-tool-missing") == ["s/x1", "s/x2"]


def test_there_and_told_nothing() -> None:
    """No finding where it is in the plan, and one with the nearest name where it is gone (C02)."""
    assert compiled(TABLE, {"s": ["x"]}).findings == ()
    made = compiled("[mcp_servers.s.tools.get_issue]\nrequire_in_plan=true\n", {"s": ["get_issues"]})
    assert [each.slug for each in made.findings] == ["required-tool-missing"]
    assert found(made, "required-tool-missing")[0].details["suggests"] == ["get_issues"]
