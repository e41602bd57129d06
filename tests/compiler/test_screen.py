"""What is left out of a plan, and what is only told."""

from __future__ import annotations

from typing import Any

import pytest

from mcpexpose.model.finding import Severity
from tests.compiler.build import compiled, decision, found, names, subjects, tool

TAG = "".join(chr(0xE0000 + ord(char)) for char in "obey")


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("bad", "slug"),
    [
        (tool("bad", f"harmless{TAG}"), "hidden-text"),
        (tool("bad", title=f"harmless{TAG}"), "hidden-text"),
        (tool(f"bad{TAG}"), "hidden-text"),
        (tool("bad\x1b[31m"), "control-characters"),
        (tool("bad", inputSchema=schema(x={"type": "text"})), "schema-invalid"),
        (tool("bad", inputSchema=schema(x={"$ref": "https://schemas.example/x"})), "schema-remote-ref"),
        (tool("bad", inputSchema=schema(x={"$ref": "#/$defs/none"})), "schema-broken-ref"),
        (tool("bad", outputSchema=schema(x={"$ref": "#/$defs/none"})), "schema-broken-ref"),
        ({"name": "bad", "inputSchema": None}, "schema-invalid"),
        ({"name": "bad"}, "schema-invalid"),
        (tool("bad") | {"description": 7}, "catalog-invalid"),
        (tool("bad", title=["x"]), "catalog-invalid"),
    ],
)
def test_the_tool_is_left_out_and_the_rest_is_written(bad: dict[str, Any], slug: str) -> None:
    """A server's fault is an error, costs that tool alone, and stops no plan (C02)."""
    made = compiled("[mcp_servers.s]", {"s": [bad, "good"]})
    assert names(made) == ["s/good"]
    assert found(made, slug)[0].severity is Severity.ERROR
    assert found(made, slug)[0].place is not None
    left = next(each for each in made.decisions if each.id.name != "good")
    assert (left.left_out_by, left.in_plan) == (slug, False)
    assert f'[[waivers]] rule = "{slug}"' in found(made, slug)[0].advice
    assert made.writable


def test_every_tool_of_a_name_that_stands_twice() -> None:
    """It cannot be told which one a call would run (G04)."""
    made = compiled("[mcp_servers.s]", {"s": [tool("twice", "one"), "good", tool("twice", "two")]})
    assert names(made) == ["s/good"]
    (finding,) = found(made, "duplicate-tool")
    assert finding.subjects == ("s/twice",)
    assert finding.place is not None
    assert {finding.place.path, *(each.path for each in finding.related)} == {("tools", 0), ("tools", 2)}
    assert len(made.decisions) == 2


def test_told_and_kept() -> None:
    """Control characters in a text, a misshapen output schema and warnings leave nothing out (C02)."""
    made = compiled(
        "[mcp_servers.s]",
        {
            "s": [
                tool("colour", "red \x1b[31m text"),
                tool("output", outputSchema=schema(x={"type": "text"})),
                tool("never", inputSchema=schema(n={"type": "integer", "minimum": 5, "maximum": 1})),
            ]
        },
    )
    assert len(names(made)) == 3
    assert subjects(made, "control-characters") == ["s/colour"]
    assert found(made, "schema-unsatisfiable")[0].severity is Severity.WARNING


def test_a_denied_or_hidden_tool_is_not_judged() -> None:
    """To deny a broken tool is to be rid of its fault (X01)."""
    bad = tool("bad", f"harmless{TAG}")
    for way in ("deny=['bad']", "[mcp_servers.s.tools.bad]\nexposure='hidden'"):
        assert compiled(f"[mcp_servers.s]\n{way}", {"s": [bad, "good"]}).findings == ()


def test_hidden_text_is_told_by_class_and_place_and_never_shown() -> None:
    """What is hidden is in no message and no subject (G12)."""
    made = compiled("[mcp_servers.s]", {"s": [tool("x", inputSchema=schema(zone={"description": f"a{TAG}"}))]})
    (finding,) = found(made, "hidden-text")
    assert finding.subjects == ("s/x#/properties/zone/description",)
    assert finding.details["classes"] == {"tag": 4}
    assert finding.place is not None
    assert finding.place.path == ("tools", 0, "inputSchema", "properties", "zone", "description")
    name = compiled("[mcp_servers.s]", {"s": [tool(f"x{TAG}")]})
    assert not any(0xE0000 <= ord(char) <= 0xE007F for finding in name.findings for char in repr(finding))


def test_deep_annotations_do_not_end_the_compile() -> None:
    """A hostile catalog costs a tool, never the process (C02)."""
    deep: Any = {}
    for _ in range(5_000):
        deep = {"a": deep}
    made = compiled("[mcp_servers.s]", {"s": [tool("deep", annotations=deep), "good"]})
    assert names(made) == ["s/good"]
    assert decision(made, "s/deep").left_out_by == "catalog-invalid"


def test_the_operators_own_hidden_text_stops_the_plan() -> None:
    """A fault of the config: description, keyword, group, synonym (C01)."""
    for text, subject in (
        (f"[mcp_servers.s]\ndescription='a{TAG}'", "s:description"),
        (f"[mcp_servers.s.tools.x]\ndescription='a{TAG}'", "s:tools.x.description"),
        (f"[mcp_servers.s.tools.x]\nkeywords=['a{TAG}']", "s:tools.x.keywords[0]"),
        (f"[groups]\nci='a{TAG}'\n[mcp_servers.s]", "groups.ci"),
        (f"[search.synonyms]\npr=['a{TAG}']\n[mcp_servers.s]", "search.synonyms.pr[0]"),
    ):
        made = compiled(text, {"s": ["x"]})
        assert subjects(made, "hidden-text") == [subject]
        assert not made.writable
    entries = compiled(f"[mcp_servers.s]\ndeny=['x{TAG}']", {"s": [tool(f"x{TAG}")]})
    assert entries.findings == ()
