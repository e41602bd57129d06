"""Dataclasses to JSON and back."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.model.jsonform import from_json, to_json
from mcpexpose.model.manifest import Manifest
from mcpexpose.model.plan import Because, Plan, PlannedTool, SearchSettings
from tests.builders import compiled, profile, tool


def test_a_plan_comes_back_as_it_was() -> None:
    """What a host loads is what the compiler made, type by type (C02)."""
    plan = compiled(tool("a", "x", groups=["g"]), tool("b", "y"), profiles=[profile("p", ["a/x"])], max_age_s=1.5).plan
    again = from_json(Plan, to_json(plan))
    assert again == plan
    assert type(again.tools[0].exposure) is type(plan.tools[0].exposure)
    assert isinstance(again.tools[0].because[0], Because)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tokens", True),
        ("tokens", "7"),
        ("tokens", 7.0),
        ("alias", None),
        ("alias", 3),
        ("groups", "x"),
        ("groups", {}),
        ("groups", [1]),
        ("exposure", "Direct"),
        ("exposure", ["direct"]),
        ("because", [{"axis": "nope"}]),
        ("because", ["x"]),
        ("nonsense", 1),
    ],
)
def test_another_shape_is_refused(field: str, value: Any) -> None:
    """No value is coerced and no field ignored (C02)."""
    planned, _ = tool("a", "x")
    with pytest.raises(ValueError):
        from_json(PlannedTool, to_json(planned) | {field: value})


def test_missing_fields_and_other_values_are_refused() -> None:
    """A record needs all of its fields, and to be a record (C02)."""
    for value in ({}, [], None, "x", {"format_version": 1}):
        with pytest.raises(ValueError):
            from_json(Manifest, value)


def test_whole_numbers_stand_for_numbers() -> None:
    """JSON has no other form for 1.0 (C02)."""
    assert from_json(SearchSettings, {"limit": 8, "synonyms": {"pr": ["pull request"]}, "min_match": 1}) == (
        SearchSettings(8, {"pr": ("pull request",)}, 1)
    )
