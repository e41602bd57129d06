"""Runs policy tests, written as text, against a small config."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING

from mcpexpose.config.document import of_bytes
from mcpexpose.testing.compiled import subject_of
from mcpexpose.testing.run import run
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mcpexpose.report.tested import Failure, TestedFile
    from mcpexpose.testing.subject import Subject

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)

CONFIG = """\
[mcp_servers.git]
command = "mcp-git"
description = "Local git repositories"
groups = ["code"]
deny = ["git_push"]

[mcp_servers.git.tools."*"]
side_effect = "read_only"

[mcp_servers.git.tools.git_status]
exposure = "direct"

[mcp_servers.git.tools.git_commit]
side_effect = "write"

[mcp_servers.git.tools.git_gc]
exposure = "hidden"

[mcp_servers.mail]
command = "mcp-mail"
description = "Letters"
groups = ["office"]

[mcp_servers.mail.tools.send_letter]
side_effect = "destructive"

[mcp_servers.old]
command = "mcp-old"
enabled = false

[mcp_servers.lost]
command = "mcp-lost"
description = "Never captured"

[groups]
code = "Repositories"
office = "Letters"

[profiles.look]
groups = ["code"]
side_effects = ["read_only"]
default_tools = ["git/git_log"]
"""
TOOLS = {
    "git": {
        "git_status": "Show the state of the working tree",
        "git_log": "Show the history of commits",
        "git_commit": "Record staged changes as a commit",
        "git_push": "Send commits to a remote",
        "git_gc": "Clean up loose objects",
    },
    "mail": {"send_letter": "Send a letter to somebody", "read_letter": "Show one letter"},
}


def write(folder: Path, config: str = CONFIG) -> Path:
    """The config and its catalogs in FOLDER."""
    (folder / "catalogs").mkdir(exist_ok=True)
    for server, tools in TOOLS.items():
        listed = [
            {"name": name, "description": text, "inputSchema": {"type": "object"}} for name, text in tools.items()
        ]
        catalog = {"server": server, "captured_at": "2026-11-29T00:00:00Z", "tools": listed}
        (folder / "catalogs" / f"{server}.json").write_text(json.dumps(catalog))
    (folder / "config.toml").write_text(config)
    return folder / "config.toml"


def subject(folder: Path, config: str = CONFIG) -> Subject:
    """The plan of CONFIG, written to FOLDER."""
    return subject_of(Workspace(write(folder, config), environ={}, now=NOW), "config.toml", NOW)


def outcome(folder: Path, text: str, wanted: tuple[str, ...] = (), config: str = CONFIG) -> TestedFile:
    """What the tests in TEXT give."""
    return run(of_bytes(text.encode(), "team.expose.toml"), subject(folder, config), wanted)[0]


def failures(folder: Path, body: str, config: str = CONFIG) -> tuple[Failure, ...]:
    """What fails of one test with this BODY."""
    file = outcome(folder, f'[[tests]]\nname = "it"\n{body}\n', config=config)
    assert file.findings == ()
    return file.failures
