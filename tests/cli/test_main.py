"""The frame: help, usage, and what becomes of the unexpected."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mcpexpose.cli import main as frame
from mcpexpose.cli.main import COMMANDS, group, main

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches(name: str) -> None:
    """Help says what it does, explains each option and shows an example."""
    command = group.get_command(click.Context(group), name)
    assert command is not None
    assert command.name == name
    text = command.help or ""
    assert "Example" in text
    assert f"mcpexpose {name}" in text
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts}"


def test_help_lists_every_command_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The static lines are what is shown."""
    assert main(["--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for name, (_, line) in COMMANDS.items():
        assert f"{name} {line}" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pln"], "did you mean plan?"),
        (["plan", "--formt", "json"], "--format"),
        (["plan", "--format", "yaml"], "markdown"),
        (["plan", "--now", "yesterday"], "2026-11-30T12:00:00Z"),
        (["plan", "--now", "2026-11-30T12:00:00"], "zone"),
        (["plan", "--output", "report.json"], "FORMAT=FILE"),
        (["plan", "--output", "yaml=x"], "there are: text, json, markdown"),
        (["inspect", "create_issue"], "SERVER/TOOL"),
    ],
)
def test_usage_ends_with_2_and_says_what_would_be_right(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A typo costs one more try."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def broken(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    @click.command("boom")
    def command() -> None:
        raise error

    monkeypatch.setattr(frame.LazyGroup, "get_command", lambda self, ctx, name: command)
    monkeypatch.setitem(frame.COMMANDS, "boom", ("", ""))


def test_the_unexpected_is_one_line_without_the_exceptions_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exception may hold a secret; where it was raised is enough to report it (exit 70)."""
    monkeypatch.delenv("MCPEXPOSE_DEBUG", raising=False)
    broken(monkeypatch, KeyError("ghp_secret"))
    assert main(["boom"]) == 70
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "KeyError at test_main.py:" in err
    assert "MCPEXPOSE_DEBUG=1" in err
    assert "ghp_secret" not in err


def test_the_traceback_is_there_for_whoever_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """MCPEXPOSE_DEBUG=1."""
    monkeypatch.setenv("MCPEXPOSE_DEBUG", "1")
    broken(monkeypatch, ValueError("x"))
    assert main(["boom"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C is no failure of ours."""
    broken(monkeypatch, KeyboardInterrupt())
    assert main(["boom"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`mcpexpose … | head -1` is quiet."""
    code = "from mcpexpose.cli import console, main\nconsole.out('x\\n' * 500_000)\nconsole.out_machine('y')\n"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("init", "--help"), ("--help",), ("--version",), ("schema", "config"), ("rule",)])
def test_a_full_disk_behind_stdout_ends_with_2(words: tuple[str, ...], unbuffered: str) -> None:
    """What was asked for was not delivered; one line says so, whatever of it Python still held back."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mcpexpose", *words],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert re.fullmatch(rb"mcpexpose: (stdout cannot be written: )?No space left on device\n", done.stderr)


def test_no_config_ends_with_4_and_a_named_one_that_is_not_there_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing checked is told from a wrong name."""
    monkeypatch.delenv("MCPEXPOSE_CONFIG", raising=False)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("lint", "plan", "show"):
        assert main([name]) == 4
        assert main([name, "--config", "none.toml"]) == 2
        assert "none.toml" in capsys.readouterr().err
    monkeypatch.setenv("MCPEXPOSE_CONFIG", "gone.toml")
    assert main(["plan"]) == 2


def test_environment_variables_for_colour() -> None:
    """NO_COLOR wins; FORCE_COLOR colours a pipe; a pipe is plain."""
    import io

    from mcpexpose.cli.console import screen

    pipe = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    assert not screen(pipe, {}).colour
    assert screen(pipe, {"FORCE_COLOR": "1"}).colour
    assert not screen(pipe, {"FORCE_COLOR": "0"}).colour
    assert not screen(pipe, {"FORCE_COLOR": "1", "NO_COLOR": "1"}).colour
    assert screen(pipe, {}).width == 100
    assert screen(pipe, {"COLUMNS": "80"}).width == 80
    assert screen(pipe, {"COLUMNS": "7"}).width == 60


def test_shells_complete_commands_and_options() -> None:
    """Completion is click's own."""
    environ = {**os.environ, "_MCPEXPOSE_COMPLETE": "bash_complete"}
    for words, cword, wanted in (("mcpexpose pl", "1", "plain,plan"), ("mcpexpose plan --pro", "2", "plain,--profile")):
        done = subprocess.run(
            [sys.executable, "-m", "mcpexpose"],
            cwd=ROOT,
            env={**environ, "COMP_WORDS": words, "COMP_CWORD": cword},
            capture_output=True,
            text=True,
            check=False,
        )
        assert wanted in done.stdout.split("\n"), done


def test_an_interrupted_process_ends_with_130(tmp_path: Path) -> None:
    """Ctrl-C in the middle of a work is one line."""
    code = (
        "import os, signal, sys\n"
        "from mcpexpose.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background inherits another
        "main.LazyGroup.get_command = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "main.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, "plan"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.strip() == "mcpexpose: interrupted"


def test_a_traceback_does_nothing_to_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The text of an exception may be a server's: it is shown as any other, without what is a key by form (law 6)."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"\x1b[2J\x1b]8;;http://x\x07 \u202e {token}")

    monkeypatch.setenv("MCPEXPOSE_DEBUG", "1")
    monkeypatch.setattr("mcpexpose.cli.main.group.main", fail)
    assert main(["lint"]) == 70
    err = capfd.readouterr().err
    assert "Traceback" in err
    assert not set("\x1b\x07\u202e") & set(err)
    assert token not in err
