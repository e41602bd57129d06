"""What a host's rules on servers and tools, beside the servers or in files of their own, keep out here."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.importing import imported, let_in, said, servers, told

PERMISSIONS = {
    "deny": ["mcp__git_hub__delete_*", "mcp__git", "Bash(rm:*)"],
    "ask": ["mcp__git_hub__merge", "mcp__git_hub"],
    "allow": ["mcp__git_hub__get", "mcp__nobody__x", "mcp__git_hub__get(a)"],
}


def test_rules_of_claude_code_are_of_the_servers_in_either_file() -> None:
    """deny and ask are taken over, allow is reported, and what names nobody is said."""
    result = imported(
        (".claude/settings.json", json.dumps({"permissions": PERMISSIONS, "disabledMcpjsonServers": ["off"]})),
        (
            ".mcp.json",
            json.dumps({"mcpServers": {name: {"command": name} for name in ("git", "git hub", "off")}}),
        ),
    )
    table = servers(result)
    assert table["git"]["deny"] == ["*"]
    assert table["git hub"]["deny"] == ["delete_*"]
    assert table["git hub"]["tools"] == {"merge": {"approval": "ask"}, "*": {"approval": "ask"}}
    assert table["off"]["enabled"] is False
    assert told(result) == {
        ("import-approval-not-mapped", "permissions.allow[0]"),
        ("import-unmapped", "permissions.allow[1]"),
        ("import-pattern-unsupported", "permissions.allow[2]"),
        ("import-ignored", "permissions"),
    }


@pytest.mark.parametrize(
    ("lists", "off"),
    [
        ({"allowed": ["a"]}, {"b", "c"}),
        ({"allowed": []}, {"a", "b", "c"}),
        ({"excluded": ["b"]}, {"b"}),
        ({"allowed": ["a", "b"], "excluded": ["a"]}, {"a", "c"}),
        ({"allowed": "a"}, {"a", "b", "c"}),
        ({"excluded": "a"}, {"a", "b", "c"}),
        ({}, set()),
    ],
)
def test_a_server_that_is_kept_out_is_off(lists: dict[str, Any], off: set[str]) -> None:
    """Gemini CLI's lists of servers, and their older spelling."""
    entries = {name: {"command": name} for name in "abc"}
    old = {"allowed": "allowMCPServers", "excluded": "excludeMCPServers"}
    for tops in ({"mcp": lists}, {old[key]: value for key, value in lists.items()}):
        found = servers(imported((".gemini/settings.json", json.dumps({"mcpServers": entries, **tops}))))
        assert {name for name, table in found.items() if table.get("enabled") is False} == off


def test_lists_of_an_administrator_name_servers_or_are_said() -> None:
    entries = {name: {"command": name} for name in "abc"}
    servers_file = (".mcp.json", json.dumps({"mcpServers": entries}))
    denied = json.dumps({"deniedMcpServers": [{"serverName": "b"}, {"serverUrl": "https://*.bad.example/*"}]})
    result = imported(("managed-settings.json", denied), servers_file)
    assert {name for name, table in servers(result).items() if table.get("enabled") is False} == {"b"}
    assert ("import-unmapped", "deniedMcpServers[1]") in told(result)
    allowed = json.dumps({"allowedMcpServers": [{"serverName": "b"}]})
    found = servers(imported(("managed-settings.json", allowed), servers_file))
    assert {name for name, table in found.items() if table.get("enabled") is False} == {"a", "c"}


def test_opencode_keeps_out_what_a_later_rule_would_let_in_again() -> None:
    text = json.dumps({"mcp": {"gh": {"type": "local", "command": ["gh"]}}, "tools": {"gh*": False, "gh_get": True}})
    result = imported(("opencode.json", text))
    assert servers(result)["gh"]["deny"] == ["*"]
    assert ("import-unmapped", "tools.gh_get") in told(result)
    everything = json.dumps({"mcp": {"gh": {"type": "local", "command": ["gh"]}}, "permission": {"*": "ask"}})
    assert servers(imported(("opencode.json", everything)))["gh"]["tools"] == {"*": {"approval": "ask"}}


