"""`mcpexpose init --from`: what a newcomer runs first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpexpose.cli.importing import HOSTS
from mcpexpose.report.findings import FORMATS

ROOT = Path(__file__).parent.parent.parent
Run = Callable[..., Any]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SERVERS = {
    "github": {"type": "http", "url": "https://hub.example/mcp/", "headers": {"Authorization": f"Bearer {TOKEN}"}},
    "files": {"command": "npx", "args": ["-y", "files-server", "${HOME}"], "disabled": True, "icon": "i"},
}


@pytest.fixture
def empty(project: Path) -> Path:
    (project / "config.toml").unlink()
    (project / "catalogs" / "git.json").unlink()
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": SERVERS}, indent=1))
    return project


def test_the_servers_of_a_host_become_a_config_and_the_next_step_is_named(run: Run, empty: Path) -> None:
    """Findings to stdout, what was written and what comes next to stderr (C01)."""
    done = run("init", "--from", ".mcp.json")
    assert done.code == 0
    written = tomllib.loads((empty / "config.toml").read_text())
    assert written["mcp_servers"] == {
        "github": {
            "url": "https://hub.example/mcp/",
            "http_headers": {"Authorization": "Bearer ${GITHUB_AUTHORIZATION}"},
        },
        "files": {"command": "npx", "args": ["-y", "files-server", "${HOME}"], "enabled": False},
    }
    assert written["exposure"]["default"] == "deferred"
    assert (empty / "config.toml").read_text().startswith("#:schema ./.mcpexpose/config.schema.json\n")
    assert (empty / ".mcpexpose" / "config.schema.json").is_file()
    assert ".mcp.json:7:22: warning secret-in-config" in done.out
    assert "files:icon" in done.out
    assert "wrote config.toml: 2 servers from .mcp.json (Claude Code)" in done.err
    assert "To set where something connects: GITHUB_AUTHORIZATION" in done.err
    assert "mcpexpose capture" in done.err


def test_what_lint_asks_for_next_is_a_capture_and_what_the_source_did_not_say(run: Run, empty: Path) -> None:
    """No error is of the import's making (C04)."""
    assert run("init", "--from", ".mcp.json").code == 0
    found = json.loads(run("lint", "--format", "json").out)["findings"]
    errors = {(each["slug"], each["subject"]) for each in found if each["severity"] == "error"}
    assert errors == {("catalog-missing", "github"), ("server-description-missing", "github")}


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_format_shows_a_credential(run: Run, empty: Path, form: str) -> None:
    """Nor the config, nor the chatter."""
    done = run("init", "--from", ".mcp.json", "--format", form)
    assert done.code == 0
    assert "secret-in-config" in done.out
    assert TOKEN not in done.out + done.err + (empty / "config.toml").read_text()
    if form in ("json", "sarif", "gitlab"):
        assert json.loads(done.out)


def test_a_config_that_is_there_is_never_overwritten(run: Run, project: Path) -> None:
    """Nor is anything read or said of the files (C01)."""
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": SERVERS}))
    before = (project / "config.toml").read_bytes()
    done = run("init", "--from", ".mcp.json")
    assert (done.code, done.out) == (2, "")
    assert "is there already" in done.err
    assert (project / "config.toml").read_bytes() == before


def test_another_place_may_be_given_and_several_files(run: Run, empty: Path) -> None:
    (empty / "team").mkdir()
    (empty / "codex.toml").write_text("[mcp_servers.docs]\ncommand = 'docs'\n")
    done = run("init", "team/mcp.toml", "--from", "codex.toml", "--from", ".mcp.json")
    assert done.code == 0
    assert list(tomllib.loads((empty / "team" / "mcp.toml").read_text())["mcp_servers"]) == ["docs", "github", "files"]
    assert "codex.toml (Codex), .mcp.json (Claude Code)" in done.err
    assert "give each command --config team/mcp.toml" in done.err


