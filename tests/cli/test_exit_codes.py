"""The table of exit codes, walked through: each code is the end of a real run of real commands."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcpexpose.cli import exits

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ran

    Fresh = Callable[..., subprocess.CompletedProcess[bytes]]
    Run = Callable[..., Ran]

ROOT = Path(__file__).parent.parent.parent
HOLDS = '[[tests]]\nname = "a"\nsees = ["git/git_status"]\n'
FAILS = '[[tests]]\nname = "a"\nsees = ["git/git_log"]\n'
UNREACHABLE = '[mcp_servers.away]\nurl = "http://127.0.0.1:9/mcp"\ndescription = "Nobody listens at this port"\n'

WALK: dict[int, list[list[str]]] = {
    exits.OK: [["lint"], ["plan", "--out", "plan"], ["verify", "plan"], ["search", "zebra"], ["test"]],
    exits.FINDINGS: [["lint", "--fail-on", "info"], ["lint", "--config", "bad.toml"], ["test", "fails.toml"]],
    exits.USAGE: [["lint", "--formt", "json"], ["plan", "--config", "none.toml"], ["test", "none"]],
    exits.DIFFERS: [["lock", "--check"], ["plan", "--against", "plan", "--detailed-exitcode"]],
    exits.NOTHING_CHECKED: [["test", "-k", "no such test"], ["plan", "--detailed-exitcode"], ["lint", "empty"]],
    exits.UNAVAILABLE: [["capture", "--yes", "--config", "away.toml"]],
    exits.INTERNAL: [["plan", "--out", "other"]],
    exits.INTERRUPTED: [["capture", "--yes", "--config", "hangs.toml"]],
}
"""Code to commands that end with it, in the folder that `world` makes."""


@pytest.fixture
def world(project: Path) -> Path:
    """The small project with a test that holds, and files beside it that are wrong in one way each."""
    (project / ".git").mkdir()
    (project / "a.expose.toml").write_text(HOLDS)
    (project / "fails.toml").write_text(FAILS)
    (project / "bad.toml").write_text("[mcp_servers.git\n")
    (project / "away.toml").write_text(UNREACHABLE)
    (project / "empty" / ".git").mkdir(parents=True)
    return project


def test_the_readme_and_help_have_the_table() -> None:
    """One table for all, and each of its codes is walked through here (C04)."""
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert {int(code): what for code, what in rows} == exits.MEANINGS
    assert WALK.keys() == exits.MEANINGS.keys()
    done = subprocess.run(
        [sys.executable, "-m", "mcpexpose", "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = " ".join(done.stdout.split())
    for code, what in exits.MEANINGS.items():
        assert f"{code} {what}" in said


@pytest.mark.parametrize("code", [exits.OK, exits.FINDINGS, exits.USAGE, exits.NOTHING_CHECKED])
def test_commands_end_with_the_code_of_the_table(code: int, world: Path, run: Run) -> None:
    """0, 1, 2 and 4 (C04)."""
    for words in WALK[code]:
        done = run(*words)
        assert done.code == code, (words, done.err)


def test_what_differs_ends_with_3(world: Path, run: Run) -> None:
    """A lock that is not of these catalogs, a plan that is not of this config (C07)."""
    assert run("plan", "--out", "plan").code == exits.OK
    assert run("lock").code == exits.OK
    for file, old, new in (
        ("config.toml", 'exposure = "direct"', 'exposure = "deferred"'),
        ("catalogs/git.json", "Show the history", "Show all history"),
    ):
        path = world / file
        path.write_text(path.read_text().replace(old, new))
    lock, plan = WALK[exits.DIFFERS]
    assert run(*lock).code == exits.DIFFERS
    assert run(*plan).code == exits.FINDINGS  # the drift is an error, and errors come first
    assert run("lock").code == exits.OK
    assert run(*plan).code == exits.DIFFERS


@pytest.mark.slow
def test_a_server_that_is_not_there_ends_with_5(world: Path, fresh: Fresh) -> None:
    """No catalog is written (C06)."""
    (words,) = WALK[exits.UNAVAILABLE]
    done = fresh(*words)
    assert done.returncode == exits.UNAVAILABLE, done.stderr
    assert not (world / "catalogs" / "away.json").exists()


def test_a_fault_of_ours_ends_with_70(world: Path, fresh: Fresh) -> None:
    """An installation with a damaged library is what nobody expects."""
    (world / "damaged").mkdir()
    (world / "damaged" / "whoosh.py").write_text('raise RuntimeError("half of this file is missing")\n')
    (words,) = WALK[exits.INTERNAL]
    done = fresh(*words, PYTHONPATH=os.pathsep.join([str(world / "damaged"), str(ROOT)]))
    assert done.returncode == exits.INTERNAL
    assert b"internal error: RuntimeError at whoosh.py:1" in done.stderr
    assert b"half of this file" not in done.stderr
    assert not (world / "other").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_an_interrupted_command_ends_with_130(world: Path) -> None:
    """Ctrl-C while a server does not answer."""
    pipe = world / "started"
    os.mkfifo(pipe)
    server = f"import time; open({str(pipe)!r}, 'w').write('x'); time.sleep(60)"
    (world / "hangs.toml").write_text(
        f'[mcp_servers.hangs]\ncommand = {sys.executable!r}\nargs = ["-c", """{server}"""]\ndescription = "x"\n'
    )
    (words,) = WALK[exits.INTERRUPTED]
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    process = subprocess.Popen(
        [sys.executable, "-m", "mcpexpose", *words],
        cwd=world,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background inherits another
    )
    try:
        assert select.select([reader], [], [], 200)[0], "the server was never started"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=200)
    finally:
        os.close(reader)
        process.kill()
    assert process.returncode == exits.INTERRUPTED, err
    assert err.decode().splitlines()[-1] == "mcpexpose: interrupted"
    assert b"Traceback" not in err
