"""Whose file it is, and the quirks of each host that change what a key means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpexpose.cli.importing import HOSTS
from mcpexpose.importers.acts import ACTS
from mcpexpose.importers.beside import BESIDE
from mcpexpose.importers.detect import detect
from mcpexpose.importers.dialects import BY_NAME, DIALECTS
from mcpexpose.importers.source import of_bytes
from tests.importers.importing import imported, said, servers, told

PLAIN = {"mcpServers": {"s": {"command": "x"}}}


@pytest.mark.parametrize(
    ("name", "data", "host"),
    [
        (".mcp.json", PLAIN, "claude"),
        ("work/.mcp.json", PLAIN, "claude"),
        ("/home/cursor/vscode/.mcp.json", PLAIN, "claude"),
        ("C:\\Users\\me\\.cursor\\mcp.json", PLAIN, "cursor"),
        (".claude.json", {**PLAIN, "projects": {}}, "claude"),
        (".claude/settings.local.json", {"permissions": {}}, "claude-settings"),
        ("settings.json", {"permissions": {"deny": []}}, "claude-settings"),
        ("claude_desktop_config.json", PLAIN, "claude-desktop"),
        (".cursor/mcp.json", PLAIN, "cursor"),
        (".vscode/mcp.json", {"servers": {}}, "vscode"),
        ("mcp.json", {"servers": {}, "inputs": []}, "vscode"),
        ("settings.json", {"mcp": {"servers": {"s": {}}}}, "vscode"),
        (".vscode/mcp.json", PLAIN, "mcp-json"),
        (".gemini/settings.json", PLAIN, "gemini"),
        ("settings.json", {"mcpServers": {"s": {"httpUrl": "https://x.example"}}}, "gemini"),
        ("settings.json", {**PLAIN, "mcp": {"allowed": []}, "security": {}}, "gemini"),
        (".qwen/settings.json", PLAIN, "qwen"),
        ("opencode.json", {"mcp": {"s": {"enabled": False}}}, "opencode"),
        ("x.json", {"mcp": {"s": {"type": "local"}}}, "opencode"),
        ("x.json", {"$schema": "https://opencode.ai/config.json", "mcp": {"servers": {}}}, "opencode"),
        ("settings.json", {"context_servers": {}}, "zed"),
        ("saoudrizwan.claude-dev/settings/cline_mcp_settings.json", PLAIN, "cline"),
        (".roo/mcp.json", PLAIN, "roo"),
        ("mcp_settings.json", PLAIN, "roo"),
        (".kiro/settings/mcp.json", PLAIN, "kiro"),
        (".codeium/windsurf/mcp_config.json", PLAIN, "windsurf"),
        ("mcp.json", {"mcpServers": {"s": {"serverUrl": "https://x.example"}}}, "windsurf"),
        (".copilot/mcp-config.json", PLAIN, "copilot-cli"),
        (".github/mcp.json", PLAIN, "copilot-cli"),
        ("x.json", {"mcpServers": {"s": {"command": "x", "tools": ["*"]}}}, "copilot-cli"),
        ("settings.json", {"amp.mcpServers": {}}, "amp"),
        (".pi/mcp.json", PLAIN, "pi"),
        ("x.json", {"mcpServers": {"s": {"command": "x", "toolExposure": {}}}}, "pi"),
        ("x.json", PLAIN, "mcp-json"),
        ("x.json", {"a": 1}, None),
        (".mcp.json", {"s": {"command": "x"}}, "claude"),
        ("x.json", {"$schema": "x", "s": {"url": "https://x.example"}}, "mcp-json"),
        ("x.json", {"s": {"command": "x"}, "t": {"a": 1}}, None),
        ("package.json", {"name": "x", "servers": 3}, "vscode"),
    ],
)
def test_a_file_is_told_by_its_name_or_by_what_it_holds(name: str, data: dict[str, Any], host: str | None) -> None:
    """The name of a folder above says nothing of the file (C04)."""
    found = detect(of_bytes(json.dumps(data).encode(), name))
    assert (found.name if found else None) == host


@pytest.mark.parametrize(
    ("name", "text", "host"),
    [
        ("config.toml", "[mcp_servers.a]\ncommand = 'x'\n", "codex"),
        ("config.toml", "[mcp_servers.a]\ncommand = 'x'\nexposure = 'direct'\n", "step"),
        (".codex/config.toml", "[mcp_servers.a]\ncommand = 'x'\ndescription = 'x'\n", "codex"),
        (".stepcode/config.toml", "[mcp_servers.a]\ncommand = 'x'\n", "step"),
        ("config.yaml", "extensions: {a: {type: stdio, cmd: x}}\n", "goose"),
        ("any.yml", "mcpServers: {a: {command: x}}\n", "librechat"),
        ("config.yaml", "a: 1\n", None),
        ("config.toml", "a = 1\n", None),
    ],
)
def test_other_notations_are_of_their_hosts(name: str, text: str, host: str | None) -> None:
    found = detect(of_bytes(text.encode(), name))
    assert (found.name if found else None) == host


def test_the_table_is_sound() -> None:
    """Every row names an act that there is; the command offers each dialect."""
    assert tuple(BY_NAME) == HOSTS or set(BY_NAME) == set(HOSTS)
    for dialect in DIALECTS:
        for key, act in dialect.keys.items():
            assert act in ACTS or act.startswith("-"), (dialect.name, key)
        for key, act in dialect.beside.items():
            assert act in BESIDE or key == "inputs", (dialect.name, key)


@pytest.mark.parametrize(
    ("host", "entry", "table"),
    [
        ("cline", {"url": "https://x.example/mcp"}, {"url": "https://x.example/mcp", "transport": "sse"}),
        ("gemini", {"url": "https://x.example/mcp"}, {"url": "https://x.example/mcp", "transport": "sse"}),
        ("gemini", {"url": "https://x.example/mcp", "type": "http"}, {"url": "https://x.example/mcp"}),
        ("claude", {"type": "streamable-http", "url": "https://x.example/sse"}, {"url": "https://x.example/sse"}),
        ("cursor", {"url": "https://x.example/a/sse/"}, {"url": "https://x.example/a/sse/", "transport": "sse"}),
        ("pi", {"url": "https://x.example/sse"}, {"url": "https://x.example/sse"}),
        ("kiro", {"command": "x", "timeout": 1500}, {"command": "x", "tool_timeout_sec": 1.5}),
        ("roo", {"command": "x", "timeout": 1500}, {"command": "x", "tool_timeout_sec": 1500}),
        ("claude", {"command": "x", "alwaysLoad": True}, {"command": "x", "exposure": "direct"}),
        ("claude", {"command": "x", "alwaysLoad": False}, {"command": "x"}),
        ("pi", {"command": "x", "exposure": "hidden"}, {"command": "x", "exposure": "hidden"}),
        ("pi", {"command": "x", "exposure": 3}, {"command": "x", "exposure": "hidden"}),
        ("mcp-json", {"command": "x", "deferred": False}, {"command": "x", "exposure": "direct"}),
        ("zed", {"command": {"path": "x", "args": ["a"]}, "args": ["b"]}, {"command": "x", "args": ["a", "b"]}),
        ("mcp-json", {"command": "x", "description": "Of files"}, {"command": "x", "description": "Of files"}),
        ("copilot-cli", {"type": "local", "command": "x", "tools": "*"}, {"command": "x"}),
        ("copilot-cli", {"type": "local", "command": "x", "tools": "a, b"}, {"command": "x", "allow": ["a", "b"]}),
    ],
)
def test_a_key_means_what_it_means_to_its_host(host: str, entry: dict[str, Any], table: dict[str, Any]) -> None:
    place = BY_NAME[host].servers[0][0]
    assert servers(imported(("x.json", json.dumps({place: {"s": entry}})), host=host))["s"] == table


@pytest.mark.parametrize(
    ("entry", "slugs"),
    [
        ({"url": "https://x.example", "env": {"A": "b"}, "args": ["x"]}, ["import-unmapped", "import-unmapped"]),
        ({"command": "x", "headers": {"A": "b"}}, ["import-unmapped"]),
        ({"command": "x", "url": "https://x.example"}, ["import-value"]),
        ({"command": "x", "url": "https://x.example", "type": "http"}, ["import-value"]),
        ({"type": "http", "command": "x"}, ["import-value"]),
        ({"type": "carrier pigeon", "command": "x"}, ["import-value"]),
        ({"type": "websocket", "url": "wss://x.example"}, ["import-value"]),
        ({"type": "sse-ide", "url": "http://localhost"}, ["import-ignored"]),
        ({}, ["import-fragment"]),
        ({"command": ""}, ["import-fragment"]),
        ({"command": None, "env": {"A": "b"}}, ["import-fragment"]),
        ("x", ["import-value"]),
        (None, ["import-value"]),
        (True, ["import-value"]),
        ({"command": "x", "env": {"A=B": "1"}}, ["import-value"]),
        ({"command": "x", "args": {"a": "b"}}, ["import-value"]),
        ({"command": "x", "args": [["a"]]}, ["import-value"]),
        ({"command": "x", "args": ["x" * 40_000]}, ["import-value"]),
        ({"command": "x", "unheard": {"of": 1}, "empty": {}, "none": None}, ["import-unmapped"]),
    ],
)
def test_what_an_entry_cannot_be_is_said_and_never_written_as_a_fault(entry: Any, slugs: list[str]) -> None:
    """One finding for each thing, and one bad entry stops no other (C04)."""
    result = imported(("x.json", json.dumps({"mcpServers": {"s": entry, "other": {"command": "fine"}}})))
    assert [finding.slug for finding in result.findings] == slugs
    assert servers(result)["other"] == {"command": "fine"}
    table = servers(result).get("s")
    assert table is None or ("command" in table) != ("url" in table)


def test_servers_of_several_files_keep_their_order_and_their_names() -> None:
    """The same server twice is written once; another of the same id gets its host's name behind it."""
    one = (".cursor/mcp.json", json.dumps({"mcpServers": {"b": {"command": "b"}, "a": {"command": "a"}}}))
    two = (
        ".mcp.json",
        json.dumps({"mcpServers": {"a": {"command": "other"}, "b": {"command": "b"}, "c": {"command": "c"}}}),
    )
    result = imported(one, two)
    assert list(servers(result)) == ["b", "a", "a-claude", "c"]
    assert {(finding.slug, finding.location.file) for finding in result.findings if finding.location} == {
        ("import-value", ".mcp.json"),
        ("import-same-command", ".mcp.json"),
    }


