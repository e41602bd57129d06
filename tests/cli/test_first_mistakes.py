"""What people do wrong on their first day, and whether they are told what is so."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

not_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")


def test_a_lock_of_nothing_is_not_written(run: Run, project: Path) -> None:
    """`lock` a step too early: else the first capture would be told to be of another config."""
    catalog = (project / "catalogs" / "git.json").read_bytes()
    (project / "catalogs" / "git.json").unlink()
    early = run("lock")
    assert early.code == 1
    assert "no lock is written" in early.err
    assert "catalog-missing" in early.err
    assert not (project / "mcpexpose.lock").exists()
    (project / "catalogs" / "git.json").write_bytes(catalog)
    assert "lock-stale" not in run("lint").out
    assert run("lock").code == 0


def test_a_server_that_the_lock_lacks_was_never_reviewed(run: Run, project: Path) -> None:
    """It is nobody's other config: a server was added, and captured."""
    assert run("lock").code == 0
    with (project / "config.toml").open("a") as file:
        file.write('[mcp_servers.more]\ncommand = "more"\ndescription = "More"\nowner = "me"\n')
    value = json.loads((project / "catalogs" / "git.json").read_text())
    (project / "catalogs" / "more.json").write_text(json.dumps({**value, "server": "more"}))
    assert "more is not in mcpexpose.lock, so it was never reviewed" in run("lint").out


@pytest.mark.parametrize("command", [("lint",), ("plan",), ("lock",), ("search", "x"), ("show",)])
def test_a_folder_of_catalogs_that_is_named_has_to_be_there(run: Run, project: Path, command: tuple[str, ...]) -> None:
    """A slip in `--catalogs` is a usage error, not one missing catalog a server."""
    gone = run(*command, "--catalogs", "catalogues")
    assert (gone.code, gone.err) == (2, "mcpexpose: catalogues is not there\n")
    file = run(*command, "--catalogs", "config.toml")
    assert (file.code, file.err) == (2, "mcpexpose: config.toml is no folder\n")


def test_capture_makes_the_folder_that_is_named(run: Run, project: Path) -> None:
    """It is the one command that writes there; a file in its place is none."""
    stored = "catalogs/git.json"
    assert run("capture", "git", "--from-file", stored, "--catalogs", "new/place").code == 0
    assert (project / "new" / "place" / "git.json").is_file()
    assert run("capture", "git", "--from-file", stored, "--catalogs", "config.toml").code == 2
    folder = run("capture", "git", "--from-file", "catalogs")
    assert (folder.code, folder.err) == (2, "mcpexpose: catalogs is no file\n")


def test_a_variable_that_names_no_config_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody who typed no name looks for one that is wrong."""
    monkeypatch.setenv("MCPEXPOSE_CONFIG", "agents.toml")
    done = run("plan")
    assert (done.code, "agents.toml is not there ($MCPEXPOSE_CONFIG names it)" in done.err) == (2, True)
    monkeypatch.setenv("MCPEXPOSE_CONFIG", "catalogs")
    assert "($MCPEXPOSE_CONFIG names it)" in run("plan").err


def test_a_config_that_cannot_be_opened_is_not_called_absent(run: Run, project: Path) -> None:
    """It is there, and may be the config."""
    (project / "config.toml").unlink()
    (project / "config.toml").symlink_to("config.toml")
    done = run("plan")
    assert done.code == 2
    assert "config.toml cannot be read, so it may be the config" in done.err
    (project / "config.toml").unlink()
    assert run("plan").code == 4


@not_root
@pytest.mark.parametrize("file", ["config.toml", "team.toml", "catalogs"])
def test_what_may_not_be_read_is_not_called_absent(run: Run, project: Path, file: str) -> None:
    (project / "team.toml").write_text('name = "team"\nversion = "1"\ndescription = "d"\n')
    text = (project / "config.toml").read_text()
    (project / "config.toml").write_text('extends = ["./team.toml"]\n' + text)
    (project / file).chmod(0)
    try:
        done = run("lint")
    finally:
        (project / file).chmod(0o755)
    assert "cannot be read" in done.out + done.err
    assert "there is no" not in done.out + done.err


def test_an_unknown_rule_says_where_the_names_are(run: Run) -> None:
    """Where no name is near."""
    done = run("lint", "--select", "zzzzzz")
    assert (done.code, "`mcpexpose rule` lists them" in done.err) == (2, True)


def test_an_empty_diff_says_why(run: Run, project: Path) -> None:
    """Silence would be taken for: nothing is wrong."""
    done = run("lint", "--diff")
    assert (done.code, done.out, done.err) == (0, "", "mcpexpose: there is nothing that --fix mends\n")
    text = (project / "config.toml").read_text()
    (project / "config.toml").write_text(text.replace("owner =", "ownr ="))
    done = run("lint", "--diff")
    assert (done.code, done.out) == (1, "")
    assert "--unsafe-fixes mends 1 finding by what is a guess" in done.err
    assert "+owner" in run("lint", "--diff", "--unsafe-fixes").out