@pytest.mark.parametrize(
    ("rule", "denied"),
    [
        ("*", {"git": ["*"], "hub": ["*"]}),
        ("git*", {"git": ["*"]}),
        ("git", {"git": ["*"]}),
        ("git_*", {"git": ["*"]}),
        ("*_delete", {"git": ["*delete"], "hub": ["*delete"]}),
        ("?it_x", {"git": ["x"]}),
        ("g*", {"git": ["*"]}),
        ("*hub*", {"git": ["*hub*"], "hub": ["*"]}),
        ("bash", {}),
    ],
)
def test_a_rule_with_stars_keeps_out_no_less_than_it_did(rule: str, denied: dict[str, list[str]]) -> None:
    """opencode's rules are held against `server_tool`."""
    entries = {name: {"type": "local", "command": [name]} for name in ("git", "hub")}
    found = servers(imported(("opencode.json", json.dumps({"mcp": entries, "permission": {rule: "deny"}}))))
    assert {name: table["deny"] for name, table in found.items() if "deny" in table} == denied


def test_rules_of_claude_code_may_be_of_every_server() -> None:
    text = json.dumps(
        {"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}, "permissions": {"deny": ["mcp__*"]}}
    )
    assert [table["deny"] for table in servers(imported((".mcp.json", text))).values()] == [["*"], ["*"]]


def test_goose_s_permissions_stand_in_a_file_of_their_own() -> None:
    config = "extensions:\n  gh: {type: stdio, cmd: gh}\n"
    lists = "user:\n  always_allow: [gh__get]\n  ask_before: [gh__merge]\n  never_allow: [gh__drop, developer__shell]\n"
    result = imported(("goose/config.yaml", config), ("goose/permission.yaml", lists))
    assert servers(result)["gh"] == {"command": "gh", "deny": ["drop"], "tools": {"merge": {"approval": "ask"}}}
    assert told(result) == {
        ("import-approval-not-mapped", "user.always_allow[0]"),
        ("import-ignored", "user.never_allow[1]"),
    }


def test_amp_s_rules_are_taken_where_they_have_no_conditions() -> None:
    text = json.dumps(
        {
            "amp.mcpServers": {"gh": {"command": "gh"}},
            "amp.tools.disable": ["mcp__gh__drop", "builtin:edit_file"],
            "amp.permissions": [
                {"tool": "mcp__gh__*", "action": "ask"},
                {"tool": "mcp__gh__x", "action": "reject"},
                {"tool": "mcp__gh__y", "action": "allow", "matches": {"a": "b"}},
            ],
        }
    )
    table = servers(imported((".amp/settings.json", text)))["gh"]
    assert table["deny"] == ["drop", "x"]
    assert table["tools"] == {"*": {"approval": "ask"}}


LOCAL = {"type": "local", "command": ["x"]}


@pytest.mark.parametrize(
    ("names", "rule", "denied"),
    [
        (("my", "my_db", "mydb"), "my*", {"my": ["*"], "my_db": ["*"], "mydb": ["*"]}),
        (("my", "my_db"), "my_*", {"my": ["*"], "my_db": ["*"]}),
        (("my", "my_db"), "my_db_x", {"my": ["db_x"], "my_db": ["x"]}),
        (("my", "other"), "my_*_x", {"my": ["*_x"]}),
    ],
)
def test_a_rule_is_of_every_server_that_its_name_may_be_of(
    names: tuple[str, ...], rule: str, denied: dict[str, list[str]]
) -> None:
    """The mark between server and tool may stand in both, so the host itself cannot tell them apart (C04)."""
    text = json.dumps({"mcp": dict.fromkeys(names, LOCAL), "permission": {rule: "deny"}})
    found = servers(imported(("opencode.json", text)))
    assert {name: table["deny"] for name, table in found.items() if "deny" in table} == denied


@given(
    name=st.text("ab_", min_size=1, max_size=5),
    rule=st.text("ab_*?", min_size=1, max_size=7),
    tool=st.text("ab_", min_size=1, max_size=5),
)
def test_what_a_rule_of_stars_meets_is_met(name: str, rule: str, tool: str) -> None:
    """Whatever opencode's rule keeps out, ours does."""
    table = servers(imported(("opencode.json", json.dumps({"mcp": {name: LOCAL}, "permission": {rule: "deny"}}))))[name]
    if fnmatchcase(f"{name}_{tool}", rule):
        assert not let_in(table, tool)


def test_a_rule_is_of_each_server_of_that_name() -> None:
    """Two files have one, and two names are one to the host once it cleaned them."""
    two = [
        (".mcp.json", json.dumps({"mcpServers": {"g": {"command": "a"}, "b c": {"command": "b"}}})),
        (".cursor/mcp.json", json.dumps({"mcpServers": {"g": {"command": "d"}, "b_c": {"command": "e"}}})),
    ]
    rules = {"permissions": {"deny": ["mcp__g__drop", "mcp__b_c"], "ask": ["mcp__g__merge"]}}
    found = servers(imported(*two, (".claude/settings.json", json.dumps(rules))))
    assert [found[name]["deny"] for name in ("g", "g-cursor")] == [["drop"], ["drop"]]
    assert [found[name]["tools"] for name in ("g", "g-cursor")] == [{"merge": {"approval": "ask"}}] * 2
    assert [found[name]["deny"] for name in ("b c", "b_c")] == [["*"], ["*"]]


def test_one_server_under_two_filters_is_not_written_once() -> None:
    """Else the filter of the second file would be lost."""
    plain = {"command": "x"}
    result = imported(
        ("a.json", json.dumps({"mcpServers": {"g": plain}})),
        (".roo/mcp.json", json.dumps({"mcpServers": {"g": {**plain, "disabledTools": ["drop"]}}})),
    )
    assert servers(result) == {"g": plain, "g-roo": {**plain, "deny": ["drop"]}}


@pytest.mark.parametrize("first", [True, False])
def test_what_another_file_keeps_out_of_a_server_is_kept_out(first: bool) -> None:
    """An entry without a transport changes a server of another file; it narrows, and gives nothing else."""
    whole = ("~/.codex/config.toml", '[mcp_servers.g]\ncommand = "x"\nenabled_tools = ["get", "drop"]\n')
    part = (
        "p/.codex/config.toml",
        """
[mcp_servers.g]
enabled = false
enabled_tools = ["get"]
disabled_tools = ["put"]
default_tools_approval_mode = "prompt"
exposure = "hidden"
[mcp_servers.g.env]
HOME_OF = "there"
[mcp_servers.g.tools.get]
approval_mode = "prompt"
side_effect = "read_only"
""",
    )
    result = imported(*([part, whole] if first else [whole, part]))
    assert servers(result)["g"] == {
        "command": "x",
        "enabled": False,
        "exposure": "hidden",
        "allow": ["get"],
        "deny": ["put"],
        "default_tools_approval_mode": "prompt",
        "tools": {"get": {"approval": "ask"}},
    }
    (finding,) = said(result, "import-fragment")
    assert "~/.codex/config.toml" in finding.message


@pytest.mark.parametrize(
    "permission", ["deny", {"gh_*": {"*": "deny", "x": "allow"}}, {"gh_drop": "denied"}, {"gh*": 0}, {"gh_*": ["deny"]}]
)
def test_a_rule_of_opencode_in_any_form_keeps_out(permission: Any) -> None:
    """One word for all, rules by argument, and what is no verdict at all."""
    text = json.dumps({"mcp": {"gh": LOCAL}, "permission": permission})
    assert not let_in(servers(imported(("opencode.json", text)))["gh"], "drop")


@pytest.mark.parametrize("listed", ["mcp__gh", {"mcp__gh": True}, 3])
def test_rules_that_are_no_list_switch_all_servers_off(listed: Any) -> None:
    """They may have kept anything out (law 8)."""
    text = json.dumps({"mcpServers": {"gh": {"command": "gh"}}, "permissions": {"deny": listed}})
    result = imported((".mcp.json", text))
    assert servers(result)["gh"]["enabled"] is False
    assert ("import-value", "permissions.deny") in told(result)


@pytest.mark.parametrize("rule", ["mcp__gh__get_[x", "mcp__gh__{get,put}", "mcp__gh__get|put"])
def test_a_pattern_of_another_language_asks_for_every_tool(rule: str) -> None:
    """It is never written where it would be a fault; what is said has its place in the file of the rule."""
    result = imported(
        (".mcp.json", json.dumps({"mcpServers": {"gh": {"command": "gh"}}})),
        (".claude/settings.json", json.dumps({"permissions": {"ask": [rule]}})),
    )
    assert servers(result)["gh"]["tools"] == {"*": {"approval": "ask"}}
    (finding,) = said(result, "import-pattern-unsupported")
    assert finding.location is not None
    assert finding.location.file == ".claude/settings.json"


def test_cursor_s_rules_stand_in_files_of_their_own() -> None:
    result = imported(
        (".cursor/mcp.json", json.dumps({"mcpServers": {"gh": {"command": "gh"}, "b": {"command": "b"}}})),
        (".cursor/cli.json", json.dumps({"permissions": {"deny": ["Mcp(gh:drop)", "Mcp(*:rm)", "Shell(rm)"]}})),
        (".cursor/permissions.json", json.dumps({"mcpAllowlist": ["gh:*"]})),
    )
    assert [table["deny"] for table in servers(result).values()] == [["drop", "rm"], ["rm"]]
    assert told(result) == {("import-ignored", "permissions"), ("import-approval-not-mapped", "mcpAllowlist")}


def test_gemini_s_lists_hold_in_all_of_its_files_and_in_no_other_host_s() -> None:
    entry = {"command": "x"}
    result = imported(
        ("~/.gemini/settings.json", json.dumps({"mcp": {"allowed": ["a", "b"], "excluded": ["a"]}})),
        ("p/.gemini/settings.json", json.dumps({"mcpServers": {"a": entry, "b": entry, "c": entry}})),
        (".mcp.json", json.dumps({"mcpServers": {"d": entry}})),
    )
    assert {name for name, table in servers(result).items() if table.get("enabled") is False} == {"a", "c"}


@pytest.mark.parametrize("tops", [{"excludeTools": ["mcp_gh_drop"]}, {"tools": {"exclude": ["gh__drop", "shell(rm)"]}}])
def test_tools_that_gemini_excludes_by_their_shown_names_are_denied(tops: dict[str, Any]) -> None:
    text = json.dumps({"mcpServers": {"gh": {"command": "gh"}}, **tops})
    assert servers(imported((".gemini/settings.json", text)))["gh"]["deny"] == ["drop"]


def test_zed_s_verdict_for_all_tools_is_of_each_server() -> None:
    text = json.dumps({"context_servers": {"a": {"command": "a"}}, "agent": {"tool_permissions": {"default": "deny"}}})
    assert servers(imported(("zed/settings.json", text)))["a"]["deny"] == ["*"]


def test_what_amp_refuses_under_a_condition_asks_here() -> None:
    rules = [
        {"tool": "mcp__gh__x", "action": "reject", "matches": {"a": "b"}},
        {"tool": "*", "action": "delegate", "to": "q"},
    ]
    text = json.dumps({"amp.mcpServers": {"gh": {"command": "gh"}}, "amp.permissions": rules})
    result = imported((".amp/settings.json", text))
    assert servers(result)["gh"]["tools"] == {"x": {"approval": "ask"}, "*": {"approval": "ask"}}
    assert told(result) == {("import-pattern-unsupported", '"amp.permissions"[0]')}


@pytest.mark.parametrize(
    ("lists", "off"),
    [
        ({"deniedMcpServers": [{"serverCommand": ["npx", "-y", "x"]}]}, {"a"}),
        ({"deniedMcpServers": [{"serverUrl": "https://*.bad.example/*"}]}, {"b"}),
        ({"allowedMcpServers": [{"serverName": "a"}, {"serverUrl": "https://mcp.bad.example/*"}]}, {"c"}),
        ({"allowedMcpServers": [{"serverName": "a"}, {"serverCommand": ["c"]}]}, {"a", "b"}),
        ({"allowedMcpServers": []}, {"a", "b", "c"}),
    ],
)
def test_an_administrator_tells_servers_by_command_and_url(lists: dict[str, Any], off: set[str]) -> None:
    """Where one entry tells servers by command or by url, those of that kind must meet one that does."""
    entries = {
        "a": {"command": "npx", "args": ["-y", "x"]},
        "b": {"url": "https://mcp.bad.example/v1"},
        "c": {"command": "c"},
    }
    result = imported(("managed-settings.json", json.dumps(lists)), (".mcp.json", json.dumps({"mcpServers": entries})))
    assert {name for name, table in servers(result).items() if table.get("enabled") is False} == off


def test_rules_beyond_what_can_be_held_against_servers_close_everything() -> None:
    """Steps are counted, so that a file of a few megabytes takes no hours; what nobody looked at lets nothing in."""
    names = [f"s{n}" for n in range(400)]
    text = json.dumps({"mcp": dict.fromkeys(names, LOCAL), "permission": {f"*{n}": "deny" for n in range(200)}})
    result = imported(("opencode.json", text))
    assert all(table["enabled"] is False for table in servers(result).values())
    assert [finding.slug for finding in result.findings].count("import-value") == 1
