"""`mcpexpose init`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]


@pytest.fixture
def empty(project: Path) -> Path:
    (project / "config.toml").unlink()
    (project / "catalogs" / "git.json").unlink()
    return project


def test_the_first_config_lints_clean_but_for_the_capture(run: Run, empty: Path) -> None:
    """A newcomer's next step is the one that is named (C01)."""
    assert run("init").code == 0
    done = run("lint", "--format", "json")
    assert [finding["slug"] for finding in json.loads(done.out)["findings"]] == ["catalog-missing"]


def test_nothing_is_overwritten(run: Run, project: Path) -> None:
    """A config that is there stays as it is, and the command ends with 2."""
    before = (project / "config.toml").read_bytes()
    done = run("init")
    assert done.code == 2
    assert "config.toml is there already" in done.err
    assert (project / "config.toml").read_bytes() == before


def test_a_folder_and_a_name_may_be_given(run: Run, empty: Path) -> None:
    """`init sub` and `init mcpexpose.toml`; one that cannot be written ends with 2."""
    (empty / "sub").mkdir()
    assert run("init", "sub").code == 0
    assert (empty / "sub" / "config.toml").exists()
    assert run("init", "mcpexpose.toml").code == 0
    assert (empty / "mcpexpose.toml").exists()
    assert run("init", "no/such/config.toml").code == 2


def test_each_comment_that_is_a_setting_is_one(run: Run, empty: Path) -> None:
    """What is commented out can be switched on as it stands."""
    run("init")
    file = empty / "config.toml"
    lines = []
    for line in file.read_text().split("\n"):
        bare = line.removeprefix("# ")
        setting = line.startswith("# ") and (bare.startswith("[") or " = " in bare.split("#")[0])
        lines.append(bare if setting else line)
    file.write_text("\n".join(lines))
    slugs = {finding["slug"] for finding in json.loads(run("lint", "--format", "json").out)["findings"]}
    assert not {slug for slug in slugs if slug.startswith(("toml", "config"))}


def test_a_link_in_a_repository_leads_init_nowhere(run: Run, empty: Path, tmp_path: Path) -> None:
    """Nothing is written outside the folder that was named (C01)."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (empty / ".mcpexpose").symlink_to(outside)
    done = run("init")
    assert done.code == 2
    assert "link" in done.err
    assert list(outside.iterdir()) == []
    assert not (empty / "config.toml").exists()