def test_one_program_under_two_ids_is_said_and_runners_are_told_apart() -> None:
    entries = {
        "a": {"command": "/usr/bin/graph", "args": ["x"]},
        "b": {"command": "/usr/bin/graph", "args": ["y"]},
        "c": {"command": "npx", "args": ["-y", "one"]},
        "d": {"command": "npx", "args": ["-y", "two"]},
        "e": {"command": "npx", "args": ["-y", "two"]},
        "f": {"url": "https://x.example"},
        "g": {"url": "https://x.example", "headers": {"A": "b"}},
    }
    result = imported(("x.json", json.dumps({"mcpServers": entries})))
    assert [finding.subjects for finding in said(result, "import-same-command")] == [("b", "a"), ("e", "d"), ("g", "f")]
    assert list(servers(result)) == list(entries)


def test_an_id_that_cannot_be_one_here_is_changed_and_said() -> None:
    entries = {
        name: {"command": f"c{n}"} for n, name in enumerate(["a/b", "a\\b", "..", "x\u202ey", "ok.id", "a" * 200])
    }
    result = imported(("x.json", json.dumps({"mcpServers": entries})))
    assert list(servers(result)) == ["a-b", "a-b-mcp-json", "server", "x-y", "ok.id", "a" * 128]
    assert ("import-value", "a/b") in told(result)
    assert ("import-value", "ok.id") not in told(result)


