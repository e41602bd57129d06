"""Configs of hosts that can be told which tools there are: the plan's and no other, asked about where it asks."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import export
from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.report.export import render_value
from mcpexpose.workspace import Workspace
from tests.surface.test_exporters import PROFILES, ROOT, plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose import Export

HEAD = 'description = "S"\nowner = "me"\n[mcp_servers.s.tools."*"]\nside_effect = "read_only"\n'


def made(folder: Path, table: str, target: str) -> Export:
    """The export of a config with one server S and its tool t."""
    (folder / "catalogs").mkdir(exist_ok=True)
    (folder / "catalogs" / "s.json").write_text('{"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}')
    (folder / "config.toml").write_text(f"[mcp_servers.s]\n{table}\n{HEAD}")
    compiled = Workspace(folder / "config.toml", environ={}).compiled
    return export(HostPlan(CompiledSource(compiled.plan, compiled.definitions)), target)


def entry(found: Export) -> dict[str, Any]:
    (servers,) = found.value.values()
    return dict(servers.get("s", {}))


@pytest.mark.parametrize("example", PROFILES)
def test_codex_reads_the_file_as_we_read_it(example: str, tmp_path: Path) -> None:
    """One format for both: what is written has the plan's tools, its prompts and its ways, and no finding (F04)."""
    plan = plan_of(example)
    found = export(plan, "codex", profile=PROFILES[example])
    text = render_value(found)
    assert tomllib.loads(text) == found.value
    (tmp_path / "config.toml").write_text(text, "utf-8")
    (tmp_path / "catalogs").symlink_to(ROOT / "examples" / example / "catalogs")
    again = Workspace(tmp_path / "config.toml", environ={})
    assert [each.slug for each in again.findings_of_config if each.severity == "error"] == []
    left_out = {loss.subject for loss in found.losses if loss.kind == "server-left-out"}
    reached = [plan.tool(row) for row in plan.rows.pool(PROFILES[example])]
    wanted = {str(tool.id): tool.policy_state for tool in reached if tool.server not in left_out}
    assert {str(tool.id) for tool in again.compiled.plan.tools} == set(wanted)
    for server, table in found.value["mcp_servers"].items():
        assert again.resolved is not None
        ours = plan.servers[server].transport
        theirs = again.resolved.transports[server]
        assert (theirs.kind, theirs.command, theirs.args, theirs.url) == (ours.kind, ours.command, ours.args, ours.url)
        prompted = {f"{server}/{name}" for name in table.get("tools", {})}
        assert prompted == {
            name for name, state in wanted.items() if state != "allowed" and name.startswith(f"{server}/")
        }


@pytest.mark.parametrize(
    ("table", "codex", "gemini"),
    [
        (
            'command = "c"\nargs = ["a$$b"]\nenv = { A = "${A}", B = "b" }\nenv_vars = ["V"]',
            {"command": "c", "args": ["a$b"], "env": {"B": "b"}, "env_vars": ["A", "V"]},
            None,
        ),
        (
            'command = "c"\nargs = ["5$"]\nenv = { A = "${B}" }\nenv_vars = ["V"]',
            None,
            {"command": "c", "args": ["5$"], "env": {"A": "${B}", "V": "${V}"}},
        ),
        ('command = "c"\nargs = ["${A:-b}"]', None, None),
        ('command = "c"\ncwd = "sub"', None, None),
        ('command = "c"\ncwd = "/srv"', {"command": "c", "cwd": "/srv"}, {"command": "c", "cwd": "/srv"}),
        (
            'url = "https://s.example.com"\nbearer_token_env_var = "T"\nhttp_headers = { X = "${X1}", Y = "y" }',
            {
                "url": "https://s.example.com",
                "bearer_token_env_var": "T",
                "env_http_headers": {"X": "X1"},
                "http_headers": {"Y": "y"},
            },
            {
                "httpUrl": "https://s.example.com",
                "headers": {"Authorization": "Bearer ${T}", "X": "${X1}", "Y": "y"},
            },
        ),
        (
            'url = "https://s.example.com"\nhttp_headers = { authorization = "Bearer ${T}" }',
            {"url": "https://s.example.com", "bearer_token_env_var": "T"},
            {"httpUrl": "https://s.example.com", "headers": {"Authorization": "Bearer ${T}"}},
        ),
        (
            'url = "https://s.example.com/sse"\ntransport = "sse"',
            None,
            {"url": "https://s.example.com/sse"},
        ),
    ],
)
def test_a_server_is_reached_as_the_plan_says_or_left_out(
    tmp_path: Path, table: str, codex: dict[str, Any] | None, gemini: dict[str, Any] | None
) -> None:
    """References stay names, in the host's own way; one that it has no way for is never written as a text (C08)."""
    more = {
        "codex": {"startup_timeout_sec": 30, "tool_timeout_sec": 60, "enabled_tools": ["t"]},
        "gemini-cli": {"timeout": 60_000, "description": "S", "includeTools": ["t"]},
    }
    for target, wanted in (("codex", codex), ("gemini-cli", gemini)):
        found = made(tmp_path, table, target)
        assert entry(found) == ({**wanted, **more[target]} if wanted is not None else {}), target
        left_out = [loss.subject for loss in found.losses if loss.kind == "server-left-out"]
        assert left_out == ([] if wanted is not None else ["s"])


def test_a_credential_in_the_config_is_in_no_host_file(tmp_path: Path) -> None:
    """The plan has a variable in its place, which a host that fills in none cannot take (C08)."""
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    for target in ("codex", "gemini-cli"):
        found = made(tmp_path, f'command = "c"\nenv = {{ TOKEN = "{secret}" }}', target)
        assert secret not in str(found)
        assert secret not in render_value(found)


def test_names_that_toml_quotes_are_quoted(tmp_path: Path) -> None:
    """A server's names come from elsewhere: none ends its text or begins a table (C08)."""
    (tmp_path / "catalogs").mkdir()
    tool = 'a"]\\n[mcp_servers.evil]\\u007f\\u2028'
    (tmp_path / "catalogs" / "s.json").write_text(
        f'{{"tools": [{{"name": "{tool.replace(chr(34), chr(92) + chr(34))}", "inputSchema": {{"type": "object"}}}}]}}'
    )
    (tmp_path / "config.toml").write_text(f'[mcp_servers.s]\ncommand = "c"\n{HEAD.replace("read_only", "write")}')
    compiled = Workspace(tmp_path / "config.toml", environ={}).compiled
    found = export(HostPlan(CompiledSource(compiled.plan, compiled.definitions)), "codex")
    assert tomllib.loads(render_value(found)) == found.value
    assert list(found.value["mcp_servers"]) in ([], ["s"])
