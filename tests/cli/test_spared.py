"""No report is written over what a command reads, and no two go to one file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

PACK = 'name = "team"\nversion = "1"\ndescription = "d"\n'
TESTS = '[[tests]]\nname = "a"\nsees = ["git/git_status"]\n'


@pytest.fixture
def whole(run: Run, project: Path) -> Path:
    """A project with all that may lie beside a config."""
    (project / "team.toml").write_text(PACK)
    (project / "git.expose.toml").write_text(TESTS)
    text = (project / "config.toml").read_text()
    (project / "config.toml").write_text('extends = ["./team.toml"]\n' + text)
    assert run("lock").code == 0
    assert run("plan", "--out", "build/plan").code == 0
    return project


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("config.toml", "the config"),
        ("mcpexpose.lock", "the lock"),
        ("team.toml", "a policy pack"),
        ("git.expose.toml", "a file of policy tests"),
        ("catalogs/git.json", "a catalog"),
        ("build/plan/plan.json", "in a bundle"),
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        ("lint", "--output", "json={}"),
        ("lint", "--baseline", "{}", "--write-baseline"),
        ("plan", "--output", "json={}"),
        ("test", "--output", "json={}"),
        ("export", "--to", "mcp", "--out", "{}"),
    ],
)
def test_a_report_replaces_no_input(run: Run, whole: Path, words: tuple[str, ...], file: str, what: str) -> None:
    """A slip of the hand costs nobody a config, a lock or a bundle: a usage error, and every byte stays."""
    before = (whole / file).read_bytes()
    done = run(*(word.format(file) for word in words))
    assert done.code == 2
    assert f"{file} is {what}" in done.err
    assert (whole / file).read_bytes() == before


def test_another_name_of_an_input_is_that_input(run: Run, whole: Path) -> None:
    """By way of a link, of `..`, and of a second link to the same file."""
    (whole / "soft").symlink_to("config.toml")
    os.link(whole / "config.toml", whole / "hard")
    for name in ("soft", "hard", "build/../config.toml"):
        assert run("plan", "--output", f"json={name}").code == 2, name


def test_a_new_file_in_the_bundle_would_damage_it(run: Run, whole: Path) -> None:
    """A file that no manifest lists makes a reader refuse the bundle."""
    done = run("plan", "--out", "build/other", "--output", "markdown=build/other/plan.md")
    assert done.code == 2
    assert "build/other/plan.md is in the bundle" in done.err
    assert not (whole / "build/other").exists()
    assert run("verify", "build/plan", "--output", "json=build/plan/plan.json").code == 2
    assert run("verify", "build/plan").code == 0
    assert run("plan", "--out", "build/other", "--output", "markdown=build/other.md").code == 0


def test_the_baseline_that_is_read_is_no_place_for_a_report(run: Run, whole: Path) -> None:
    """It would be gone for the next run."""
    assert run("lint", "--baseline", "base.json", "--write-baseline").code == 0
    done = run("lint", "--baseline", "base.json", "--output", "json=base.json")
    assert (done.code, "base.json is the baseline" in done.err) == (2, True)
    assert run("lint", "--baseline", "base.json", "--write-baseline").code == 0


def test_two_reports_to_one_file_are_a_usage_error(run: Run, whole: Path) -> None:
    """The last would win without a word; a device takes both."""
    done = run("lint", "--output", "sarif=report", "--output", "junit=./report")
    assert (done.code, "two reports go to 'report'" in done.err) == (2, True)
    assert not (whole / "report").exists()
    assert run("lint", "--output", f"sarif={os.devnull}", "--output", f"junit={os.devnull}").code == 0


def test_a_folder_of_catalogs_may_hold_reports(run: Run, whole: Path) -> None:
    """But not under a name that would be read as a catalog, be it there or not."""
    for _ in range(2):
        assert run("plan", "--output", "json=catalogs/plan.json").code == 0
    (whole / "catalogs" / "git.json").unlink()
    done = run("lint", "--output", "json=catalogs/git.json")
    assert (done.code, "catalogs/git.json is a catalog" in done.err) == (2, True)


def test_an_old_report_is_replaced(run: Run, whole: Path) -> None:
    """What a command wrote before is what a command may write again."""
    for _ in range(2):
        assert run("plan", "--output", "json=plan.json", "--output", "markdown=plan.md").code == 0
