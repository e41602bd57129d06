"""`mcpexpose capture` from a config.toml to catalogs, against real servers of the SDK on every transport."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp.server.mcpserver import MCPServer

from mcpexpose.cli.main import main
from tests.fakes import sdk_server
from tests.fakes.web import closed_port, handshake_only, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

PROTOCOLS = {
    "pipe-new": "2026-07-28",
    "pipe-old": "2025-11-25",
    "http-new": "2026-07-28",
    "http-old": "2025-11-25",
    "sse": "2025-11-25",
}
TOKEN = "s3cr3t-of-the-test"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a config of six servers, one of them down."""
    pipe = json.dumps(sys.executable)
    script = json.dumps(str(Path(sdk_server.__file__)))
    old = MCPServer("old")

    @old.tool()
    def a(what: str) -> str:
        """Looks."""
        return what

    new = sdk_server.build(["a", "b", "c"], 2).streamable_http_app
    with serving(new()) as http_new, serving(handshake_only(new())) as http_old, serving(old.sse_app()) as sse:
        (tmp_path / "config.toml").write_text(
            f"""\
schema_version = 1

[mcp_servers.pipe-new]
command = {pipe}
args = [{script}, "2", "a", "b", "c"]
startup_timeout_sec = 120

[mcp_servers.pipe-old]
command = {pipe}
args = [{script}, "--old", "2", "a", "b", "c"]
startup_timeout_sec = 120

[mcp_servers.http-new]
url = "{http_new}/mcp"
bearer_token_env_var = "CAPTURE_TOKEN"
startup_timeout_sec = 120

[mcp_servers.http-old]
url = "{http_old}/mcp"
startup_timeout_sec = 120

[mcp_servers.sse]
transport = "sse"
url = "{sse}/sse"
startup_timeout_sec = 120

[mcp_servers.down]
url = "http://127.0.0.1:{closed_port()}/mcp"

[mcp_servers.off]
command = "no-such-program"
enabled = false
""",
            encoding="utf-8",
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CAPTURE_TOKEN", TOKEN)
        monkeypatch.delenv("MCPEXPOSE_CONFIG", raising=False)
        monkeypatch.setenv("MCPEXPOSE_STATE_DIR", str(tmp_path / "state"))
        yield tmp_path


def test_a_config_becomes_catalogs_and_one_server_down_is_5(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """C06: the rest is written, each in its own era; nobody's secret is told."""
    assert main(["capture", "--yes", "--format", "json"]) == 5
    out, err = capfd.readouterr()
    told = {each["server"]: each for each in json.loads(out)["servers"]}
    assert sorted(told) == sorted([*PROTOCOLS, "down"])
    assert told["down"]["unavailable"]
    assert [finding["slug"] for finding in told["down"]["findings"]] == ["capture-failed"]
    assert {path.stem for path in (project / "catalogs").iterdir()} == set(PROTOCOLS)
    for server, protocol in PROTOCOLS.items():
        catalog = json.loads((project / "catalogs" / f"{server}.json").read_text(encoding="utf-8"))
        assert catalog["server"] == server
        assert catalog["protocol"] == protocol, server
        assert [tool["name"] for tool in catalog["tools"]] == (["a"] if server == "sse" else ["a", "b", "c"])
        assert told[server]["requests"] == ([None] if server == "sse" else [None, "2"])
        assert TOKEN not in json.dumps(catalog)
    assert TOKEN not in out + err


@pytest.mark.slow
def test_a_second_capture_finds_the_same(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """0, and not a byte of the tools differs."""
    servers = list(PROTOCOLS)
    assert main(["capture", "--yes", *servers]) == 0
    assert main(["capture", "--yes", "--check", *servers]) == 0
    assert capfd.readouterr().out.count("as in the catalog") == len(servers)


def test_without_a_yes_nothing_is_run_or_called(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["capture"]) == 2
    assert not (project / "catalogs").exists()
    assert "sdk_server.py" in capfd.readouterr().err


def test_a_server_left_out_for_its_broken_table_is_not_passed_over_in_silence(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (project / "config.toml").read_text(encoding="utf-8")
    (project / "config.toml").write_text(text.replace('transport = "sse"', 'transport = "carrier pigeon"'))
    main(["capture", "--yes", "pipe-new"])
    err = capfd.readouterr().err
    assert "config.toml has an error" in err
    assert "mcpexpose lint" in err