@pytest.mark.parametrize(
    ("name", "text", "code", "hint"),
    [
        ("x.json", "{", 1, "import-syntax"),
        ("x.json", "{}", 4, "--host"),
        ("x.json", '{"mcpServers": {}}', 4, "no server"),
        ("opencode.json", '{"mcp": {"a": {"enabled": false}}}', 4, "import-fragment"),
        ("x.json", '{"mcpServers": {"a": {"command": "x"}, "b": {}, "b": {}}}', 1, "import-duplicate-key"),
        ("x.toml", "[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a]\n", 1, "import-duplicate-key"),
    ],
)
def test_what_is_wrong_with_a_file_ends_by_the_table_of_codes(
    run: Run, empty: Path, name: str, text: str, code: int, hint: str
) -> None:
    """1 where something is at fault, 4 where there is nothing to import; nothing is written without a server."""
    (empty / name).write_text(text)
    done = run("init", "--from", name)
    assert done.code == code
    assert hint in done.out + done.err
    assert (empty / "config.toml").exists() == ('"a": {"command"' in text)
    assert (empty / ".mcpexpose").exists() == (empty / "config.toml").exists()


def test_a_file_that_is_not_there_is_usage(run: Run, empty: Path) -> None:
    done = run("init", "--from", "none.json")
    assert done.code == 2
    assert "none.json cannot be read" in done.err
    assert run("init", "--from", ".").code == 2
    assert run("init", "--host", "codex").code == 2
    assert run("init", "--from", ".mcp.json", "--host", "emacs").code == 2
    assert not (empty / "config.toml").exists()


def test_one_bad_file_does_not_stop_the_others(run: Run, empty: Path) -> None:
    (empty / "bad.json").write_text("{")
    done = run("init", "--from", "bad.json", "--from", ".mcp.json")
    assert done.code == 1
    assert list(tomllib.loads((empty / "config.toml").read_text())["mcp_servers"]) == ["github", "files"]


def test_the_host_may_be_said(run: Run, empty: Path) -> None:
    """Where a name misleads: to Cline a url is HTTP+SSE."""
    (empty / "x.json").write_text('{"mcpServers": {"a": {"url": "https://a.example/mcp"}}}')
    assert run("init", "a.toml", "--from", "x.json").code == 0
    assert run("init", "b.toml", "--from", "x.json", "--host", "cline").code == 0
    tables = [tomllib.loads((empty / name).read_text())["mcp_servers"]["a"] for name in ("a.toml", "b.toml")]
    assert [table.get("transport") for table in tables] == [None, "sse"]


def test_stdin_is_read(empty: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mcpexpose", "init", "--from", "-"],
        cwd=empty,
        input=(empty / ".mcp.json").read_bytes(),
        capture_output=True,
        check=False,
        timeout=120,
        env=_environ(),
    )
    assert done.returncode == 0, done.stderr
    assert b"from stdin" in done.stderr
    assert (empty / "config.toml").exists()


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_names_from_a_hostile_file_steer_no_terminal(run: Run, empty: Path) -> None:
    """Ids, keys and texts with escapes and bidi marks, in every format for people (law 6)."""
    evil = "x\x1b[31m\u202eevil\u200b"
    entry = {"command": evil, evil: evil, "env": {evil: evil}, "includeTools": [f"{evil}*"], "type": evil}
    (empty / "evil.json").write_text(json.dumps({"mcpServers": {evil: entry, "ok": {"command": "x"}}, evil: {}}))
    for form in ("text", "concise", "github", "markdown"):
        done = run("init", f"{form}.toml", "--from", "evil.json", "--format", form)
        assert done.code == 0
        for char in "\x1b\u202e\u200b":
            assert char not in done.out + done.err + (empty / f"{form}.toml").read_text()


def test_the_help_names_every_host_and_shows_how(run: Run) -> None:
    """C04"""
    text = run("init", "--help").out
    assert all(host in text for host in HOSTS)
    for word in ("--from .mcp.json", "Claude Code", "Codex", "never overwritten", "Exit codes"):
        assert word in " ".join(text.split())


def test_an_import_loads_no_heavy_library(empty: Path) -> None:
    """Neither mcp, jsonschema, pydantic, whoosh nor tomlkit (DESIGN section 9)."""
    code = (
        "from mcpexpose.cli.main import main\nimport sys\n"
        "code = main(['init', '--from', '.mcp.json'])\n"
        "heavy = {'mcp', 'jsonschema', 'pydantic', 'whoosh', 'tomlkit', 'yaml'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=empty, capture_output=True, check=False, timeout=120, env=_environ()
    )
    assert done.returncode == 0, done.stderr
