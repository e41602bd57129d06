"""SIGKILL of the host, at 200 moments: nothing is executed twice, and nothing that was answered lacks its event."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MOMENTS = 200
SEED = 20261130


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_host_that_is_killed_again_and_again(tmp_path: Path) -> None:
    """G11, G12: over 200 lives with one record, in each of which the work that has no known end is asked for again."""
    root = Path(__file__).resolve().parents[2]
    words = [sys.executable, "-m", "tests.host.killed_host", str(tmp_path), str(MOMENTS), str(SEED)]
    env = {**os.environ, "PYTHONPATH": str(root), "MCPEXPOSE_STATE_DIR": str(tmp_path)}
    done = subprocess.run(words, cwd=root, env=env, capture_output=True, timeout=280, check=True)
    found = json.loads(done.stdout)
    print("killed hosts:", json.dumps(found))
    assert found["moments"] == MOMENTS
    assert found["twice"] == []
    assert found["answered without an event"] == []
    assert found["told without being executed"] == []
    assert found["executed, and neither told nor open"] == 0
    # It did reach what it is about: work was done, hosts died in the middle of it, and repeats were refused.
    assert found["executed"] > MOMENTS
    assert found["open"] > 0
    assert found["answers"].get("refused:outcome-unknown", 0) > 0
