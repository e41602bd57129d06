"""Running the command line in this process, and in a fresh one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent.parent
NOW = "2026-11-30T12:00:00Z"

CONFIG = """\
schema_version = 1

[exposure]
default = "deferred"

[freshness]
max_age = "7d"

[mcp_servers.git]
command = "mcp-git"
description = "Local git repositories"
owner = "me"
groups = ["code"]
deny = ["git_push"]

[mcp_servers.git.tools."git_status"]
exposure = "direct"
side_effect = "read_only"

[mcp_servers.git.tools."git_log"]
side_effect = "read_only"

[mcp_servers.git.tools."git_commit"]
side_effect = "write"

[mcp_servers.git.tools."git_gc"]
exposure = "hidden"
side_effect = "write"

[groups]
code = "Repositories"

[profiles.read]
description = "look, and touch nothing"
side_effects = ["read_only"]
default_tools = ["git/git_log"]
"""

TOOLS = {
    "git_status": "Show the state of the working tree",
    "git_log": "Show the history of commits",
    "git_commit": "Record staged changes as a commit",
    "git_push": "Send commits to a remote",
    "git_gc": "Clean up loose objects",
}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a config of one server and its catalog."""
    import json

    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "catalogs").mkdir()
    tools = [
        {
            "name": name,
            "description": text,
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string", "description": "Where"}}},
        }
        for name, text in TOOLS.items()
    ]
    catalog = {"format": 1, "server": "git", "captured_at": "2026-11-28T12:00:00Z", "complete": True, "tools": tools}
    (tmp_path / "catalogs" / "git.json").write_text(json.dumps(catalog, indent=1))
    return tmp_path


@pytest.fixture
def run(project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Runs the command line in the project's folder, at a fixed time where the command has one."""
    from mcpexpose.cli.main import main

    for name in ("MCPEXPOSE_CONFIG", "MCPEXPOSE_DEBUG", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)

    def call(*arguments: str) -> Ran:
        capfd.readouterr()
        timed = {"lint", "plan", "search", "show", "inspect", "explain", "test", "export"}
        more = ["--now", NOW] if arguments and arguments[0] in timed and "--now" not in arguments else []
        code = main([*arguments, *more])
        return Ran(code, *capfd.readouterr())

    return call


@pytest.fixture
def fresh(project: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs it in a fresh interpreter."""

    def call(*arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
        kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}}
        return subprocess.run(
            [sys.executable, "-m", "mcpexpose", *arguments],
            cwd=project,
            env={**kept, "PYTHONPATH": str(ROOT), **environ},
            capture_output=True,
            check=False,
            timeout=120,
        )

    return call
