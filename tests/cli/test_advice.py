"""What a slip of an operator is answered with: the fact, the place, and the nearest right thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

import pytest

from mcpexpose.model.config import LimitTarget
from mcpexpose.model.limits import TARGETS

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("schema", "confg"), "did you mean config?"),
        (("lock", "gti"), 'the config has no enabled server "gti"; did you mean "git"?'),
        (("lock", "GIT"), 'the config has no enabled server "GIT"; did you mean "git"?'),
        (("capture", "GIT", "--yes"), 'the config has no enabled server "GIT"; did you mean "git"?'),
        (("explain", "GIT/git_log"), "has no server GIT; did you mean git?"),
        (("explain", "git/GIT_LOG"), "did you mean git/git_log?"),
        (("explain", "git/gitLog"), "did you mean git/git_log?"),
        (("rule", "HIDDEN_TEXT"), "did you mean hidden-text?"),
        (("lint", "--select", "Hidden.Text"), "did you mean hidden-text?"),
        (("show", "--profile", "raed"), "it has: read"),
        (("test", "config.toml"), "config.toml is a config, and no test file; its tests: mcpexpose test --config"),
        (("inspect", "git/git_statu"), "mcpexpose explain git/git_statu"),
        (("audit", "none.jsonl"), "none.jsonl is not there"),
        (("runs", "--store", "none.sqlite"), "none.sqlite is not there"),
        (("init", "none/config.toml"), "none is not there"),
        (("explain", "git__git_log"), "as in git/git_log"),
        (("verify", ".", "--expected-digest", "abc"), "64 hexadecimal digits"),
        (("lint", "--output", "sarf=x"), "did you mean sarif?"),
    ],
)
def test_a_slip_is_answered_with_the_right_thing(run: Run, words: tuple[str, ...], said: str) -> None:
    done = run(*words)
    assert done.code == 2
    assert said in done.err


def test_a_plan_without_profiles_says_so(run: Run, project: Path) -> None:
    config = project / "config.toml"
    config.write_text(config.read_text().partition("[profiles.read]")[0])
    assert "it has none at all" in run("show", "--profile", "read").err


def test_no_config_is_answered_with_how_to_get_one(run: Run, project: Path) -> None:
    (project / "config.toml").unlink()
    done = run("lint")
    assert done.code == 4
    assert "`mcpexpose init` writes one" in done.err


def test_a_config_that_is_not_found_by_its_name_is_told_of(run: Run) -> None:
    assert "--config agents.toml" in run("init", "agents.toml").err
    assert "--config" not in run("init", "mcpexpose.toml").err


@pytest.mark.parametrize(
    ("line", "where", "message", "advice"),
    [
        ("until = 2026-13-01", "9", "2026-13-01 is no date", "Write year, month and day"),
        ("until = 2026-1-01", "9", "2026-1-01 is no date", "Write year, month and day"),
        ("until = 2026-12-31x", "19", "something follows a value on its line", "Put each key"),
        ('targets = ["antropic"]', "12", '[exposure] targets[0] is "antropic"', 'Did you mean "anthropic"?'),
        ('auto_approve = ["gitt/git_log"]', "17", "there is no server gitt", 'Write "git/git_log"'),
    ],
)
def test_a_value_is_answered_at_its_place(
    run: Run, project: Path, line: str, where: str, message: str, advice: str
) -> None:
    table = {"until": "[[waivers]]", "targets": "", "auto_approve": "[policy]"}[line.split(" ")[0]]
    config = project / "config.toml"
    if table:
        config.write_text(f"{config.read_text()}\n{table}\n{line}\n")
    else:
        config.write_text(config.read_text().replace("[exposure]\n", f"[exposure]\n{line}\n"))
    found = json.loads(run("lint", "--format", "json").out)["findings"]
    said = [each for each in found if message in each["message"]]
    assert [str(each["column"]) for each in said] == [where]
    assert advice in said[0]["advice"]


def test_the_targets_of_a_config_are_those_that_there_are_limits_of() -> None:
    assert get_args(LimitTarget) == TARGETS


def test_what_holds_a_plan_up_is_the_change_and_not_the_config(run: Run, project: Path) -> None:
    """C07: after a definition changed, nothing is said against a config that has no error."""
    assert run("lock").code == 0
    catalog = project / "catalogs" / "git.json"
    catalog.write_text(catalog.read_text().replace("Show the history", "Tell the history"))
    for words in (("plan", "--out", "build/plan"), ("export", "--to", "mcp", "--out", "tools.json")):
        done = run(*words)
        assert done.code == 1
        assert "it is not what was reviewed; read what changed, and `mcpexpose lock` accepts it" in done.err


def test_a_folder_that_is_not_overwritten_is_told_of_once(run: Run) -> None:
    """With what to do."""
    done = run("plan", "--out", "catalogs")
    assert done.code == 2
    assert done.err.count("nothing there is overwritten") == 1
    assert "Give --out a folder of its own" in done.err


def test_a_file_that_is_no_catalog_is_not_answered_with_the_command_that_took_it(run: Run) -> None:
    done = run("capture", "git", "--from-file", "config.toml")
    assert done.code == 1
    assert "Give --from-file a tools/list result" in done.out
    assert "Run `mcpexpose capture" not in done.out
