"""Allow and deny."""

from __future__ import annotations

import pytest

from mcpexpose.model.finding import Severity
from mcpexpose.model.policy import Exposure, PolicyState
from tests.compiler.build import compiled, decision, found, names, subjects, tool

NAMES = ["create_issue", "get_issue", "get_secret", "Delete_x"]


def of(lists: str) -> list[str]:
    return names(compiled(f"[mcp_servers.s]\ndescription = 'd'\n{lists}", {"s": NAMES}))


def test_absent_allows_all_and_empty_none() -> None:
    """Absent is all, `[]` is none; neither is a fault (X01)."""
    assert len(of("")) == 4
    assert of("allow = []") == []
    assert compiled("[mcp_servers.s]\nallow = []", {"s": NAMES}).writable


@pytest.mark.parametrize("keys", [("allow", "deny"), ("enabled_tools", "disabled_tools")])
def test_deny_beats_allow_under_either_name(keys: tuple[str, str]) -> None:
    """Deny wins (X01)."""
    allow, deny = keys
    assert of(f"{allow} = ['get_*']\n{deny} = ['*_secret']") == ["s/get_issue"]
    made = compiled(f"[mcp_servers.s]\n{deny} = ['nothing_*']", {"s": NAMES})
    assert subjects(made, "pattern-matches-nothing") == [f"s:{deny}[0]"]


def test_denied_is_in_no_byte_of_plan_and_definitions() -> None:
    """Denied and hidden tools leave no trace in what a bundle is made of (X01, F02)."""
    made = compiled(
        "[mcp_servers.s]\ndescription='d'\ndeny=['get_secret']\n[mcp_servers.s.tools.create_issue]\nexposure='hidden'\n"
        "[mcp_servers.gone]\nexposure='hidden'\ndescription='d'",
        {"s": [*NAMES[:2], tool("get_secret", "reads the treasure")], "gone": ["vanish"]},
    )
    whole = repr(made.plan) + b"".join(made.definitions).decode()
    for word in ("get_secret", "treasure", "create_issue", "vanish", "gone"):
        assert word not in whole
    assert decision(made, "s/get_secret").policy_state is PolicyState.DENIED
    assert decision(made, "s/create_issue").exposure is Exposure.HIDDEN


def test_an_entry_that_meets_nothing_names_what_there_is() -> None:
    """A plain name too, in allow as in deny: nearest name, else the names there are (X01)."""
    made = compiled(
        "[mcp_servers.s]\nallow=['get_isue','*']\ndeny=['zzz']\n",
        {"s": ["get_issue", "b"]},
    )
    near, far = found(made, "pattern-matches-nothing")
    assert near.subjects == ("s:allow[0]",)
    assert near.details["suggests"] == ["get_issue"]
    assert near.place is not None
    assert near.place.path == ("mcp_servers", "s", "allow", 0)
    assert far.subjects == ("s:deny[0]",)
    assert set(far.details["suggests"]) == {"get_issue", "b"}
    assert far.severity is Severity.ERROR
    assert not made.writable


def test_no_server_can_make_an_entry_fail() -> None:
    """Names are matched against every captured name, those left out included; no catalog, no judgement (C02)."""
    made = compiled(
        "[mcp_servers.s]\nallow=['twice']\n[mcp_servers.none]\nallow=['x']\ndeny=['y*']",
        {"s": ["twice", "twice"]},
    )
    assert found(made, "pattern-matches-nothing") == []
    assert subjects(made, "duplicate-tool") == ["s/twice"]
    assert made.writable
    assert names(made) == []


def test_a_star_over_a_server_without_tools_is_no_fault() -> None:
    """A server that lists nothing does not break the plan (C02)."""
    assert compiled("[mcp_servers.s]\nallow=['*']", {"s": []}).findings == ()


def test_bad_patterns_are_told_even_without_a_catalog() -> None:
    """An empty or broken pattern is never an ignored line (C01)."""
    made = compiled("[mcp_servers.s]\ndeny=['', '[x']", {})
    assert subjects(made, "config-invalid") == ["s:deny[0]", "s:deny[1]"]
    assert not made.writable


def test_deny_that_misses_by_case_alone() -> None:
    """It is told of every tool that stays open for it, and of no other (X01)."""
    made = compiled("[mcp_servers.s]\ndeny=['*delete*', 'GET_SECRET', 'Get_issue', 'get_issue']", {"s": NAMES})
    assert sorted(subjects(made, "deny-case-miss")) == ["s/Delete_x", "s/get_secret"]
    assert {finding.severity for finding in found(made, "deny-case-miss")} == {Severity.WARNING}


def test_a_disabled_server_is_not_there() -> None:
    """Nothing of it is planned, decided or judged (X01)."""
    made = compiled(
        "[mcp_servers.s]\nenabled=false\ndeny=['nothing']\n[mcp_servers.s.tools.none]\nside_effect='write'",
        {"s": NAMES},
    )
    assert made.decisions == ()
    assert made.findings == ()
