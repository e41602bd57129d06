"""Tool tables: exact before pattern, heavier before lighter, key by key."""

from __future__ import annotations

from mcpexpose.model.policy import Exposure, SideEffect
from tests.compiler.build import compiled, decision, found, names, subjects

HEAD = "[mcp_servers.s]\ndescription='d'\n"


def test_exact_beats_pattern_and_weight_decides_key_by_key() -> None:
    """Whatever the order of the tables (X03)."""
    tables = [
        "[mcp_servers.s.tools.'*']\nexposure='hidden'\nside_effect='destructive'\ngroups=['all']\n",
        "[mcp_servers.s.tools.'get_*']\nexposure='deferred'\nside_effect='read_only'\n",
        "[mcp_servers.s.tools.get_a]\nexposure='direct'\n",
    ]
    first = compiled(HEAD + "".join(tables), {"s": ["get_a", "get_b", "put"]})
    last = compiled(HEAD + "".join(reversed(tables)), {"s": ["put", "get_b", "get_a"]})
    for made in (first, last):
        got = decision(made, "s/get_a")
        assert (got.exposure, got.side_effect, got.groups) == (Exposure.DIRECT, SideEffect.READ_ONLY, ("all",))
        assert decision(made, "s/get_b").exposure is Exposure.DEFERRED
        assert decision(made, "s/put").exposure is Exposure.HIDDEN
    assert first.plan == last.plan
    assert first.definitions == last.definitions


def test_equal_weight_that_disagrees_is_an_error_naming_both_and_the_tool() -> None:
    """`policy-conflict`, at both places; the preview takes the stricter (X03)."""
    made = compiled(
        HEAD + "[mcp_servers.s.tools.'get_*']\nexposure='direct'\n[mcp_servers.s.tools.'*_abc']\nexposure='hidden'\n",
        {"s": ["get_abc", "get_x", "my_abc"]},
    )
    (conflict,) = found(made, "policy-conflict")
    assert conflict.subjects == ("s/get_abc",)
    assert "get_*" in conflict.message
    assert "*_abc" in conflict.message
    assert conflict.place is not None
    places = {conflict.place.path[3], *(each.path[3] for each in conflict.related)}
    assert places == {"get_*", "*_abc"}
    assert decision(made, "s/get_abc").exposure is Exposure.HIDDEN
    assert not made.writable


def test_no_conflict_where_they_agree_or_a_better_one_settles_it() -> None:
    """Only what stands in force can disagree (X03)."""
    agree = "[mcp_servers.s.tools.'get_*']\nexposure='direct'\n[mcp_servers.s.tools.'*_abc']\nexposure='direct'\n"
    assert compiled(HEAD + agree, {"s": ["get_abc"]}).writable
    other = "[mcp_servers.s.tools.'get_*']\nexposure='direct'\n[mcp_servers.s.tools.'*_abc']\nside_effect='write'\n"
    assert compiled(HEAD + other, {"s": ["get_abc"]}).writable
    settled = agree.replace("'direct'", "'hidden'", 1) + "[mcp_servers.s.tools.get_abc]\nexposure='deferred'\n"
    assert compiled(HEAD + settled, {"s": ["get_abc"]}).writable


def test_a_table_for_no_tool() -> None:
    """A name is `unknown-tool` with the nearest, a pattern `pattern-matches-nothing` (X03)."""
    made = compiled(
        HEAD + "[mcp_servers.s.tools.serch_all]\nexposure='hidden'\n[mcp_servers.s.tools.'x_*']\nexposure='hidden'\n",
        {"s": ["search_all"]},
    )
    (unknown,) = found(made, "unknown-tool")
    assert unknown.subjects[0] == "s/serch_all"
    assert unknown.details["suggests"] == ["search_all"]
    assert len(found(made, "pattern-matches-nothing")) == 1
    assert not made.writable


def test_a_table_is_not_judged_without_a_catalog() -> None:
    """A catalog that is missing is one fault, not ten (C02)."""
    assert compiled(HEAD + "[mcp_servers.s.tools.x]\nexposure='hidden'\n", {}).findings == ()


def test_groups_replace_the_servers() -> None:
    """Also with an empty list (G05)."""
    made = compiled(
        "[mcp_servers.s]\ngroups=['b','a']\n[mcp_servers.s.tools.x]\ngroups=['c']\n[mcp_servers.s.tools.y]\ngroups=[]\n",
        {"s": ["x", "y", "z"]},
    )
    assert [each.groups for each in made.plan.tools] == [("c",), (), ("a", "b")]


def test_the_operators_text_replaces_the_servers() -> None:
    """The plan keeps the digest of what it replaced, and keywords go to the index alone (C01)."""
    made = compiled(
        HEAD + "[mcp_servers.s.tools.x]\ndescription='ours'\nkeywords=['pr']\nidempotent=false\n",
        {"s": [{"name": "x", "description": "theirs", "inputSchema": {"type": "object"}}]},
    )
    (tool,) = made.plan.tools
    assert (tool.description, tool.keywords, tool.idempotent) == ("ours", ("pr",), False)
    assert tool.replaced_description_digest
    assert b"theirs" not in made.definitions[0]
    assert names(made) == ["s/x"]


def test_a_broken_pattern_in_a_tables_name() -> None:
    """It is told at its place (C01)."""
    assert subjects(compiled(HEAD + "[mcp_servers.s.tools.'x[']\nexposure='hidden'\n", {"s": ["x"]}), "config-invalid")
