"""How long the everyday `lint` takes, beside check-jsonschema: `python -m tests.benchmarks.lint [--json FILE]`.

Whole processes, one after the other in turns, so that a busy machine is busy for all of them; medians of CPU time and
of wall time, and the ratios that the README states. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
SERVERS = 50
TOOLS = 500
NOW = "2026-12-01T12:00:00Z"
CONFIG_RULES = ["--select", "config,transport"]
SERVER = """\
[mcp_servers.server-{n:02}]
command = "npx"
args = ["-y", "@acme/server-{n}@1.{n}.0"]
env = {{ MODE = "read", LEVEL = "${{LEVEL:-info}}" }}
description = "Records of department {n}, and what was decided on them"
owner = "platform-team"
groups = ["records"]
allow = ["*"]
startup_timeout_sec = 30
[mcp_servers.server-{n:02}.tools."*"]
side_effect = "destructive"
keywords = ["dossier"]
"""
HEAD = """\
schema_version = 1
[exposure]
default = "deferred"
targets = ["anthropic"]
[groups]
records = "Records of departments"
[profiles.read]
description = "Look things up"
groups = ["records"]
[lint]
ignore = ["description-too-long", "parameter-undescribed", "annotation-contradiction"]
"""


@dataclass(frozen=True, slots=True)
class Took:
    """One process."""

    cpu_s: float
    wall_s: float


def run(command: list[str], environ: dict[str, str], codes: tuple[int, ...] = (0,)) -> Took:
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Took(used.ru_utime + used.ru_stime, wall)


def write_project(folder: Path, tools: int) -> Path:
    """A config of SERVERS servers, and catalogs with so many real tools of the examples; returns the config."""
    (folder / "catalogs").mkdir(parents=True)
    config = folder / "config.toml"
    config.write_text(HEAD + "".join(SERVER.format(n=n) for n in range(SERVERS)))
    found = real_tools()
    each = tools // SERVERS
    for n in range(SERVERS if tools else 0):
        listed = [renamed(found[at % len(found)], f"area{at}", n) for at in range(n * each, (n + 1) * each)]
        captured = {"format": 1, "server": f"server-{n:02}", "captured_at": "2026-11-30T12:00:00Z", "complete": True}
        text = json.dumps({**captured, "tools": listed}, indent=1, sort_keys=True)
        (folder / "catalogs" / f"server-{n:02}.json").write_text(text)
    return config


def renamed(tool: dict[str, Any], prefix: str, server: int) -> dict[str, Any]:
    """The tool as no other server has it."""
    text = f"In department {server}: {tool.get('description', '')}"
    return {**tool, "name": f"{prefix}_{tool['name']}"[:40], "description": text}


def real_tools() -> list[dict[str, Any]]:
    """Every tool that an example captured, once."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((ROOT / "examples").glob("*/catalogs/*.json")):
        for tool in json.loads(path.read_bytes())["tools"]:
            found.setdefault(json.dumps(tool, sort_keys=True), tool)
    return list(found.values())


def measure(pairs: int, folder: Path) -> dict[str, Any]:
    ours = [sys.executable, "-m", "mcpexpose", "lint", "--now", NOW, "--format", "concise"]
    bare, full = write_project(folder / "bare", 0), write_project(folder / "full", TOOLS)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache")}
    environ.pop("MCPEXPOSE_STATE_DIR", None)
    schema = str(ROOT / "schemas" / "config.schema.json")
    check = [sys.executable, "-m", "check_jsonschema", "--schemafile", schema, str(bare)]

    def first() -> Took:
        shutil.rmtree(folder / "cache", ignore_errors=True)
        return run([*ours, str(full)], environ, (0, 1))

    runs: dict[str, Callable[[], Took]] = {
        "check-jsonschema": lambda: run(check, environ),
        "config rules": lambda: run([*ours, *CONFIG_RULES, str(bare)], environ),
        "first run": first,
        "second run": lambda: run([*ours, str(full)], environ, (0, 1)),
    }
    for one in runs.values():
        one()  # bytecode and the disk's cache are warm for all of them
    took: dict[str, list[Took]] = {name: [] for name in runs}
    for _ in range(pairs):
        for name, one in runs.items():
            took[name].append(one())
    medians = {
        name: {
            "cpu_ms": round(1000 * statistics.median(each.cpu_s for each in found), 1),
            "wall_ms": round(1000 * statistics.median(each.wall_s for each in found), 1),
        }
        for name, found in took.items()
    }

    def ratio(one: str, other: str) -> float:
        return round(statistics.median(a.cpu_s / b.cpu_s for a, b in zip(took[one], took[other], strict=True)), 2)

    return {
        "python": sys.version.split()[0],
        "pairs": pairs,
        "servers": SERVERS,
        "tools": TOOLS,
        "medians": medians,
        "ratios": {
            "config rules / check-jsonschema": ratio("config rules", "check-jsonschema"),
            "second run / check-jsonschema": ratio("second run", "check-jsonschema"),
            "second run / config rules": ratio("second run", "config rules"),
            "second run / first run": ratio("second run", "first run"),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=15, help="rounds, each with one process of every kind")
    parser.add_argument("--json", type=Path, default=None, metavar="FILE", help="write the figures there as well")
    asked = parser.parse_args()
    if importlib.util.find_spec("check_jsonschema") is None:
        sys.exit("check-jsonschema is not installed: pip install 'mcpexpose[bench]'")
    with tempfile.TemporaryDirectory() as scratch:
        found = measure(asked.pairs, Path(scratch))
    print(f"{SERVERS} servers, {TOOLS} tools, Python {found['python']}, medians of {asked.pairs} rounds")
    print(f"{'':32}  CPU ms  wall ms")
    for name, each in found["medians"].items():
        print(f"{name:32} {each['cpu_ms']:7.0f} {each['wall_ms']:8.0f}")
    print(f"{'':32}   ratio of CPU times")
    for name, value in found["ratios"].items():
        print(f"{name:32} {value:7.2f}")
    if asked.json is not None:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
