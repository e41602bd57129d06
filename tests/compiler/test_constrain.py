"""Policy packs: they only narrow."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.model.policy import Approval, Exposure, PolicyState, SideEffect, strictness
from tests.compiler.build import compiled, decision, found, names, pack, subjects, tool

CONFIG = """
[exposure]
default = 'auto'
auto_direct_share = {share}
[policy]
auto_approve = {auto}
[mcp_servers.s]
groups = ['g']
[mcp_servers.s.tools.r]
side_effect = 'read_only'
exposure = 'direct'
[mcp_servers.s.tools.w]
side_effect = 'write'
approval = 'auto'
[mcp_servers.s.tools.d]
side_effect = 'destructive'
exposure = 'hidden'
[mcp_servers.t]
deny = ['no']
"""
TOOLS = {"s": ["r", "w", "d", "u"], "t": ["r", "no", "u"]}
CLASSES = ["read_only", "write", "destructive", "unknown"]

CONSTRAINT = st.fixed_dictionaries(
    {"match": st.sampled_from(["*/*", "s/*", "*/r", "t/u", "s/[rw]", "*/nothing"])},
    optional={
        "groups": st.sampled_from([[], ["g"], ["h"]]),
        "min_side_effect": st.sampled_from(CLASSES),
        "approval": st.sampled_from(["ask", "auto"]),
        "max_exposure": st.sampled_from(["direct", "deferred", "hidden"]),
        "deny": st.booleans(),
    },
)
FILTERED = st.builds(
    lambda one, classes: {**one, **({} if classes is None else {"side_effects": classes})},
    CONSTRAINT,
    st.none() | st.lists(st.sampled_from(CLASSES), unique=True),
)
AUTO = st.sampled_from(["['read_only']", "[]", "['destructive']", "['write','s/u']", "['read_only','t/*']"])


def text(constraints: list[dict[str, Any]]) -> str:
    lines = []
    for each in constraints:
        lines.append("[[constraints]]")
        for key, value in each.items():
            lines.append(f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}")
    return "\n".join(lines)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(FILTERED, max_size=4), AUTO, st.sampled_from(["0.0", "0.0002", "1.0"]))
def test_packs_never_loosen(constraints: list[dict[str, Any]], auto: str, share: str) -> None:
    """No tool is less strict on any axis with packs than without (law 2)."""
    config = CONFIG.format(auto=auto, share=share)
    bare = compiled(config, TOOLS)
    packed = compiled(config, TOOLS, pack(text(constraints)))
    for before, after in zip(bare.decisions, packed.decisions, strict=True):
        for axis in ("exposure", "policy_state", "side_effect", "approval"):
            assert strictness(getattr(after, axis)) >= strictness(getattr(before, axis)), (before.id, axis)


@settings(max_examples=100, deadline=None)
@given(st.lists(CONSTRAINT, max_size=3), CONSTRAINT)
def test_one_more_limit_never_loosens(constraints: list[dict[str, Any]], more: dict[str, Any]) -> None:
    """Where constraints do not pick tools by class, every one more narrows or changes nothing (law 2)."""
    config = CONFIG.format(auto="['read_only','write']", share="0.0002")
    fewer = compiled(config, TOOLS, pack(text(constraints)))
    another = compiled(config, TOOLS, pack(text(constraints)), pack(text([more]), "q"))
    for before, after in zip(fewer.decisions, another.decisions, strict=True):
        for axis in ("exposure", "policy_state", "side_effect", "approval"):
            assert strictness(getattr(after, axis)) >= strictness(getattr(before, axis)), (before.id, axis)


@settings(max_examples=100, deadline=None)
@given(st.lists(FILTERED, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_their_order_never_matters(constraints: list[dict[str, Any]], random: Any) -> None:
    """Neither of packs nor of the constraints in one: the plan has the same bytes (law 2, C02)."""
    config = CONFIG.format(auto="['read_only']", share="1.0")
    shuffled = list(constraints)
    random.shuffle(shuffled)
    one = compiled(config, TOOLS, pack(text(constraints[:1]), "p"), pack(text(constraints[1:]), "q"))
    other = compiled(config, TOOLS, pack(text(constraints[1:][::-1]), "q"), pack(text(constraints[:1]), "p"))
    assert one.plan.tools == other.plan.tools
    mixed = compiled(config, TOOLS, pack(text(shuffled)))
    assert mixed.plan.tools == compiled(config, TOOLS, pack(text(constraints))).plan.tools


def test_raises_first_and_by_the_class_before_packs() -> None:
    """One raise does not lead to the next; all else sees the result (law 2)."""
    made = compiled(
        "[mcp_servers.s]\n[mcp_servers.s.tools.x]\nside_effect='read_only'\n",
        {"s": ["x"]},
        pack(
            "[[constraints]]\nmatch='*/*'\nside_effects=['read_only']\nmin_side_effect='write'\n"
            "[[constraints]]\nmatch='*/*'\nside_effects=['write']\nmin_side_effect='destructive'\n"
            "[[constraints]]\nmatch='*/*'\nside_effects=['write']\nmax_exposure='hidden'\n"
        ),
    )
    got = decision(made, "s/x")
    assert got.side_effect is SideEffect.WRITE
    assert got.side_effect_before_packs is SideEffect.READ_ONLY
    assert got.exposure is Exposure.HIDDEN


def test_unknown_matches_destructive_and_is_shown_as_it_where_raised() -> None:
    """Raised to destructive, it still counts as unknown for constraints on the unknown (law 2)."""
    rules = "[[constraints]]\nmatch='*/*'\nside_effects=['destructive']\ndeny=true\n"
    assert names(compiled("[mcp_servers.s]", {"s": ["u"]}, pack(rules))) == []
    raise_it = "[[constraints]]\nmatch='*/*'\nmin_side_effect='destructive'\n"
    made = compiled("[mcp_servers.s]", {"s": ["u"]}, pack(raise_it))
    assert decision(made, "s/u").side_effect is SideEffect.DESTRUCTIVE
    on_unknown = "[[constraints]]\nmatch='*/*'\nside_effects=['unknown']\napproval='ask'\n"
    made = compiled("[policy]\nauto_approve=['s/u']\n[mcp_servers.s]", {"s": ["u"]}, pack(raise_it + on_unknown))
    assert decision(made, "s/u").approval is Approval.ASK
    milder = "[[constraints]]\nmatch='*/*'\nmin_side_effect='write'\n"
    made = compiled("[mcp_servers.s]", {"s": ["u"]}, pack(milder))
    assert decision(made, "s/u").side_effect is SideEffect.UNKNOWN


def test_a_constraint_on_the_unknown_leaves_the_declared_alone() -> None:
    """`unknown asks` asks for what nobody classed, not for what somebody classed and approved by name."""
    made = compiled(
        "[policy]\nauto_approve=['s/x','s/u']\n[mcp_servers.s.tools.x]\nside_effect='destructive'\n",
        {"s": ["x", "u"]},
        pack("[[constraints]]\nmatch='*/*'\nside_effects=['unknown']\napproval='ask'\n"),
    )
    assert decision(made, "s/x").approval is Approval.AUTO
    assert decision(made, "s/u").approval is Approval.ASK


def test_deny_of_a_pack_and_its_reason() -> None:
    """Denied is not in the plan; the decision names pack, version, pattern and reason (C01)."""
    made = compiled(
        "[mcp_servers.s]\n",
        {"s": ["delete_x", "get_x"]},
        pack("[[constraints]]\nmatch='*/delete_*'\ndeny=true\nreason='no deletions'\n", "team"),
    )
    got = decision(made, "s/delete_x")
    assert (got.policy_state, got.exposure) == (PolicyState.DENIED, Exposure.HIDDEN)
    because = next(each for each in got.because if each.axis == "policy_state")
    assert (because.key, because.reason, because.layer) == ("team@1: */delete_*", "no deletions", "pack")
    assert (because.file, because.path) == ("team.toml", ("constraints", 0, "deny"))
    assert names(made) == ["s/get_x"]


def test_a_pattern_of_a_pack_may_meet_nothing_and_must_be_one() -> None:
    """Packs are written for many configs; a broken one is an error all the same (C05)."""
    assert compiled("[mcp_servers.s]", {"s": ["x"]}, pack("[[constraints]]\nmatch='a/b'\ndeny=true\n")).findings == ()
    for match in ("nothing", "a/", "/b", "a/[x", ""):
        text = f"[[constraints]]\nmatch='{match}'\ndeny=true\n" if match else ""
        if text:
            made = compiled("[mcp_servers.s]", {"s": ["x"]}, pack(text))
            assert subjects(made, "config-invalid") == ["p.toml"]
            assert not made.writable


def test_auto_does_not_turn_direct_because_a_pack_took_tools_away() -> None:
    """The share is of what the config lets be declared (law 2, X05)."""
    big = tool("big", "word " * 400)
    config = "[exposure]\ndefault='auto'\nauto_direct_share=0.001\n[mcp_servers.s]\n"
    hides = pack("[[constraints]]\nmatch='*/big'\ndeny=true\n")
    assert decision(compiled(config, {"s": [big, "x"]}, hides), "s/x").exposure is Exposure.DEFERRED
    denies = compiled(config + "deny=['big']", {"s": [big, "x"]})
    assert decision(denies, "s/x").exposure is Exposure.DIRECT


def test_groups_filter() -> None:
    """Absent is any, `[]` none (C05)."""
    for groups, denied in (("", True), ("groups=[]", False), ("groups=['a']", True), ("groups=['b']", False)):
        made = compiled(
            "[mcp_servers.s]\ngroups=['a']", {"s": ["x"]}, pack(f"[[constraints]]\nmatch='*/*'\ndeny=true\n{groups}")
        )
        assert (names(made) == []) is denied


def test_two_packs_of_one_say() -> None:
    """The one in force does not hang on their order (law 2)."""
    packs = [pack("[[constraints]]\nmatch='*/*'\napproval='ask'\n", name) for name in ("b", "a", "c")]
    keys = {
        next(each.key for each in decision(compiled("[mcp_servers.s]", {"s": ["x"]}, *order), "s/x").because[2:3])
        for order in itertools.permutations(packs)
    }
    assert keys == {"a@1: */*"}
    assert found(compiled("[mcp_servers.s]", {"s": ["x"]}, *packs), "config-invalid") == []
