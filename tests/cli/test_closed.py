"""A reader that went away, a closed stream, a terminal that hung up: nothing fails of it, or says more than it must."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcpexpose.cli.main import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[bytes]]

ROOT = Path(__file__).parent.parent.parent
NOW = ("--now", "2026-11-30T12:00:00Z")

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "init": ("new.toml",),
    "lint": NOW,
    "capture": ("--check", "--yes"),
    "plan": NOW,
    "lock": ("--check", *NOW),
    "search": ("show", "history", *NOW),
    "show": NOW,
    "inspect": ("git/git_log", *NOW),
    "explain": ("git/git_log", *NOW),
    "verify": ("build",),
    "audit": ("events.jsonl",),
    "schema": ("config",),
    "test": NOW,
    "export": ("--to", "openai", *NOW),
}
"""What makes a command print something; without arguments, or its help, for one that is not here."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes of another kind")


def started(project: Path, *words: str, **streams: int) -> subprocess.Popen[bytes]:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams}
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "MCPEXPOSE_STATE_DIR": str(project / "state")}
    return subprocess.Popen([sys.executable, "-m", "mcpexpose", *words], cwd=project, env=environ, **streams)  # type: ignore[call-overload, no-any-return]


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    _, err = process.communicate(timeout=120)
    return process.returncode, err or b""


def without_a_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.fixture
def prepared(project: Path) -> Path:
    (project / "events.jsonl").write_text("")
    (project / "a.expose.toml").write_text('[[tests]]\nname = "x"\nsees = ["git/git_log"]\n')
    return project


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_reader_that_went_away_changes_nothing(name: str, prepared: Path) -> None:
    """`mcpexpose COMMAND | true`: the code and the chatter of a run that was read to its end."""
    words = (name, *ARGUMENTS.get(name, ("--help",) if name not in ("runs",) else ()))
    whole = ended(started(prepared, *words))
    (prepared / "new.toml").unlink(missing_ok=True)
    writer = without_a_reader()
    process = started(prepared, *words, stdout=writer)
    os.close(writer)
    code, err = ended(process)
    assert code == whole[0]
    assert err.splitlines()[-1:] == whole[1].splitlines()[-1:]
    assert b"Broken pipe" not in err
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--help",), 0), (("plan", "--help"), 0), (("--version",), 0), (("plam",), 2), (("plan", "--formt"), 2)],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_help_and_usage_are_as_quiet(words: tuple[str, ...], code: int, prepared: Path) -> None:
    """`mcpexpose --help | head -1`, with stderr in the pipe too."""
    writer = without_a_reader()
    process = started(prepared, *words, stdout=writer, stderr=writer)
    os.close(writer)
    assert process.wait(120) == code


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2), (0, 1, 2)], ids=str)
def test_streams_that_are_closed_from_the_start(closed: tuple[int, ...], prepared: Path) -> None:
    """`mcpexpose lint >&- 2>&-`, as some daemons start things: the code is the same, and a report is written."""
    closing = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
    command = f'"{sys.executable}" -m mcpexpose lint --fail-on warning --output json=out.json {closing}'
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=prepared,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert (prepared / "out.json").stat().st_size > 100
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
def test_a_terminal_that_hung_up_is_no_fault_of_ours(prepared: Path) -> None:
    """A window that is closed: nothing can be said any more, and it ends."""
    leader, follower = os.openpty()
    process = started(prepared, "lint", stdout=follower, stderr=follower)
    os.close(follower)
    os.close(leader)
    assert process.wait(120) in (0, 2)
