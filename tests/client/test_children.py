"""Children: how they end, how many there are at once, what is said of one that is not ready in time."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import anyio
import pytest

from mcpexpose.client.capture import AT_ONCE, Captured, Progress, capture
from mcpexpose.client.child import MAX_LINE_BYTES, LineTooLong, _Lines
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport
from tests.fakes import control

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups")

ENVIRON = {"PATH": os.environ["PATH"]}


def run(targets: Sequence[Target], on_progress: Callable[[Progress], None] = lambda progress: None) -> list[Captured]:
    async def main() -> list[Captured]:
        return await capture(targets, environ=ENVIRON, on_progress=on_progress)

    return anyio.run(main)


def shell(folder: Path, text: str, timeout: float) -> Target:
    transport = Transport("stdio", "/bin/sh", ("-c", text), startup_timeout_s=timeout)
    return Target("s", transport, base=folder)


def somebody_writes_to(pipe: int) -> bool:
    """Whether a process still holds the other end of PIPE."""
    try:
        return os.read(pipe, 1) != b""
    except BlockingIOError:
        return True


@pytest.mark.slow
def test_a_child_that_is_not_ready_in_time_may_clean_up(tmp_path: Path) -> None:
    """SIGTERM comes long before SIGKILL: a package runner's cache is left whole."""
    tidy = "trap 'echo tidied > note; exit 0' TERM; while :; do sleep 0.05; done"
    (captured,) = run([shell(tmp_path, tidy, 1)])
    assert captured.unavailable
    assert (tmp_path / "note").read_text() == "tidied\n"


@pytest.mark.slow
@pytest.mark.parametrize("leader", ["exec cat > /dev/null", "wait"])
def test_nothing_of_a_child_lives_on(tmp_path: Path, leader: str) -> None:
    """Not even what ignores SIGTERM, be it that the child itself ends by itself or not."""
    os.mkfifo(tmp_path / "alive")
    pipe = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    grandchild = "(trap '' TERM; exec 9> alive; while :; do sleep 0.05 9>&-; done) < /dev/null &"
    try:
        run([shell(tmp_path, f"{grandchild} {leader}", 1)])
        assert not somebody_writes_to(pipe)
    finally:
        os.close(pipe)


@pytest.mark.parametrize("runner", ["npx", "uvx"])
def test_a_package_runner_may_still_be_installing(tmp_path: Path, runner: str) -> None:
    program = control.install(tmp_path / "bin", tmp_path, runner)
    control.serve(tmp_path, "s", hang_on=["server/discover", "initialize"])
    transport = Transport("stdio", str(program), ("s",), startup_timeout_s=1)
    (captured,) = run([Target("s", transport, base=tmp_path)])
    (finding,) = captured.findings
    assert f"{runner} may still be installing" in finding.message
    assert "once by hand" in finding.advice
    assert "startup_timeout_sec" in finding.advice
    assert "--timeout" in finding.advice


def test_only_a_package_runner_may_be_installing(tmp_path: Path) -> None:
    (captured,) = run([shell(tmp_path, "cat > /dev/null", 1)])
    (finding,) = captured.findings
    assert "installing" not in finding.message
    assert "startup_timeout_sec" in finding.advice


def test_no_more_than_four_start_at_once(tmp_path: Path) -> None:
    """Cold package runners would starve each other."""
    targets = []
    for number in range(AT_ONCE + 3):
        server = f"s{number}"
        control.serve(tmp_path, server, tools=[])
        program, arguments = control.command(tmp_path, server)
        transport = Transport("stdio", program, tuple(arguments), startup_timeout_s=120)
        targets.append(Target(server, transport, base=tmp_path))
    under_way: set[str] = set()
    most = 0

    def note(progress: Progress) -> None:
        nonlocal most
        if progress.state in ("done", "failed"):
            under_way.discard(progress.server)
        else:
            under_way.add(progress.server)
        most = max(most, len(under_way))

    captured = run(targets, note)
    assert most == AT_ONCE == 4
    assert all(each.catalog is not None for each in captured)


@pytest.mark.slow
def test_the_time_of_a_server_counts_from_its_own_start(tmp_path: Path) -> None:
    """Those that wait for their turn lose none of it."""
    control.serve(tmp_path, "good", tools=[])
    program, arguments = control.command(tmp_path, "good")
    last = Target("good", Transport("stdio", program, tuple(arguments), startup_timeout_s=8), base=tmp_path)
    captured = run([*[shell(tmp_path, "cat > /dev/null", 8)] * AT_ONCE, last])
    assert [each.unavailable for each in captured] == [True] * AT_ONCE + [False]


def test_lines_are_cut_wherever_the_blocks_end() -> None:
    lines = _Lines()
    got = [line for block in (b"a\nb", b"c", b"\n\nd\n", b"", b"e") for line in lines.feed(block)]
    assert got == [b"a", b"bc", b"", b"d"]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_may_be_as_long_as_the_limit_and_no_longer(end: bytes) -> None:
    block = b"x" * MAX_LINE_BYTES
    assert list(_Lines().feed(block + b"\n")) == [block]
    lines = _Lines()
    assert list(lines.feed(block)) == []
    (fault,) = lines.feed(b"x" + end + b"y\n")
    assert isinstance(fault, LineTooLong)
    assert list(lines.feed(b"z\n")) == []
