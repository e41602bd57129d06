"""What a shell completes, asked of the machinery that the shells ask."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from mcpexpose.cli.main import group

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def complete(project: Path, monkeypatch: pytest.MonkeyPatch) -> ShellComplete:
    monkeypatch.delenv("MCPEXPOSE_CONFIG", raising=False)
    monkeypatch.chdir(project)
    return ShellComplete(group, {}, "mcpexpose", "_MCPEXPOSE_COMPLETE")


def values(complete: ShellComplete, words: str) -> list[str]:
    """What is offered for the last of WORDS."""
    before, _, typed = words.rpartition(" ")
    return [item.value for item in complete.get_completions(shlex.split(before), typed)]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("rule secret-in", ["secret-in-catalog", "secret-in-config"]),
        ("lint --select findab", ["findability"]),
        ("lint --ignore exposu", ["exposure"]),
        ("lint --select config,secret-in-con", ["config,secret-in-config"]),
        ("inspect git/git_st", ["git/git_status"]),
        ("explain gi", ["git/git_commit", "git/git_gc", "git/git_log", "git/git_push", "git/git_status"]),
        ("explain nope/", []),
        ("lock ", ["git"]),
        ("lock git ", []),
        ("capture g", ["git"]),
        ("search --profile ", ["read"]),
        ("show --profile x", []),
        ("schema te", ["test"]),
        ("test --format ", ["text", "json", "junit"]),
        ("te", ["test"]),
    ],
)
def test_names_are_completed(complete: ShellComplete, words: str, offered: list[str]) -> None:
    """Rules, families, servers, tools, profiles, schemas (C04)."""
    assert values(complete, words) == offered


def test_options_before_it_are_heeded(complete: ShellComplete, tmp_path: Path, project: Path) -> None:
    """Another config, or a bundle, has other names."""
    from mcpexpose.workspace import Workspace

    other = ROOT / "examples" / "unattended-ci" / "config.toml"
    assert values(complete, f"plan --config {shlex.quote(str(other))} --profile ") == ["nightly", "watch"]
    Workspace(project / "config.toml", environ={}).write(project / "plan")
    assert values(complete, "inspect --plan plan git/") == ["git/git_commit", "git/git_log", "git/git_status"]


def test_what_a_shell_would_run_is_not_offered(complete: ShellComplete, project: Path) -> None:
    """A name of a repository or a server goes to the command line unquoted, and one key further it is run (C04)."""
    names = ["good", "$(id)", "a;id", "`id`", "a b", "a|b", "--config=x", "a&b", "a>b", "*", "~root", "a'b"]
    tables = "".join(f'[mcp_servers."{name}"]\ncommand = "x"\n' for name in names)
    (project / "config.toml").write_text(tables)
    assert values(complete, "capture ") == ["good"]


def test_where_there_is_nothing_to_read_nothing_is_said(
    complete: ShellComplete, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A shell is no place for errors."""
    (project / "config.toml").write_text("[mcp_servers.git\n")
    (project / "catalogs" / "git.json").write_text("{")
    for words in ("inspect g", "lock ", "search --profile ", "inspect --plan none g", "lock --config none.toml "):
        assert values(complete, words) == []
    (project / "config.toml").unlink()
    assert values(complete, "inspect g") == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell: str) -> None:
    """By the line that the README tells."""
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.search(rf"_MCPEXPOSE_COMPLETE={shell}_source mcpexpose", readme)
    done = subprocess.run(
        [sys.executable, "-m", "mcpexpose"],
        cwd=ROOT,
        env={**os.environ, "_MCPEXPOSE_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_MCPEXPOSE_COMPLETE={shell}_complete" in done.stdout
