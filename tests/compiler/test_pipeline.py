"""The plan as a whole: determinism, what is in it and what never is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.model.canonical import canonical, digest_bytes
from mcpexpose.model.jsonform import from_json, to_json
from mcpexpose.model.plan import Plan
from tests.compiler.build import catalog, compiled, pack, tool
from tests.work import growth

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = [
    "[mcp_servers.b]\ndescription='B'\nexposure='auto'\n",
    "[mcp_servers.a]\ndescription='A'\ndeny=['z*']\n",
    "[mcp_servers.a.tools.'get_*']\nside_effect='read_only'\n",
    "[mcp_servers.a.tools.get_x]\nexposure='direct'\nkeywords=['q','p']\n",
    "[profiles.q]\ndefault_tools=['a/get_y','b/*']\n",
    "[profiles.p]\ngroups=['g']\n",
    "[groups]\ng='G'\nh='H'\n",
    "[search.synonyms]\nb=['c']\na=['d']\n",
]
TOOLS: dict[str, list[Any]] = {
    "a": [tool("get_x", "X"), tool("get_y", "Y"), "z1", "w.w", "w_w"],
    "b": ["one", tool("two", title="Two")],
}


@settings(max_examples=40, deadline=None)
@given(st.permutations(TABLES), st.permutations(TOOLS["a"]), st.permutations(sorted(TOOLS)))
def test_no_order_shows_in_the_plan(tables: list[str], tools: list[Any], servers: list[str]) -> None:
    """Of tables, tools, catalogs: the same plan, byte for byte (C02)."""
    one = compiled("".join(TABLES), TOOLS)
    given_tools = {server: tools if server == "a" else TOOLS[server] for server in servers}
    other = compiled("".join(tables), given_tools)
    assert canonical(to_json(one.plan)) == canonical(to_json(other.plan))
    assert one.definitions == other.definitions
    assert one.decisions == other.decisions


def test_no_order_of_keys_shows_in_the_plan() -> None:
    """Of a schema's keys: not in the definition, and not in the tokens that are counted on it (C02)."""
    schema = {"type": "object", "properties": {f"part{n}": {"title": "Part", "maximum": n} for n in range(40)}}
    one, other = (
        compiled("[mcp_servers.a]\n", {"a": [tool("t", inputSchema=each)]}) for each in (schema, turned(schema))
    )
    assert one.plan == other.plan
    assert one.definitions == other.definitions


def turned(value: Any) -> Any:
    """With the keys of every object the other way round."""
    return {key: turned(value[key]) for key in reversed(value)} if isinstance(value, dict) else value


def test_the_name_of_the_config_is_not_in_the_plan() -> None:
    """Nor any path or line: two copies of one config give one plan (C02)."""
    one = compiled("".join(TABLES), TOOLS, pack("[[constraints]]\nmatch='*/*'\napproval='ask'\n"), file="config.toml")
    other = compiled("".join(TABLES), TOOLS, pack("[[constraints]]\nmatch='*/*'\napproval='ask'\n"), file="/x/y.toml")
    assert one.plan == other.plan
    assert "/x/y.toml" not in repr(other.plan)
    assert other.decisions[0].because[0].file == "/x/y.toml"


def test_definitions_are_what_the_plan_says_of_them() -> None:
    """Offset, length and digest of each canonical line (C02)."""
    made = compiled("".join(TABLES), TOOLS)
    blob = b"".join(line + b"\n" for line in made.definitions)
    for planned, line in zip(made.plan.tools, made.definitions, strict=True):
        assert blob[planned.offset : planned.offset + planned.length] == line
        assert digest_bytes(line) == planned.definition_digest
        read = json.loads(line)
        assert canonical(read) == line
        assert (read["server"], read["name"], read["alias"]) == (planned.server, planned.name, planned.alias)


def test_a_definition_holds_what_the_model_may_need_and_no_more() -> None:
    """Big integers stay exact; unknown keys stay in the catalog (G03)."""
    sent = tool(
        "x",
        "X",
        title="T",
        inputSchema={"type": "object", "properties": {"n": {"type": "integer", "maximum": 9223372036854775807}}},
        outputSchema={"type": "object"},
        annotations={"readOnlyHint": True, "other": 1},
        _meta={"secret": "m"},
        icons=[{"src": "https://icons.example/a.png"}],
    )
    made = compiled("[mcp_servers.s]", {"s": [sent]})
    assert json.loads(made.definitions[0]) == {
        "server": "s",
        "name": "x",
        "alias": "s__x",
        "title": "T",
        "description": "X",
        "inputSchema": sent["inputSchema"],
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "other": 1},
    }
    assert b"9223372036854775807" in made.definitions[0]


def test_absent_and_null_texts_are_empty() -> None:
    """Never `None` (F04)."""
    made = compiled(
        "[mcp_servers.s]",
        {"s": [{"name": "a", "inputSchema": {}}, tool("b", "x") | {"description": None, "title": None}]},
    )
    assert [(each.title, each.description) for each in made.plan.tools] == [("", ""), ("", "")]
    assert b"null" not in b"".join(made.definitions)


def test_a_plan_survives_its_file() -> None:
    """`plan.json` read back is the same plan (C03)."""
    plan = compiled("".join(TABLES), TOOLS).plan
    assert from_json(Plan, json.loads(canonical(to_json(plan)))) == plan


def test_captured_at_changes_nothing_else() -> None:
    """The clock of a capture is in one field a server (C02)."""
    made = compiled("[mcp_servers.a]", {"a": ["x"]})
    (server,) = made.plan.servers
    assert server.captured_at == "2026-11-01T00:00:00Z"
    text = canonical(to_json(replace(made.plan, servers=(replace(server, captured_at=None),))))
    assert b"2026" not in text
    assert catalog("a", ["x"]).revision == server.revision


def test_servers_without_a_visible_tool_are_not_named() -> None:
    """Nor are their catalogs among the inputs (X01)."""
    made = compiled("[mcp_servers.a]\nallow=[]\n[mcp_servers.b]", {"a": ["x"], "b": ["y"]})
    assert [each.id for each in made.plan.servers] == ["b"]
    assert set(made.plan.inputs) == {"config", "catalog b"}


def large(servers: int) -> Callable[[], object]:
    """Compiles so many servers, each with patterns of its own, a tenth of them with a catalog."""
    text = "".join(
        f"[mcp_servers.s{n}]\nallow=['a*','b_{n}','*c?']\ndeny=['x{n}*']\n[mcp_servers.s{n}.tools.'a_{n}_*']\n"
        for n in range(servers)
    )
    made_from = {f"s{n}": [f"a_{n}_1", f"b_{n}", "acc"] for n in range(0, servers, 10)}
    return lambda: compiled(text, made_from)


def test_a_large_config_stays_cheap() -> None:
    """No server is held against all others: ten times as many are about ten times the work (C02)."""
    assert growth(large, 50) < 13
