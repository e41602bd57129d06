"""The flow: each step once, places as lines, and nothing read that is not needed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from mcpexpose.cli.linting import lint
from mcpexpose.lint.choice import Choice
from mcpexpose.model.errors import InputMissing, PlanRefused
from mcpexpose.model.finding import Place, Severity
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CONFIG = """\
extends = ["baseline"]
[freshness]
max_age = "7d"
[mcp_servers.git]
command = "mcp-git"
description = "Local git repositories"
owner = "me"
[mcp_servers.off]
command = "x"
enabled = false
"""
TOOLS = [
    {"name": "git_log", "description": "Show the history", "inputSchema": {"type": "object"}},
    {"name": "delete_all", "description": "Delete everything", "inputSchema": {"type": "object"}},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "catalogs").mkdir()
    catalog = {"format": 1, "server": "git", "captured_at": "2026-11-28T12:00:00Z", "tools": TOOLS}
    (tmp_path / "catalogs" / "git.json").write_text(json.dumps(catalog, indent=1))
    return tmp_path


def open_(folder: Path, **more: object) -> Workspace:
    return Workspace(folder / "config.toml", environ={}, now=NOW, **more)  # type: ignore[arg-type]


def wrong(workspace: Workspace) -> list[str]:
    """Slugs of errors and warnings: that there is no lock is information."""
    return [finding.slug for finding in workspace.findings if finding.severity is not Severity.INFO]


def test_the_steps_lead_from_a_text_to_a_plan(folder: Path) -> None:
    """Config, packs, catalogs, plan (C02)."""
    workspace = open_(folder)
    assert workspace.servers == ("git",)
    assert [tool.name for tool in workspace.compiled.plan.tools] == ["delete_all", "git_log"]
    assert workspace.compiled is workspace.compiled
    assert workspace.writable
    assert workspace.freshness("git").state == "fresh"


def test_the_shipped_pack_is_found_and_its_lines_too(folder: Path) -> None:
    """`explain` names the line of a pack (C05)."""
    workspace = open_(folder)
    (decision,) = [each for each in workspace.compiled.decisions if each.id.name == "delete_all"]
    (because,) = [each for each in decision.because if each.axis == "side_effect"]
    assert because.layer == "pack"
    at = workspace.locate(Place(because.file, because.path))
    assert at is not None
    assert at.file == because.file
    assert workspace.is_shipped(at.file)
    assert workspace.line(at.file, at.line)


def test_places_become_lines_in_config_and_catalog(folder: Path) -> None:
    """Forward slashes, relative to the config's folder."""
    workspace = open_(folder)
    at = workspace.locate(Place("config.toml", ("mcp_servers", "git", "owner")))
    assert at is not None
    assert (at.line, at.column) == (7, 9)
    at = workspace.locate(Place("catalogs/git.json", ("tools", 1, "name")))
    assert at is not None
    line = workspace.line("catalogs/git.json", at.line)
    assert line is not None
    assert line[at.column - 1 : at.end_column - 1] == '"delete_all"'
    assert workspace.locate(Place("elsewhere.toml", ())) is None
    assert workspace.line("elsewhere.toml", 1) is None
    assert workspace.line("config.toml", 99) in {None, ""}


def test_a_text_that_is_no_config_has_findings_and_no_plan(folder: Path) -> None:
    """An exception means that a stage has no value."""
    (folder / "config.toml").write_text("[")
    workspace = open_(folder)
    assert [finding.slug for finding in workspace.findings] == ["toml-syntax"]
    assert not workspace.writable
    with pytest.raises(PlanRefused) as refused:
        _ = workspace.compiled
    assert [finding.slug for finding in refused.value.findings] == ["toml-syntax"]
    with pytest.raises(PlanRefused):
        workspace.write(folder / "out")
    assert not (folder / "out").exists()


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    """Named and missing is exit 2."""
    with pytest.raises(InputMissing) as missing:
        _ = open_(tmp_path).document
    assert missing.value.exit_code == 2


