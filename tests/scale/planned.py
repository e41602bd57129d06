"""`plan --out` as a process of its own, measured: `python -m tests.scale.planned` prints it for real catalogs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.scale.world import NOW, ROOT, WHY_NOT, real_catalogs, write_world


@dataclass(frozen=True, slots=True)
class Planned:
    """What a run of `plan --format json --out` said and what it took."""

    code: int
    report: dict[str, Any]
    wall_s: float
    cpu_s: float
    peak_bytes: int

    @property
    def left_out(self) -> dict[tuple[str, str], str]:
        """The finding that left each tool out, by server and name."""
        return {(tool["server"], tool["name"]): tool["left_out_by"] for tool in self.report["left_out"]}


def plan(config: Path, out: Path) -> Planned:
    """Plans CONFIG into OUT, with no index at hand from an earlier build."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "MCPEXPOSE_STATE_DIR": str(out.with_name(out.name + "-state"))}
    words = ["plan", "--config", str(config), "--now", NOW, "--out", str(out), "--format", "json"]
    said, chatter = out.with_name(out.name + ".json"), out.with_name(out.name + ".err")
    start = time.perf_counter()
    with said.open("wb") as stdout, chatter.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "mcpexpose", *words], env=environ, stdout=stdout, stderr=stderr
        )
        _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise AssertionError(f"plan ended with {process.returncode}: {chatter.read_text()[-2_000:]}")
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    report = json.loads(said.read_bytes())
    return Planned(process.returncode, report, wall, used.ru_utime + used.ru_stime, peak)


def main() -> None:
    catalogs = real_catalogs()
    if not catalogs:
        sys.exit(WHY_NOT)
    tools = sum(len(catalog["tools"]) for catalog in catalogs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = plan(write_world(folder / "world", catalogs), folder / "out")
        size = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
    print(f"servers {len(catalogs)}, tools {tools}, in the plan {len(made.report['tools'])}, exit {made.code}")
    print(f"left out {dict(Counter(made.left_out.values()))}")
    print(f"findings {dict(Counter(finding['slug'] for finding in made.report['findings']))}")
    print(f"wall {made.wall_s:.1f} s, CPU {made.cpu_s:.1f} s = {1000 * made.cpu_s / tools:.2f} ms a tool")
    print(f"peak {made.peak_bytes / 2**20:.0f} MiB, bundle {size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
