"""The hooks for pre-commit: a manifest that it takes, commands and options that there are, a run in a repository."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from mcpexpose.cli.main import group

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS: list[dict[str, Any]] = yaml.safe_load(MANIFEST.read_text("utf-8"))
each_hook = pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))


def pre_commit(*arguments: str, folder: Path = ROOT, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_pre_commit_takes_the_manifest() -> None:
    """By its own schema (C04)."""
    done = pre_commit("validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_configuration_of_the_readme_is_one(tmp_path: Path) -> None:
    """By pre-commit's schema, with hooks that there are (C04)."""
    found = re.search(r"<!-- pre-commit -->\n```yaml\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert found
    (tmp_path / "config.yaml").write_text(found[1], "utf-8")
    assert pre_commit("validate-config", str(tmp_path / "config.yaml")).returncode == 0
    (repo,) = yaml.safe_load(found[1])["repos"]
    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in HOOKS]


@each_hook
def test_a_hook_runs_a_command_with_options_that_it_has(hook: dict[str, Any]) -> None:
    """A hook that ends with 2 stops every commit."""
    program, name, *options = shlex.split(hook["entry"])
    assert program == "mcpexpose"
    command = group.get_command(click.Context(group), name)
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert set(options) <= known
    assert hook["pass_filenames"] is False  # what is wrong with a catalog is seen with its config alone


@each_hook
def test_a_hook_runs_for_what_its_command_reads(hook: dict[str, Any]) -> None:
    """Config, a pack of any name, a catalog; not for the rest of a repository."""
    read = ["config.toml", "agents/mcpexpose.toml", ".mcpexpose/config.toml", "team.toml", "catalogs/git.json"]
    read += ["a/catalogs/git.json.gz", "mcpexpose.lock"] if "test" not in hook["id"] else ["tests/ci.expose.toml"]
    assert [name for name in read if not re.search(hook["files"], name)] == []
    other = ["README.md", "src/config.toml.py", "package.json", "docs/catalogs.md", "not-mcpexpose.lock.md", "uv.lock"]
    assert [name for name in other if re.search(hook["files"], name)] == []


@pytest.mark.live
def test_the_hooks_run_in_a_repository(tmp_path: Path) -> None:
    """`pre-commit try-repo` installs this tree and runs its hooks: passed, then failed with the finding (C04)."""
    if not can_install():
        pytest.skip("pre-commit installs the dependencies from a package index, and none answers here")
    ours, theirs = tmp_path / "mcpexpose", tmp_path / "theirs"
    for name in ("mcpexpose", "schemas", "policies"):
        shutil.copytree(ROOT / name, ours / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, ours / name)
    shutil.copytree(ROOT / "examples" / "quickstart", theirs)
    for folder in (ours, theirs):
        git(folder, "init", "--quiet")
        git(folder, "add", "--all")
        git(folder, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--quiet", "--message", "x")
    home = str(tmp_path / "home")

    def hook(name: str) -> subprocess.CompletedProcess[str]:
        return pre_commit("try-repo", str(ours), name, "--all-files", "--verbose", folder=theirs, PRE_COMMIT_HOME=home)

    done = hook("mcpexpose-lint")
    assert done.returncode == 0, done.stdout + done.stderr
    assert hook("mcpexpose-lock-check").returncode == 0
    config = theirs / "config.toml"
    config.write_text(config.read_text("utf-8").replace("owner =", "ownr =", 1), "utf-8")
    done = hook("mcpexpose-lint")
    assert done.returncode == 1
    assert "config-unknown-key" in done.stdout


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def can_install() -> bool:
    """Whether pip finds what this package is built with."""
    asked = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", "hatchling"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0
