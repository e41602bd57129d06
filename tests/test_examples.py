"""The examples are right in themselves, fit the published schemas, and show what their READMEs say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/config.toml"))
NOW = "2026-12-01T00:00:00Z"
VIEW = re.compile(r"<!-- view: (?P<command>.*?) -->\n```\n(?P<shown>.*?)```\n<!-- /view -->", re.S)

each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)


def mcpexpose(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mcpexpose", *args, "--now", NOW],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text("utf-8"))
    return found


@each_example
def test_lint_finds_no_error(example: Path) -> None:
    """C04"""
    done = mcpexpose(example, "lint", "--format", "json")
    found = json.loads(done.stdout)
    assert [each for each in found["findings"] if each["severity"] == "error"] == []
    assert done.returncode == 0


@each_example
def test_config_packs_and_catalogs_fit_the_published_schemas(example: Path) -> None:
    """C01, C05: an editor and any other program may lean on them."""
    jsonschema.validate(tomllib.loads((example / "config.toml").read_text("utf-8")), schema("config"))
    for pack in example.glob("*-policy.toml"):
        jsonschema.validate(tomllib.loads(pack.read_text("utf-8")), schema("policy"))
    catalogs = sorted((example / "catalogs").glob("*.json"))
    assert catalogs
    for catalog in catalogs:
        jsonschema.validate(json.loads(catalog.read_text("utf-8")), schema("catalog"))


@each_example
def test_the_lock_fits_the_published_schema_and_the_catalogs(example: Path) -> None:
    """C05, C07"""
    jsonschema.validate(json.loads((example / "mcpexpose.lock").read_text("utf-8")), schema("lock"))
    done = mcpexpose(example, "lock", "--check")
    assert done.returncode == 0, done.stdout


@each_example
def test_plan_and_manifest_fit_the_published_schemas(example: Path, tmp_path: Path) -> None:
    """C02, C05"""
    done = mcpexpose(example, "plan", "--out", str(tmp_path / "plan"))
    assert done.returncode == 0, done.stderr
    for name in ("plan", "manifest"):
        jsonschema.validate(json.loads((tmp_path / "plan" / f"{name}.json").read_text("utf-8")), schema(name))


@each_example
def test_the_policy_tests_fit_the_published_schema_and_hold(example: Path) -> None:
    """C01, C04: each example says what is to stay so, of every server that changes something, and it is so."""
    files = sorted(example.glob("*.expose.toml"))
    assert files
    for path in files:
        jsonschema.validate(tomllib.loads(path.read_text("utf-8")), schema("test"))
        assert path.name in (example / "README.md").read_text("utf-8")
    done = mcpexpose(example, "test", "--format", "json")
    assert done.returncode == 0, done.stdout
    told = json.loads(done.stdout)
    assert [each["file"] for each in told["files"]] == [path.name for path in files]
    assert told["summary"]["tests"] >= 7
    assert told["summary"]["failed"] == told["summary"]["errors"] == 0
    assert mcpexpose(example, "lint", "--select", "write-without-test", "--fail-on", "info").returncode == 0


@each_example
def test_each_package_is_pinned(example: Path) -> None:
    """The catalog is of the version that will run."""
    servers = tomllib.loads((example / "config.toml").read_text("utf-8"))["mcp_servers"]
    for name, server in servers.items():
        package = next(arg for arg in server["args"] if not arg.startswith("-"))
        assert re.search(r"(@|==)\d+\.\d+\.\d+$", package), name


@each_example
def test_the_readme_shows_what_the_commands_print(example: Path) -> None:
    """C04, X08: previews in a README that are older than the plan would be worse than none."""
    views = list(VIEW.finditer((example / "README.md").read_text("utf-8")))
    assert views
    for view in views:
        assert mcpexpose(example, *view["command"].split()).stdout == view["shown"], view["command"]


def update() -> None:
    """Write the views anew: `python tests/test_examples.py`. Read the diff before you keep it."""
    for example in EXAMPLES:

        def shown(view: re.Match[str], folder: Path = example) -> str:
            command = view["command"]
            return f"<!-- view: {command} -->\n```\n{mcpexpose(folder, *command.split()).stdout}```\n<!-- /view -->"

        readme = example / "README.md"
        readme.write_text(VIEW.sub(shown, readme.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    update()
