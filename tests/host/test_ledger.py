"""The record of open calls, shared by processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORKED = """
import os, sys
from mcpexpose.host.ledger import Bound, Ledger

def bound(n):
    return Bound("scope", "place", "gh", f"tool_{n}", "revision", "digest")

ledger = Ledger(sys.argv[1])
ledger.begin(bound(0), "run", "2026-11-30T12:00:00Z", approval=False)
child = os.fork()
if not child:
    ledger.begin(bound(1), "run", "2026-11-30T12:00:00Z", approval=False)
    os._exit(len(ledger.open_runs()))  # as multiprocessing ends its own
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
ledger.begin(bound(2), "run", "2026-11-30T12:00:00Z", approval=False)
print(sorted(one.tool for one in ledger.open_runs()))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_host_writes_beside_its_parent(tmp_path: Path) -> None:
    """Calls of both are written down (G11), and nobody has to close a ledger: no warning of one left open."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORKED, str(tmp_path / "runs.sqlite")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("['tool_0', 'tool_1', 'tool_2']\n", "")
