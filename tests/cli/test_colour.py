"""Colour where a person looks at it, and as the environment asks for it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.cli import console

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent.parent


class Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("environ", "on_a_terminal", "in_a_pipe"),
    [
        ({}, True, False),
        ({"TERM": "xterm-256color"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": "0"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "3", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"FORCE_COLOR": ""}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": "0"}, True, False),
        ({"CLICOLOR": "0"}, False, False),
        ({"CLICOLOR": "1"}, True, False),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, False, False),
    ],
    ids=lambda value: " ".join(f"{name}={text}" for name, text in value.items()) if isinstance(value, dict) else None,
)
def test_the_environment_is_heard(environ: dict[str, str], *, on_a_terminal: bool, in_a_pipe: bool) -> None:
    """NO_COLOR before what forces it, that before CLICOLOR and the kind of terminal (DESIGN 5)."""
    assert console.screen(Stream(terminal=True), environ).colour is on_a_terminal
    assert console.screen(Stream(terminal=False), environ).colour is in_a_pipe


def test_a_file_gets_none_whatever_is_forced(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read by programs and kept; and machines' formats have none on stdout either."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("lint", "--select", "lock-missing,side-effect-unknown", "--output", "text=out.txt").out
    assert "\x1b" not in Path("out.txt").read_text()
    for form in ("concise", "json", "sarif", "github", "gitlab", "junit", "markdown"):
        assert "\x1b" not in run("lint", "--format", form).out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
@pytest.mark.parametrize(("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"CLICOLOR": "0"}, False)])
def test_a_terminal_is_known(project: Path, environ: dict[str, str], *, coloured: bool) -> None:
    """A real one."""
    leader, follower = os.openpty()
    kept = {name: text for name, text in os.environ.items() if "COLOR" not in name}
    with subprocess.Popen(
        [sys.executable, "-m", "mcpexpose", "lint", "--fail-on", "never"],
        cwd=project,
        env={**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environ},
        stdout=follower,
        stderr=follower,
    ) as process:
        os.close(follower)
        out = b""
        try:
            while data := os.read(leader, 65_536):
                out += data
        except OSError:  # the other side is closed
            pass
        assert process.wait() == 0
    os.close(leader)
    assert b"side-effect-unknown" in out or b"lock-missing" in out
    assert (b"\x1b[" in out) is coloured
