"""A repository as a team has it: two commits, and what the commands of a pull request say about the second."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcpexpose.cli import exits

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
NOW = "2026-12-01T00:00:00Z"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


class Repository:
    """A clone of an example in a repository of its own; commands run in it as processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "examples" / "quickstart", folder)
        self.git("init", "-q")
        self.commit("As the example has it")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=somebody", "-c", "user.email=s@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *words], cwd=self.folder, capture_output=True, text=True, check=True, env=environment()
        )
        return done.stdout

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def change(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and stdout of a command in a fresh interpreter."""
        done = subprocess.run(
            [sys.executable, "-m", "mcpexpose", *words, "--now", NOW],
            cwd=self.folder,
            env={**environment(), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert "internal error" not in done.stderr
        return done.returncode, done.stdout

    def codes(self) -> dict[str, int]:
        """What each command of a pull request ends with."""
        return {
            "lint": self.run("lint")[0],
            "lock": self.run("lock", "--check")[0],
            "plan": self.run("plan", "--against", "HEAD~1")[0],
            "detailed": self.run("plan", "--against", "HEAD~1", "--detailed-exitcode")[0],
            "test": self.run("test")[0],
        }


def environment() -> dict[str, str]:
    """Without what would lead git, or mcpexpose, elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MCPEXPOSE_"))}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "team")


def comment(repository: Repository) -> None:
    repository.change("config.toml", "# Five small servers.", "# Five servers.")


def widen(repository: Repository) -> None:
    """More is told at once, and no assertion is against it."""
    repository.change(
        "config.toml",
        "[mcp_servers.time]",
        '[mcp_servers.git.tools.git_add]\nexposure = "direct"\n\n[mcp_servers.time]',
    )


def lift_the_policy(repository: Repository) -> None:
    """A model may forget, which a test forbids."""
    repository.change("config.toml", 'deny = ["delete_*"]', "deny = []")


def mistype(repository: Repository) -> None:
    repository.change("config.toml", 'deny = ["delete_*"]', 'deny = ["delet_*"]')


def drift(repository: Repository) -> None:
    """A server's text is another, and nobody accepted it."""
    repository.change("catalogs/git.json", "Shows the working tree status", "Shows the state of the working tree")


def drift_accepted(repository: Repository) -> None:
    drift(repository)
    assert repository.run("lock")[0] == exits.OK


def forget_the_lock(repository: Repository) -> None:
    (repository.folder / "mcpexpose.lock").unlink()


def forget_the_tests(repository: Repository) -> None:
    (repository.folder / "quickstart.expose.toml").unlink()


OK, FINDINGS, DIFFERS, NOTHING = exits.OK, exits.FINDINGS, exits.DIFFERS, exits.NOTHING_CHECKED


@pytest.mark.parametrize(
    ("change", "lint", "lock", "plan", "detailed", "test"),
    [
        (comment, OK, OK, OK, OK, OK),
        (widen, OK, OK, OK, DIFFERS, OK),
        (lift_the_policy, OK, OK, OK, DIFFERS, FINDINGS),
        (mistype, FINDINGS, OK, FINDINGS, FINDINGS, FINDINGS),
        (drift, FINDINGS, DIFFERS, FINDINGS, FINDINGS, OK),
        (drift_accepted, OK, OK, OK, DIFFERS, OK),
        (forget_the_lock, OK, DIFFERS, OK, OK, OK),
        (forget_the_tests, OK, OK, OK, OK, NOTHING),
    ],
)
def test_a_pull_request_ends_with_the_codes_of_the_table(
    repository: Repository,
    change: Callable[[Repository], None],
    lint: int,
    lock: int,
    plan: int,
    detailed: int,
    test: int,
) -> None:
    """C04, C07: each command says its own thing about the second commit, and no more."""
    change(repository)
    repository.commit(change.__name__)
    assert repository.codes() == {"lint": lint, "lock": lock, "plan": plan, "detailed": detailed, "test": test}
    assert repository.git("status", "--porcelain") == ""


def test_what_fails_is_named_at_its_line(repository: Repository) -> None:
    """C04: of a policy that was lifted, the assertion, the tools, and the key that would deny them."""
    lift_the_policy(repository)
    repository.commit("Let the model forget")
    code, out = repository.run("test", "--format", "json")
    assert code == FINDINGS
    (file,) = json.loads(out)["files"]
    (failed,) = (test for test in file["tests"] if test["outcome"] == "failed")
    assert failed["name"] == "what was learnt is not forgotten by a model"
    keys = {failure["key"] for failure in failed["failures"]}
    assert keys == {"not_visible", "never_finds"}
    line = (repository.folder / "quickstart.expose.toml").read_text("utf-8").splitlines()
    for failure in failed["failures"]:
        assert line[failure["line"] - 1].startswith(failure["key"])
        assert "memory/delete_" in failure["message"]
        assert "[mcp_servers.memory]" in failure["advice"]
