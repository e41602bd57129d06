"""The README is true: its code runs, its tables are the models', its commands are the program's."""

from __future__ import annotations

import contextlib
import datetime
import io
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mcpexpose.cli import exits
from mcpexpose.cli.main import COMMANDS
from mcpexpose.model.config import Config, PolicyPack, ServerTable, ToolTable
from mcpexpose.model.expectation import Expectation
from mcpexpose.model.table import Table
from mcpexpose.surface.exporters import targets
from mcpexpose.workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)


def part(name: str) -> str:
    """What stands between the two marks of that name."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", README.read_text("utf-8"), re.S)
    assert found, f"the README has no part {name}"
    return found[1]


def code(name: str) -> str:
    found = re.fullmatch(r"```\w*\n(.*?)```\n", part(name), re.S)
    assert found, f"part {name} of the README is no single block of code"
    return found[1]


@pytest.fixture(scope="module")
def coding_agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundle of the example under build/plan, as the README's host wants it."""
    folder = tmp_path_factory.mktemp("host")
    Workspace(ROOT / "examples" / "coding-agent" / "config.toml", environ={}, now=NOW).write(folder / "build" / "plan")
    return folder


def test_the_host_of_the_readme_runs(coding_agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F03, F06, G13, C03, X01: request 1 holds no deferred tool, request 2 what was found, behind the same prefix."""
    source = code("host")
    assert len([line for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]) <= 30
    monkeypatch.chdir(coding_agent)
    space: dict[str, Any] = {}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "README.md", "exec"), space)
    exposures = {tool.alias: tool.exposure for tool in space["plan"].plan.tools}
    first = [tool["name"] for tool in space["first"]["tools"]]
    second = [tool["name"] for tool in space["second"]["tools"]]
    assert first[0] == "find_tools"
    assert {exposures[name] for name in first[1:]} == {"direct"}
    assert second[: len(first)] == first
    assert second[len(first) :] == list(space["answer"].added)
    assert {exposures[name] for name in second[len(first) :]} == {"deferred"}
    assert "# MCP servers" in space["first"]["system"]
    assert out.getvalue() == code("host-output")


def test_the_calls_of_the_readme_run(coding_agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """G06, G09: arguments that do not fit are refused, somebody is asked, the call goes through and leaves events."""
    monkeypatch.chdir(coding_agent)
    out = io.StringIO()
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(out):
        exec(compile(code("call"), "README.md", "exec"), space)
    space["runtime"].close()
    assert out.getvalue() == code("call-output")
    assert "call" in (coding_agent / "events.jsonl").read_text()


def test_the_export_of_the_readme_runs(coding_agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F04, X01: a request in a vendor's form, and references that name tools of it."""
    monkeypatch.chdir(coding_agent)
    out = io.StringIO()
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(out):
        exec(compile(code("export"), "README.md", "exec"), space)
    assert out.getvalue() == code("export-output")


def test_every_target_of_export_is_documented() -> None:
    """C04"""
    assert part("targets") == targets_table()


def test_the_preview_of_the_readme_is_what_the_command_prints() -> None:
    """C04: the first thing that a newcomer sees."""
    shown = subprocess.run(
        [
            sys.executable,
            "-m",
            "mcpexpose",
            "plan",
            "--config",
            "examples/quickstart/config.toml",
            "--now",
            "2026-12-01T00:00:00Z",
        ],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=False,
    )
    assert shown.returncode == 0
    assert shown.stdout.decode() == code("preview")


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = re.findall(r"```sh\n(python3 -m venv .*?)\n```", README.read_text("utf-8"))
    assert len(commands) == 2
    ci = ROOT / ".ci" / "run"
    if not ci.is_file():
        pytest.skip("the packaged source has no .ci")
    assert commands[1] in ci.read_text("utf-8").splitlines()


def test_every_command_is_documented() -> None:
    """C04"""
    assert part("commands") == commands_table()


def test_the_exit_codes_are_those_of_the_program() -> None:
    """C04: one table, in the README and in --help."""
    assert part("exit-codes") == exit_codes_table()


def test_the_policy_tests_of_the_readme_run(tmp_path: Path) -> None:
    """C04: what is shown to hold holds, and what fails says so in these words."""
    example = ROOT / "examples" / "coding-agent" / "config.toml"
    path = tmp_path / "team.expose.toml"
    source = code("policy-tests")
    path.write_text(source, "utf-8")
    assert tomllib.loads(source)["tests"][0].keys() == Expectation.model_fields.keys()
    shown = subprocess.run(
        [
            sys.executable,
            "-m",
            "mcpexpose",
            "test",
            str(path),
            "--config",
            str(example),
            "--now",
            "2026-12-01T00:00:00Z",
        ],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "COLUMNS": "120", "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert shown.returncode == 1
    assert shown.stdout.decode() == code("policy-tests-output")


def test_the_config_reference_is_the_models() -> None:
    """C01"""
    assert part("config-reference") == config_reference()


def commands_table() -> str:
    rows = [f"| `mcpexpose {name}` | {line} |" for name, (_, line) in COMMANDS.items()]
    return "\n".join(["| command | does |", "|---|---|", *rows]) + "\n"


def exit_codes_table() -> str:
    rows = [f"| {code} | {what} |" for code, what in exits.MEANINGS.items()]
    return "\n".join(["| code | says |", "|---|---|", *rows]) + "\n"


def targets_table() -> str:
    rows = [f"| `{name}` | {line} |" for name, line in targets().items()]
    return "\n".join(["| target | form |", "|---|---|", *rows]) + "\n"


def config_reference() -> str:
    tables: list[tuple[str, type[Table]]] = [("at the top", Config)]
    tables += [
        (f"[{name}]", field.annotation)
        for name, field in Config.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Table)
    ]
    from mcpexpose.model.config import Constraint, ProfileTable, Waiver

    tables += [
        ("[mcp_servers.ID]", ServerTable),
        ("[mcp_servers.ID.tools.NAME]", ToolTable),
        ("[profiles.NAME]", ProfileTable),
        ("[[waivers]]", Waiver),
        ("a policy pack, at the top", PolicyPack),
        ("[[constraints]] of a policy pack", Constraint),
    ]
    lines: list[str] = []
    for title, table in tables:
        heading = f"`{title}`" if title.startswith("[") else title
        lines += [f"**{heading[0].upper()}{heading[1:]}**", "", "| key | default | what |", "|---|---|---|"]
        for name, field in table.model_fields.items():
            default = "" if field.is_required() or field.default in (None, (), {}) else _written(field.default)
            lines.append(f"| `{name}` | {default} | {(field.description or '').replace('|', chr(92) + '|')} |")
        lines.append("")
    return "\n".join(lines)


def _written(value: Any) -> str:
    if isinstance(value, Table):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{each}"' for each in value) + "]`"
    if isinstance(value, str):
        return f'`"{value}"`' if value else ""
    return f"`{value}`"
