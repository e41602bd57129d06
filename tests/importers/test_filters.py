"""What a host kept out stays out: of tools, of servers, and of what runs without asking."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.compiler import patterns
from tests.importers.importing import imported, let_in, said, servers, told

NAMES = ["get_a", "get_*", "get_[ab]", "list", "li?t", "*", "[", "drop(x)", "", "{a,b}", "a b", "!x"]
TOOLS = [
    "get_a",
    "get_b",
    "get_*",
    "get_[ab]",
    "list",
    "li?t",
    "*",
    "[",
    "drop",
    "drop(x)",
    "a",
    "{a,b}",
    "a b",
    "x",
    "!x",
]


@settings(deadline=None)
@given(
    st.sampled_from(["gemini", "roo", "codex", "copilot-cli", "goose"]),
    st.none() | st.lists(st.sampled_from(NAMES), max_size=3),
    st.none() | st.lists(st.sampled_from(NAMES), max_size=3),
)
def test_no_tool_is_let_in_that_the_host_kept_out(host: str, allow: list[str] | None, deny: list[str] | None) -> None:
    """Names are plain to these hosts; whatever stands in them, we let in no more (C04)."""
    keys = {
        "gemini": ("includeTools", "excludeTools"),
        "roo": ("enabledTools", "disabledTools"),
        "codex": ("enabled_tools", "disabled_tools"),
        "copilot-cli": ("tools", "excludeTools"),
        "goose": ("available_tools", ""),
    }[host]
    entry: dict[str, Any] = {"cmd" if host == "goose" else "command": "x"}
    entry |= {key: value for key, value in zip(keys, (allow, deny), strict=True) if value is not None and key}
    if host == "codex":
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
        result = imported(("config.toml", f"[mcp_servers.s]\n{lines}"), host=host)
    elif host == "goose":
        result = imported(("goose.yaml", json.dumps({"extensions": {"s": entry}})), host=host)
    else:
        result = imported(("x.json", json.dumps({"mcpServers": {"s": entry}})), host=host)
    table = servers(result)["s"]

    def bare(name: str) -> str:
        return name.partition("(")[0].strip() if host == "gemini" else name

    listed = None if allow is None else {bare(name) for name in allow}
    if (host == "goose" and not listed) or (host == "copilot-cli" and allow is not None and "*" in allow):
        listed = None
    kept_out = {bare(name) for name in deny or []} if host != "goose" else set()
    for tool in TOOLS:
        meant = (listed is None or tool in listed) and tool not in kept_out
        assert meant or not let_in(table, tool), (tool, entry, table)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["get_*", "get_s*", "*", "list", "get_se*"]), max_size=4, unique=True),
    st.lists(st.sampled_from(["direct", "deferred", "hidden"]), min_size=4, max_size=4),
)
def test_an_order_of_patterns_shows_no_tool_more_than_it_did(names: list[str], exposures: list[str]) -> None:
    """To pi the first pattern that meets a tool counts, to us the longest."""
    chosen = dict(zip(names, exposures, strict=False))
    entry = {"command": "x", "toolExposure": chosen}
    result = imported((".pi/mcp.json", json.dumps({"mcpServers": {"s": entry}})))
    tools = servers(result)["s"].get("tools", {})
    strict = ["direct", "deferred", "hidden"]
    for tool in ("get_a", "get_secret", "list", "other"):
        first = next((exposure for name, exposure in chosen.items() if fnmatchcase(tool, name)), "deferred")
        meant = chosen.get(tool, first)
        meeting = [patterns.compiled(name) for name in tools if patterns.compiled(name).matches(tool)]
        best = max(meeting, key=lambda pattern: (pattern.exact, pattern.weight), default=None)
        ours = tools[best.text]["exposure"] if best else "deferred"
        assert strict.index(ours) >= strict.index(meant), (tool, chosen, tools)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("includeTools", "read"),
        ("includeTools", {"read": True}),
        ("includeTools", ["read", 1]),
        ("excludeTools", "drop"),
        ("excludeTools", 1),
        ("disabledTools", [None]),
        ("disabled", "true"),
        ("disabled", 1),
        ("enabled", "no"),
        ("enabled", 0),
        ("toolExposure", ["x"]),
    ],
)
def test_a_filter_that_cannot_be_read_switches_the_server_off(key: str, value: Any) -> None:
    """A wrong type that was dropped would open every tool (law 8)."""
    result = imported(("x.json", json.dumps({"mcpServers": {"s": {"command": "x", key: value}}})))
    assert servers(result)["s"]["enabled"] is False
    (finding,) = said(result, "import-value")
    assert finding.subjects[0].startswith(f"s:{key}")
    assert "switched off" in finding.message


def test_a_pattern_of_another_language_lets_nothing_in_and_keeps_the_server_off() -> None:
    """Amp has globs; what of them is none of ours narrows, or switches off."""
    entries = {
        "a": {"command": "x", "includeTools": ["{get,list}_*", "get_*"]},
        "b": {"command": "x", "excludeTools": ["{x,y}"]},
    }
    result = imported(("x.json", json.dumps({"amp.mcpServers": entries})))
    assert servers(result)["a"]["allow"] == ["{get,list}_*", "get_*"]
    assert servers(result)["b"]["enabled"] is False
    assert len(said(result, "import-pattern-unsupported")) == 2


def test_our_own_filters_in_a_file_that_serves_both_are_kept() -> None:
    """Else an import of it would open what it closes."""
    text = """
