"""References of hosts become ours, and mean what they meant."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpexpose.model.transport import Template
from tests.importers.importing import imported, said, servers, told


def written(host: str, text: str, key: str = "args", *more: str) -> Any:
    """What a text of a server becomes, and the slugs that are said."""
    entry: dict[str, Any] = (
        {"command": "x", "args": [text, *more]} if key == "args" else {"command": "x", "env": {"K": text}}
    )
    if host == "opencode":
        entry = {"command": ["x", text], "environment": {"K": text}}
    maps = {"vscode": "servers", "opencode": "mcp", "zed": "context_servers", "amp": "amp.mcpServers"}
    result = imported(("x.json", json.dumps({maps.get(host, "mcpServers"): {"s": entry}})), host=host)
    table = servers(result)["s"]
    return (table["args"][0] if key == "args" else table["env"]["K"]), {finding.slug for finding in result.findings}


@pytest.mark.parametrize(
    ("host", "text", "ours"),
    [
        ("claude", "${X}", "${X}"),
        ("claude", "${X:-a b}/c", "${X:-a b}/c"),
        ("claude", "$X $(pwd) 5$", "$X $(pwd) 5$"),
        ("claude", "$$", "$$$"),
        ("claude", "$${X}", "$$${X}"),
        ("cursor", "${env:X}-${env:Y}", "${X}-${Y}"),
        ("vscode", "${env:X}", "${X}"),
        ("opencode", "Bearer {env:X}", "Bearer ${X}"),
        ("gemini", "$X/${Y}", "${X}/${Y}"),
        ("gemini", "$lower", "${lower}"),
        ("gemini", "$(git rev-parse) $1", "$(git rev-parse) $1"),
        ("gemini", "$(cat) ${X:-y}", "$(cat) ${X:-y}"),
        ("copilot-cli", "$X", "${X}"),
        ("kiro", "${X}", "${X}"),
        ("windsurf", "${env:X}", "${X}"),
        ("claude-desktop", "%APPDATA%\\x", "${APPDATA}\\x"),
        ("cursor", "$env:X", "${X}"),
        ("mcp-json", "100%", "100%"),
        ("mcp-json", "date +%Y%m%d", "date +%Y%m%d"),
    ],
)
def test_a_reference_of_the_host_becomes_ours(host: str, text: str, ours: str) -> None:
    """And nothing is said, since nothing has to be done (C04)."""
    assert written(host, text) == (ours, set())


@pytest.mark.parametrize(
    ("host", "text", "ours"),
    [
        ("vscode", "${workspaceFolder}/x", "${workspaceFolder}/x"),
        ("vscode", "${config:a.b}", "${config:a.b}"),
        ("vscode", "${command:pick}", "${command:pick}"),
        ("vscode", "a${/}b", "a$${/}b"),
        ("cursor", "${userHome}/x", "${userHome}/x"),
        ("cursor", "${pathSeparator}", "${pathSeparator}"),
        ("claude", "${CLAUDE_PLUGIN_ROOT}/s.js", "${CLAUDE_PLUGIN_ROOT}/s.js"),
        ("claude", "${A:-${B}}", "$${A:-${B}}"),
        ("claude", "${", "$${"),
        ("claude", "${}", "$${}"),
        ("claude-desktop", "${__dirname}/x", "${__dirname}/x"),
        ("opencode", "{file:./x}", "{file:./x}"),
        ("pi", "!pass show x", "!pass show x"),
        ("zed", "${X}", "${X}"),
        ("gemini", "a $name b", "a $name b"),
        ("mcp-json", "{{USER}}", "{{USER}}"),
    ],
)
def test_what_only_the_host_fills_in_stays_visible_and_is_said(host: str, text: str, ours: str) -> None:
    """And what is written can be read: an unclosed reference is no fault of the config (C04)."""
    assert written(host, text) == (ours, {"import-variable-unknown"})
    if ours.startswith("$$"):
        assert Template.parse(ours).expand({"B": "${B}"}) == text


@pytest.mark.parametrize(
    ("host", "line", "ours"),
    [
        ("codex", "for f in *; do echo ${f} $f; done", "for f in *; do echo $${f} $f; done"),
        ("zed", "echo ${HOME}", "echo $${HOME}"),
        ("gemini", "X=1; echo $X ${X} $Y", "X=1; echo $X $${X} ${Y}"),
        ("claude", "read N; echo ${N} ${M}", "read N; echo $${N} ${M}"),
        ("claude", "echo %PATH%", "echo %PATH%"),
    ],
)
def test_what_a_shell_fills_in_is_left_to_it(host: str, line: str, ours: str) -> None:
    maps = {"codex": "mcp_servers", "zed": "context_servers"}
    entry = {"command": "/bin/bash", "args": ["-lc", line]}
    if host == "codex":
        file = ("config.toml", f"[mcp_servers.s]\ncommand = '/bin/bash'\nargs = ['-lc', '{line}']\n")
    else:
        file = ("x.json", json.dumps({maps.get(host, "mcpServers"): {"s": entry}}))
    result = imported(file, host=host)
    assert servers(result)["s"]["args"] == ["-lc", ours]
    assert told(result) == set()


HOST = re.compile(r"\$\{([A-Za-z_]\w*)(?::-([^{}]*))?\}", re.ASCII)
ENVIRON = {"X": "one$${X}", "Y": "", "LONG_NAME": "2"}


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["$", "{", "}", "${X}", "${Y:-d}", "${LONG_NAME}", "a", "$(p)", ":-", "%", "\\", '"']),
        max_size=12,
    )
)
def test_a_text_means_what_it_meant(pieces: list[str]) -> None:
    """What we expand from what was written is what Claude Code would have expanded from the source (C04)."""
    text = "".join(pieces)
    meant = HOST.sub(lambda found: ENVIRON[found[1]] or found[2] or "", text)
    ours, _ = written("claude", text, "env") if text else ("", set())
    assert Template.parse(ours).expand(ENVIRON) == meant


def test_inputs_become_variables_with_what_was_asked() -> None:
    """One id is one variable, wherever it is used; a default that is secret or odd is not kept."""
    text = json.dumps(
        {
            "servers": {
                "a": {"command": "x", "args": ["${input:my-key}", "${input:where}"], "env": {"K": "${input:my-key}"}},
                "b": {"command": "y", "args": ["${input:odd}", "${input:unheard of}"]},
            },
            "inputs": [
                {"id": "my-key", "type": "promptString", "password": True, "default": "geheim12"},
                {"id": "where", "type": "promptString", "default": "eu"},
                {"id": "odd", "type": "promptString", "default": "a}b"},
            ],
        }
    )
    result = imported(("mcp.json", text))
    assert servers(result)["a"] == {"command": "x", "args": ["${MY_KEY}", "${WHERE:-eu}"], "env": {"K": "${MY_KEY}"}}
    assert servers(result)["b"]["args"] == ["${ODD}", "${UNHEARD_OF}"]
    assert "geheim12" not in result.text
    mapped = said(result, "import-input-mapped")
    assert [finding.details["variable"] for finding in mapped] == ["MY_KEY", "WHERE", "MY_KEY", "ODD", "UNHEARD_OF"]
    assert result.variables == ("MY_KEY", "WHERE", "ODD", "UNHEARD_OF")
