"""Whole processes: interpreter, imports, plan or catalog, index, one query, five definitions as JSON."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.engines import FTS_ORDER

ROOT = Path(__file__).resolve().parents[2]
QUERY = "create issue repository"

_CATALOG = """
import json
with open({tools!r}) as file:
    tools = [json.loads(line) for line in file]
by = {{(tool["server"], tool["name"]): tool for tool in tools}}
"""
_PEER = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.benchmarks.engines import ENGINES
search = ENGINES[{name!r}].open(Path({folder!r}) / {name!r}, lambda: tools)
print(json.dumps([by[tuple(key)] for key in search({query!r}, 5)]))
"""
_OURS = """
import sys
sys.path.insert(0, {root!r})
import json, mcpexpose
session = mcpexpose.load_plan({folder!r} + "/mcpexpose/plan").session()
print(json.dumps([match.definition for match in session.find_tools({query!r}, limit=5).matches]))
"""
_FTS = """
import json, sqlite3
database = sqlite3.connect("file:" + {folder!r} + "/sqlite-fts5/fts.db?mode=ro", uri=True)
found = database.execute(
    "select sid, tid from t where t match ? order by {order} limit 5", (" OR ".join({query!r}.split()),)
).fetchall()
asked = "select definition from d where sid = ? and tid = ?"
print(json.dumps([json.loads(database.execute(asked, key).fetchone()[0]) for key in found]))
"""


def cases(names: list[str]) -> dict[str, str]:
    """The code of each case, with {holes}; peers among NAMES."""
    made = {"(the interpreter alone)": "pass", "mcpexpose": _OURS}
    for name in names:
        if name not in made:
            made[name] = _FTS if name == "sqlite-fts5" else _CATALOG + _PEER
    return made


def measure(folder: Path, names: list[str], rounds: int) -> list[dict[str, Any]]:
    """Wall and CPU ms of each case, medians of ROUNDS in which they take turns, after one that does not count."""
    filled = {"folder": str(folder), "tools": str(folder / "tools.jsonl"), "root": str(ROOT), "query": QUERY}
    codes = {
        name: code.format(**filled, name=name, order=FTS_ORDER) if code != "pass" else code
        for name, code in cases(names).items()
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in codes}
    for turn in range(rounds + 1):
        for name, code in codes.items():
            got = _once(code)
            if turn:
                taken[name].append(got)
    return [
        {
            "engine": name,
            "wall_ms": statistics.median(wall for wall, _ in got),
            "cpu_ms": statistics.median(cpu for _, cpu in got),
            "cpu_least_ms": min(cpu for _, cpu in got),
        }
        for name, got in taken.items()
    ]


def _once(code: str) -> tuple[float, float]:
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-I", "-c", code], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"a case ended with {process.returncode}: {code}")
    return (time.perf_counter() - started) * 1e3, (used.ru_utime + used.ru_stime) * 1e3