[mcp_servers.a]
command = "a"
allow = ["get_*"]
deny = ["*secret*"]
exposure = "hidden"
[mcp_servers.a.tools."get_x*"]
exposure = "deferred"
side_effect = "write"
approval = "ask"
"""
    result = imported(("config.toml", text))
    assert servers(result)["a"] == {
        "command": "a",
        "exposure": "hidden",
        "allow": ["get_*"],
        "deny": ["*secret*"],
        "tools": {"get_x*": {"exposure": "deferred", "side_effect": "write", "approval": "ask"}},
    }
    assert not result.findings


def test_two_lists_of_one_server_let_in_what_both_do() -> None:
    entry = {
        "command": "x",
        "includeTools": ["a", "b"],
        "tools": ["b", "c"],
        "excludeTools": ["d"],
        "disabledTools": ["e", "d"],
    }
    table = servers(imported(("x.json", json.dumps({"mcpServers": {"s": entry}}))))["s"]
    assert table["allow"] == ["b"]
    assert table["deny"] == ["d", "e"]


@pytest.mark.parametrize("value", [True, ["read"], "all", {"read": True}])
@pytest.mark.parametrize("key", ["trust", "autoApprove", "alwaysAllow"])
def test_what_ran_without_asking_is_reported_and_not_taken_over(key: str, value: Any) -> None:
    result = imported(("x.json", json.dumps({"mcpServers": {"s": {"command": "x", key: value}}})))
    assert servers(result)["s"] == {"command": "x"}
    assert [finding.slug for finding in result.findings] == ["import-approval-not-mapped"]


@pytest.mark.parametrize("value", [False, [], None])
def test_where_nothing_ran_without_asking_nothing_is_said(value: Any) -> None:
    result = imported(("x.json", json.dumps({"mcpServers": {"s": {"command": "x", "alwaysAllow": value}}})))
    assert not result.findings


def test_a_tool_s_table_in_a_file_that_serves_both_never_loosens() -> None:
    """What cannot be read is taken for the strictest, and what is off is kept out (law 8)."""
    text = """
exposure.default = "hidden"
[mcp_servers.a]
command = "x"
[mcp_servers.a.tools.drop]
enabled = false
[mcp_servers.a.tools.get]
exposure = "hiden"
side_effect = 1
approval = "never"
[mcp_servers.a.tools.put]
approval = "auto"
"""
    result = imported(("config.toml", text))
    assert servers(result)["a"] == {
        "command": "x",
        "exposure": "hidden",
        "deny": ["drop"],
        "tools": {"get": {"exposure": "hidden", "side_effect": "destructive", "approval": "ask"}},
    }
    assert ("import-approval-not-mapped", "a:tools.put.approval") in told(result)
    assert ("import-unmapped", "exposure") in told(result)


@pytest.mark.parametrize(
    ("key", "ours"),
    [("allowed_tools", {"allow": ["get"]}), ("allowedTools", {"allow": ["get"]}), ("blockedTools", {"deny": ["get"]})],
)
def test_lists_of_hosts_that_have_no_row_are_kept(key: str, ours: dict[str, Any]) -> None:
    text = json.dumps({"mcpServers": {"a": {"command": "x", key: ["get"]}}})
    assert servers(imported(("x.json", text)))["a"] == {"command": "x", **ours}
