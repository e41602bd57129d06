"""A build tells a terminal what it is at, and nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs terminals of Unix")


def test_a_build_says_on_a_terminal_what_it_is_at(project: Path) -> None:
    """The steps that take long, each with its number of tools, in a line that is gone in the end (C02)."""
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mcpexpose", "plan", "--out", "bundle"],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=False,
        )
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4_096):
                said += part
        except OSError:  # the end, on Linux
            pass
    finally:
        os.close(ours)
    assert done.returncode == 0
    lines = said.decode().split("\r\x1b[K")
    told = [line for line in lines if line]
    assert told[0] == "reading the catalogs …"
    assert told[1].startswith("compiling ")
    assert told[1].endswith(" tools …")
    assert any(line.startswith("writing bundle: the index of ") for line in told)
    assert lines[-1] == ""
    assert b"writing" not in done.stdout


def test_a_build_says_nothing_of_it_to_a_file(project: Path) -> None:
    """A log holds the outcome alone (C02)."""
    done = subprocess.run(
        [sys.executable, "-m", "mcpexpose", "plan", "--out", "bundle"],
        cwd=project, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "compiling" not in done.stderr
