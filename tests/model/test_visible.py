"""Every text that a model sees of a tool is met, with its place."""

from __future__ import annotations

from typing import Any

from mcpexpose.model.visible import visible_texts


def test_names_titles_and_both_schemas_are_met() -> None:
    """No text of a definition escapes the checks (law 6)."""
    tool = {
        "name": "read",
        "title": "Read it",
        "description": "Reads",
        "annotations": {"title": "Reader", "readOnlyHint": True},
        "inputSchema": {"properties": {"zone": {"description": "where", "enum": ["x", "y"], "x-own": {"k": "v"}}}},
        "outputSchema": {"title": "Out"},
        "_meta": {"vendor": "not shown to a model"},
    }
    met = {(text.place, text.key): text for text in visible_texts(tool)}
    inside = ("inputSchema", "properties", "zone")
    assert met[("name",), False].name
    assert not met[("description",), False].name
    assert met[("annotations", "title"), False].text == "Reader"
    assert met[inside, True].text == "zone"
    assert met[(*inside, "description"), False].text == "where"
    assert met[(*inside, "enum", 1), False].name
    assert met[(*inside, "x-own", "k"), False].text == "v"
    assert met[("outputSchema", "title"), False].text == "Out"
    assert not any("vendor" in str(place) for place, _ in met)


def test_a_bottomless_schema_ends() -> None:
    """Never recursed without bound (law 6)."""
    schema: dict[str, Any] = {}
    inner = schema
    for _ in range(5_000):
        inner["properties"] = {"p": {}}
        inner = inner["properties"]["p"]
    assert sum(1 for _ in visible_texts({"name": "deep", "inputSchema": schema})) < 500