def test_what_is_no_server_is_named_once_each_and_settings_together() -> None:
    text = json.dumps({**PLAIN, "theme": "x", "size": 1, "hooks": {"a": 1}, "projects": {"p": {}}})
    result = imported((".claude.json", text))
    assert [finding.subjects for finding in said(result, "import-ignored")] == [
        ("hooks",),
        ("projects",),
        ("theme", "size"),
    ]


def test_a_file_may_be_the_map_itself() -> None:
    """As plugins of Claude Code have it."""
    text = json.dumps({"$schema": "x", "a": {"command": "${CLAUDE_PLUGIN_ROOT}/a"}, "b": {"command": "b"}})
    result = imported((".mcp.json", text))
    assert list(servers(result)) == ["a", "b"]
    assert told(result) == {("import-ignored", '"$schema"'), ("import-variable-unknown", "a:command")}


def test_a_host_that_is_said_gives_way_to_what_the_file_holds() -> None:
    """People put `mcpServers` into VS Code's file too."""
    result = imported((".vscode/mcp.json", json.dumps(PLAIN)), host="vscode")
    assert list(servers(result)) == ["s"]


@pytest.mark.parametrize("value", [[], "x", 3, True])
def test_a_map_of_servers_that_is_none_is_said(value: Any) -> None:
    result = imported((".mcp.json", json.dumps({"mcpServers": value})))
    assert result.text == ""
    assert told(result) == {("import-value", "mcpServers")}