def test_a_switched_off_server_needs_no_catalog(folder: Path) -> None:
    """As if it were not there."""
    assert wrong(open_(folder)) == []


def test_an_old_catalog_is_found_by_the_clock_that_was_given(folder: Path) -> None:
    """The plan does not change with the clock (law 5)."""
    late = Workspace(folder / "config.toml", environ={}, now=datetime(2027, 1, 1, tzinfo=UTC))
    assert wrong(late) == ["stale-catalog"]
    assert late.compiled == open_(folder).compiled


def test_catalogs_elsewhere(folder: Path) -> None:
    """Findings name the folder that was given."""
    (folder / "catalogs").rename(folder / "other")
    assert [finding.slug for finding in open_(folder).findings] == ["catalog-missing"]
    workspace = open_(folder, catalogs=folder / "other")
    assert wrong(workspace) == []
    assert workspace.locate(Place("other/git.json", ("tools", 0))) is not None


def test_a_pack_beside_the_config_is_named_without_its_dot(folder: Path) -> None:
    """Found and broken ones alike have lines."""
    text = (folder / "config.toml").read_text()
    (folder / "config.toml").write_text(text.replace('"baseline"', '"./team.toml"'))
    pack = 'name = "team"\nversion = "1"\n[[constraints]]\nmatch = "*/delete_*"\ndeny = true\nreason = "r"\n'
    (folder / "team.toml").write_text(pack)
    workspace = open_(folder)
    (decision,) = [each for each in workspace.compiled.decisions if each.id.name == "delete_all"]
    because = next(each for each in decision.because if each.layer == "pack")
    at = workspace.locate(Place(because.file, because.path))
    assert at is not None
    assert at.file == "team.toml"
    assert workspace.line("team.toml", 4) == 'match = "*/delete_*"'
    (folder / "team.toml").write_text(pack.replace("deny = true", 'deny = "yes"'))
    (finding,) = [each for each in open_(folder).findings if each.slug == "config-type"]
    assert finding.location is not None
    assert (finding.location.file, finding.location.line) == ("team.toml", 5)


FAULTY = """\
[mcp_servers.git]
url = "http://tools.example.com/mcp"
description = "Local git repositories"
deny = ["drop_*"]
http_headers = { X-Api-Key = "Zq81xkPw02mVb7LrT4", Trace = "${NOT_SET}", Old = "{env:OLD}" }
[mcp_servers.git.tools.git_log]
side_effect = "reader"
[mcp_servers.Git]
command = "mcp-git"
description = "Another"
"""


def test_a_table_at_fault_hides_no_other_fault_of_it(folder: Path) -> None:
    """One run tells all that is wrong with a server, though one wrong value keeps it out of the plan (C02)."""
    (folder / "config.toml").write_text(FAULTY)
    workspace = open_(folder)
    found = {(finding.slug, finding.subjects[0]) for finding in workspace.found}
    assert {
        ("config-value", "git:tools.git_log.side_effect"),
        ("secret-in-config", "git:http_headers.X-Api-Key"),
        ("env-unset", "git:http_headers.Trace"),
        ("env-foreign-syntax", "git:http_headers.Old"),
        ("pattern-matches-nothing", "git:deny[0]"),
    } <= found
    assert "Zq81xkPw02mVb7LrT4" not in repr(workspace.found)
    assert "Zq81xkPw02mVb7LrT4" not in workspace.conceal(FAULTY)
    assert not workspace.writable
    assert not workspace.compiled.plan.tools


def test_a_table_at_fault_is_linted_as_far_as_it_can_be_read(folder: Path) -> None:
    """Rules on the transport and on ids do not wait for the rest of the table (C02)."""
    (folder / "config.toml").write_text(FAULTY)
    slugs = {finding.slug for finding in lint(open_(folder), Choice()).findings}
    assert {"plain-http", "lookalike-server", "config-value"} <= slugs
    assert "server-description-missing" not in slugs
