"""What runs without asking."""

from __future__ import annotations

import pytest

from mcpexpose.model.policy import Approval, PolicyState
from tests.compiler.build import compiled, decision, found, pack, subjects

ASK, AUTO = Approval.ASK, Approval.AUTO
CLASSES = """
[mcp_servers.s.tools.r]
side_effect = 'read_only'
[mcp_servers.s.tools.w]
side_effect = 'write'
[mcp_servers.s.tools.d]
side_effect = 'destructive'
"""


def approvals(policy: str, more: str = "") -> dict[str, Approval]:
    made = compiled(f"[policy]\n{policy}\n[mcp_servers.s]\n{more}\n{CLASSES}", {"s": ["r", "w", "d", "u"]})
    return {each.id.name: each.approval for each in made.decisions}


@pytest.mark.parametrize(
    ("entries", "auto"),
    [
        (None, "r"),
        ([], ""),
        (["read_only", "write"], "rw"),
        (["destructive"], "d"),
        (["s/*"], "r"),
        (["s/[wd]"], ""),
        (["s/w"], "w"),
        (["s/w", "s/d"], "wd"),
        (["s/u"], "u"),
    ],
)
def test_classes_and_entries(entries: list[str] | None, auto: str) -> None:
    """A pattern reaches read_only tools only; a write is named exactly; what is unknown asks unless named (G06)."""
    policy = "" if entries is None else f"auto_approve = {entries}"
    assert {name for name, approval in approvals(policy).items() if approval is AUTO} == set(auto)


def test_approval_in_a_tool_table_counts_as_such_an_entry() -> None:
    """Exact tables reach writes, patterns do not; ask always asks (G06)."""
    exact = compiled("[mcp_servers.s.tools.w]\nside_effect='write'\napproval='auto'\n", {"s": ["w"]})
    assert decision(exact, "s/w").policy_state is PolicyState.ALLOWED
    pattern = compiled("[mcp_servers.s.tools.'w*']\nside_effect='write'\napproval='auto'\n", {"s": ["w"]})
    assert decision(pattern, "s/w").policy_state is PolicyState.APPROVAL_REQUIRED
    assert subjects(pattern, "override-without-effect") == ['s:tools."w*"']
    reading = compiled("[mcp_servers.s.tools.'r*']\nside_effect='read_only'\napproval='ask'\n", {"s": ["r"]})
    assert decision(reading, "s/r").approval is ASK


def test_ask_of_a_tables_beats_an_entry_that_names_it() -> None:
    """Tool table before `[policy]` (G06)."""
    made = compiled(
        "[policy]\nauto_approve=['s/w']\n[mcp_servers.s.tools.w]\nside_effect='write'\napproval='ask'\n", {"s": ["w"]}
    )
    assert decision(made, "s/w").approval is ASK


@pytest.mark.parametrize(("mode", "auto"), [("prompt", ""), ("writes", "r"), ("auto", "r"), ("approve", "r")])
def test_of_codex_modes_only_those_that_ask_count(mode: str, auto: str) -> None:
    """`prompt` asks for all, `writes` for what is not read_only, the rest changes nothing (X02)."""
    got = approvals("", f"default_tools_approval_mode = '{mode}'")
    assert {name for name, approval in got.items() if approval is AUTO} == set(auto)
    one = compiled(f"[mcp_servers.s.tools.r]\nside_effect='read_only'\napproval_mode='{mode}'\n", {"s": ["r"]})
    assert decision(one, "s/r").approval is (ASK if mode == "prompt" else AUTO)


def test_the_tools_own_table_settles_it_against_the_servers_mode() -> None:
    """Tool table before server; in one table asking wins (X02, G06)."""
    made = compiled(
        "[mcp_servers.s]\ndefault_tools_approval_mode='prompt'\n"
        "[mcp_servers.s.tools.a]\napproval='auto'\n[mcp_servers.s.tools.b]\napproval='auto'\napproval_mode='prompt'\n",
        {"s": ["a", "b"]},
    )
    assert decision(made, "s/a").approval is AUTO
    assert decision(made, "s/b").approval is ASK