@pytest.mark.parametrize(
    ("entry", "said_of", "written"),
    [
        ({"url": "unix:///tmp/x.sock"}, "url", False),
        ({"type": "http", "url": "wss://x.example/"}, "url", False),
        ({"url": "x.example/mcp"}, "url", True),
        ({"command": "x\0y"}, "command", True),
        ({"url": "https://x.example", "headers": {"A": "1", "a": "2"}}, "headers.a", True),
    ],
)
def test_what_lint_would_refuse_is_said_where_the_host_s_file_has_it(
    entry: dict[str, Any], said_of: str, written: bool
) -> None:
    """What nobody here speaks is not imported (C04)."""
    result = imported((".vscode/mcp.json", json.dumps({"servers": {"s": entry, "t": {"command": "t"}}})))
    assert ("s" in servers(result)) is written
    (finding,) = said(result, "import-value")
    assert finding.subjects[0] == f"s:{said_of}"


def test_settings_of_vs_code_keep_their_servers_beside_what_another_host_left_there() -> None:
    data = {"mcp": {"servers": {"a": {"command": "a"}}}, "mcpServers": {}}
    assert list(servers(imported(("settings.json", json.dumps(data))))) == ["a"]


@pytest.mark.parametrize(
    ("name", "data", "host"),
    [
        (".gemini/settings.json", {"mcp": {"excluded": ["a"]}}, "gemini"),
        ("x.json", {"mcp": {"excluded": ["a"]}}, "gemini"),
        (".cursor/cli.json", {"permissions": {"deny": ["Mcp(a:b)"]}}, "cursor"),
        ("opencode.json", {"permission": {"a_*": "deny"}}, "opencode"),
        ("zed/settings.json", {"agent": {}}, "zed"),
        (".vscode/mcp.json", {"inputs": [], "mcpServers": {"a": {"command": "a"}}}, "mcp-json"),
        ("settings.json", {"agent": {}}, None),
    ],
)
def test_a_file_of_rules_alone_is_its_host_s(name: str, data: dict[str, Any], host: str | None) -> None:
    """It says more of the servers in the host's other files."""
    found = detect(of_bytes(json.dumps(data).encode(), name))
    assert (found.name if found else None) == host
