"""Profiles and what they select."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.model.finding import Severity
from mcpexpose.model.policy import Exposure
from tests.compiler.build import compiled, decision, found, pack, subjects

if TYPE_CHECKING:
    from mcpexpose.model.plan import PlannedProfile

HEAD = """
[mcp_servers.s]
groups = ['code']
deny = ['wipe']
[mcp_servers.s.tools.read]
side_effect = 'read_only'
[mcp_servers.s.tools.write]
side_effect = 'write'
[mcp_servers.s.tools.pay]
exposure = 'hidden'
[mcp_servers.s.tools.loose]
groups = []
"""
TOOLS = {"s": ["read", "write", "unknown", "pay", "wipe", "loose"]}


def profile(text: str) -> PlannedProfile:
    return compiled(HEAD + f"[profiles.p]\n{text}", TOOLS).plan.profiles[0]


def test_groups_and_classes_bound_a_profile() -> None:
    """A tool without groups is in no profile that lists groups; unknown counts as destructive (G05)."""
    assert profile("").tools == ("s/loose", "s/read", "s/unknown", "s/write")
    assert profile("groups=['code','x']").tools == ("s/read", "s/unknown", "s/write")
    assert profile("groups=[]").tools == ()
    assert profile("side_effects=['read_only','write']").tools == ("s/read", "s/write")
    assert profile("side_effects=['destructive']").tools == ("s/loose", "s/unknown")
    assert profile("side_effects=[]").tools == ()


def test_a_selection_beats_deferred_and_never_hidden_or_denied() -> None:
    """Each such name is an error; the rest is selected (X04)."""
    made = compiled(HEAD + "[profiles.p]\ndefault_tools=['s/read','s/pay','s/wipe','s/gone','s/w*']", TOOLS)
    assert made.plan.profiles[0].default_tools == ("s/read", "s/write")
    assert subjects(made, "selection-not-allowed") == ["s/pay", "s/wipe"]
    assert subjects(made, "unknown-tool") == ["s/gone"]
    assert decision(made, "s/read").exposure is Exposure.DEFERRED
    said = [each for each in decision(made, "s/read").because if each.axis == "selection"]
    assert [(each.key, each.reason) for each in said] == [("profiles.p.default_tools", "s/read")]
    assert not made.writable


def test_a_pattern_that_meets_only_what_is_kept_away() -> None:
    """It is an error too; one that meets others as well is none (X04)."""
    made = compiled(HEAD + "[profiles.p]\ndefault_tools=['s/p*','s/*']", TOOLS)
    assert subjects(made, "selection-not-allowed") == ["s/p*"]
    assert made.plan.profiles[0].default_tools == ("s/loose", "s/read", "s/unknown", "s/write")


def test_a_selection_stays_within_its_profile() -> None:
    """What the profile does not reach is not declared by it (G05)."""
    made = compiled(HEAD + "[profiles.p]\nside_effects=['read_only']\ndefault_tools=['s/write','s/read']", TOOLS)
    assert subjects(made, "selection-not-allowed") == ["s/write"]
    assert made.plan.profiles[0].default_tools == ("s/read",)


def test_a_pack_that_keeps_a_tool_out_of_request_1_keeps_it_out_of_selections() -> None:
    """No config can loosen a pack (law 2)."""
    made = compiled(
        HEAD + "[profiles.p]\ndefault_tools=['s/read']",
        TOOLS,
        pack("[[constraints]]\nmatch='*/read'\nmax_exposure='deferred'\n"),
    )
    assert made.plan.profiles[0].default_tools == ()
    (finding,) = found(made, "override-without-effect")
    assert (finding.subjects[0], finding.severity) == ("s/read", Severity.WARNING)


def test_what_a_server_broke_is_no_fault_of_the_selection() -> None:
    """A selected tool that is left out is not declared, and the plan is written (X04, C02)."""
    made = compiled("[mcp_servers.s]\n[profiles.p]\ndefault_tools=['s/x']", {"s": ["x", "x"]})
    assert [each.slug for each in made.findings] == ["duplicate-tool"]
    assert made.writable


def test_decisions_know_their_profiles() -> None:
    """For previews and explain (G05)."""
    made = compiled(HEAD + "[profiles.b]\n[profiles.a]\ngroups=['code']", TOOLS)
    assert decision(made, "s/read").profiles == ("a", "b")
    assert decision(made, "s/pay").profiles == ()
    assert [each.name for each in made.plan.profiles] == ["a", "b"]
