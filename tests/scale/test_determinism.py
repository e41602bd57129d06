"""Same inputs, same plan, byte for byte (C02): in other surroundings, written in another order."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.scale.otherwise import copy_otherwise
from tests.scale.world import NOW, ROOT, WHY_NOT, real_catalogs, write_world

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/config.toml"))
HERE = {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"}
ELSEWHERE = {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8"}
STORY = (
    'schema_version = 1\nextends = ["baseline"]\n[policy]\nauto_approve = ["read_only"]\n[search]\n'
    'synonyms = { pr = ["pull request", "merge request"], ticket = ["issue"] }\n'
)


def bundle(config: Path, out: Path, surroundings: dict[str, str], cwd: Path) -> dict[str, bytes]:
    """Every file of the bundle that a process of its own makes of CONFIG."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "MCPEXPOSE_"))}
    environ |= {**surroundings, "PYTHONPATH": str(ROOT), "MCPEXPOSE_STATE_DIR": str(out.with_name(out.name + "-state"))}
    words = ["plan", "--config", os.path.relpath(config, cwd), "--now", NOW, "--out", str(out)]
    command = [sys.executable, "-m", "mcpexpose", *words]
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode in (0, 1), done.stderr
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def check_same(source: Path, folder: Path) -> None:
    """The bundle of SOURCE and the one of its copy that is written otherwise, each made in its own surroundings."""
    other = folder / "written otherwise"
    copy_otherwise(source, other, seed=7)
    one = bundle(source / "config.toml", folder / "one", HERE, source)
    two = bundle(other / "config.toml", folder / "two", ELSEWHERE, folder)
    assert {"plan.json", "definitions.bin", "manifest.json"} < one.keys()
    assert [name for name in sorted(one.keys() | two.keys()) if one.get(name) != two.get(name)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_gives_one_bundle_however_it_is_written(example: Path, tmp_path: Path) -> None:
    """Hash seed, time zone, locale, working directory, line ends, order of tables, keys and tools (C02)."""
    check_same(example, tmp_path)


@pytest.mark.slow
def test_all_real_catalogs_give_one_bundle_however_they_are_written(tmp_path: Path) -> None:
    """The same over hundreds of servers, with a pack and synonyms (C02)."""
    catalogs = real_catalogs()
    if not catalogs:
        pytest.skip(WHY_NOT)
    check_same(write_world(tmp_path / "world", catalogs, STORY).parent, tmp_path)
