"""Editors know the config: tombi, which they ask, finds the schema by the first line and checks by it, offline."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from mcpexpose.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/config.toml"))


def tombi(config: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("tombi", path=sysconfig.get_path("scripts")) or shutil.which("tombi")
    assert program is not None, "tombi is in the extra test"
    command = [program, "lint", "--offline", "--error-on-warnings", config.name]
    return subprocess.run(command, cwd=config.parent, capture_output=True, encoding="utf-8", check=False)


def wrong(config: Path, before: str, after: str) -> str:
    """What is said of a copy beside CONFIG in which a text is another, which must not pass."""
    text = config.read_text("utf-8")
    assert before in text
    copy = config.with_name("copy.toml")
    copy.write_text(text.replace(before, after, 1), "utf-8")
    done = tombi(copy)
    assert done.returncode == 1, done.stderr
    return done.stderr


@pytest.fixture
def example(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of an example's config that is as far from the schemas as the example is."""
    folder = tmp_path / "examples" / request.param.name
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    return Path(shutil.copy(request.param / "config.toml", folder))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name, indirect=True)
def test_every_example_is_completed_from_the_schema(example: Path) -> None:
    """It passes, and a wrong key and a wrong value are named, so it was the schema that was asked (C01)."""
    assert example.read_text("utf-8").startswith("#:schema ../../schemas/config.schema.json\n")
    done = tombi(example)
    assert done.returncode == 0, done.stderr
    assert '"ownr" is not allowed' in wrong(example, "owner =", "ownr =")
    assert "dirct" in wrong(example, 'exposure = "direct"', 'exposure = "dirct"')


TESTS = sorted((ROOT / "examples").glob("*/*.expose.toml"))


@pytest.mark.parametrize("tests", TESTS, ids=lambda path: path.name)
def test_every_file_of_tests_is_completed_from_its_schema(tests: Path, tmp_path: Path) -> None:
    """The same for `*.expose.toml` (C04)."""
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    (tmp_path / "examples" / "x").mkdir(parents=True)
    copy = Path(shutil.copy(tests, tmp_path / "examples" / "x"))
    done = tombi(copy)
    assert done.returncode == 0, done.stderr
    assert '"nam" is not allowed' in wrong(copy, "name =", "nam =")


@pytest.mark.parametrize("name", ["config.toml", "sub/mcpexpose.toml", ".mcpexpose/config.toml"])
def test_a_first_config_is_completed_at_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`init` writes the schema beside it and names it by a relative path, which holds in every clone (C01)."""
    config = tmp_path / "made" / name
    config.parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "made")
    assert main(["init", name]) == 0
    (tmp_path / "made").rename(tmp_path / "clone")
    config = tmp_path / "clone" / name
    assert config.read_text("utf-8").startswith("#:schema ./")
    done = tombi(config)
    assert done.returncode == 0, done.stderr
    assert '"ownr" is not allowed' in wrong(config, "owner =", "ownr =")
    schemas = [path for path in (tmp_path / "clone").rglob("*.json") if ".mcpexpose" in path.parts]
    assert [path.read_bytes() for path in schemas] == [(ROOT / "schemas" / "config.schema.json").read_bytes()]


def test_a_schema_that_is_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is there is overwritten; where it cannot be written, the command ends with 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mcpexpose").mkdir()
    (tmp_path / ".mcpexpose" / "config.schema.json").write_text("{}")
    assert main(["init"]) == 0
    assert (tmp_path / ".mcpexpose" / "config.schema.json").read_text() == "{}"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".mcpexpose").write_text("a file")
    assert main(["init", "sub"]) == 2
    assert not (tmp_path / "sub" / "config.toml").exists()
