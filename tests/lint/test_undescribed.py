"""A deferred server that says nothing of itself, in a config with the catalogs of real servers."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcpexpose.cli.linting import lint
from mcpexpose.lint.choice import Choice
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding

QUICKSTART = Path(__file__).parents[2] / "examples" / "quickstart"
TIME = '[mcp_servers.time]\ncommand = "uvx"\nargs = ["mcp-server-time==2026.10.19"]\n'
SUMMARY = 'description = "The time now, and times of other zones"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(QUICKSTART, tmp_path / "quickstart"))


def found(folder: Path, summary: str) -> list[Finding]:
    """What lint says where SUMMARY stands in place of the description of the server `time`."""
    config = folder / "config.toml"
    text = config.read_text("utf-8")
    assert TIME + SUMMARY in text
    config.write_text(text.replace(TIME + SUMMARY, TIME + summary), "utf-8")
    workspace = Workspace(config, environ={}, now=datetime(2026, 11, 30, 12, tzinfo=UTC))
    return [each for each in lint(workspace, Choice()).findings if each.slug == "server-description-missing"]


@pytest.mark.parametrize("summary", ["", 'description = ""\n', 'description = "  "\n'])
def test_a_deferred_server_without_a_description_is_an_error(folder: Path, summary: str) -> None:
    """X07: at its table, by name, and with what to write."""
    (finding,) = found(folder, summary)
    assert finding.severity == "error"
    assert finding.subjects == ("time",)
    lines = (folder / "config.toml").read_text("utf-8").splitlines()
    assert finding.location is not None
    assert lines[finding.location.line - 1] == "[mcp_servers.time]"
    assert "description = " in finding.advice


@pytest.mark.parametrize("summary", [SUMMARY, 'exposure = "direct"\n', 'exposure = "hidden"\n', "enabled = false\n"])
def test_a_server_that_the_section_does_not_name_needs_none(folder: Path, summary: str) -> None:
    """X07: described, declared whole, or out of the model's sight."""
    assert found(folder, summary) == []