def test_a_pack_that_raises_makes_it_ask() -> None:
    """Also where the config approves the stricter class by itself and not the milder one (law 2)."""
    raises = pack("[[constraints]]\nmatch='*/*'\nmin_side_effect='destructive'\n")
    head = "[mcp_servers.s.tools.r]\nside_effect='read_only'\n"
    for entries in ("['read_only']", "['destructive']"):
        made = compiled(f"[policy]\nauto_approve={entries}\n{head}", {"s": ["r"]}, raises)
        assert decision(made, "s/r").approval is ASK
    both = compiled(f"[policy]\nauto_approve=['read_only','destructive']\n{head}", {"s": ["r"]}, raises)
    assert decision(both, "s/r").approval is AUTO


@pytest.mark.parametrize(
    ("entry", "slug"),
    [
        ("notify", "rule-without-server"),
        ("*", "rule-without-server"),
        ("get_*", "rule-without-server"),
        ("readonly", "rule-without-server"),
        ("*/*", "rule-too-wide"),
        ("*/x", "rule-too-wide"),
        ("s?/x", "rule-too-wide"),
        ("", "rule-invalid"),
        ("/x", "rule-invalid"),
        ("s/", "rule-invalid"),
        ("unknown", "rule-invalid"),
        ("s/[x", "config-invalid"),
    ],
)
def test_shapes_of_entries(entry: str, slug: str) -> None:
    """The server is spelled out, in both lists, or the entry is an error and approves nothing (G04, law 8)."""
    made = compiled(f"[policy]\nauto_approve=['s/x','{entry}']\n[mcp_servers.s]", {"s": ["x", "notify"]})
    assert subjects(made, slug) == ["policy.auto_approve[1]"]
    assert not made.writable
    assert decision(made, "s/notify").approval is ASK
    if entry != "unknown":
        made = compiled(f"[mcp_servers.s]\n[profiles.dev]\ndefault_tools=['s/x','{entry}']", {"s": ["x", "notify"]})
        assert subjects(made, slug) == ["profiles.dev.default_tools[1]"]


@pytest.mark.parametrize("entry", ["b__notify", "mcp__b__notify", "b:notify", "b.notify"])
def test_an_entry_spelled_as_hosts_spell_it_is_told_in_ours(entry: str) -> None:
    """The pair that was meant is named, and nothing is approved by it (C04)."""
    made = compiled(
        f"[policy]\nauto_approve=['{entry}']\n[mcp_servers.a]\n[mcp_servers.b]", {"a": ["notify"], "b": ["notify"]}
    )
    [finding] = found(made, "rule-without-server")
    assert '"b/notify"' in finding.advice
    assert "a/notify" not in finding.advice


def test_entries_that_meet_nothing() -> None:
    """A name is `unknown-tool`, a pattern `pattern-matches-nothing`; the nearest is named (X04)."""
    made = compiled(
        "[policy]\nauto_approve=['s/gett','s/z*','nowhere/x','off/x','none/x']\n"
        "[mcp_servers.s]\n[mcp_servers.off]\nenabled=false\n[mcp_servers.none]",
        {"s": ["get"]},
    )
    assert subjects(made, "unknown-tool") == ["s/gett", "nowhere/x", "off/x"]
    assert found(made, "unknown-tool")[0].details["suggests"] == ["s/get"]
    assert subjects(made, "pattern-matches-nothing") == ["s/z*"]
    assert not made.writable


def test_a_server_whose_table_is_broken_is_no_second_fault() -> None:
    """What cannot be read is told once, where it stands (C01)."""
    made = compiled("[policy]\nauto_approve=['bad/x']\n[mcp_servers.s]", {"s": ["x"]}, broken=("bad",))
    assert made.findings == ()
