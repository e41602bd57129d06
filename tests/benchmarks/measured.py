"""One engine in a process of its own: `python -m tests.benchmarks.measured build|serve ENGINE FOLDER`; prints JSON.

Times are CPU of the whole process, all threads, in ms unless said. FOLDER holds tools.jsonl and queries.json, and what
the engine keeps, in a folder of its name.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.engines import ENGINES

LIMIT = 10
"""Matches asked for."""
LEAST = 20
"""Queries of a class that are timed at least, however slow."""
CLASS_S = 8.0
"""Seconds of CPU after which a class of queries ends."""

now = time.process_time


def build(name: str, folder: Path) -> dict[str, Any]:
    """Seconds of CPU to build from tools in memory, and the bytes that are kept."""
    engine = ENGINES[name]
    tools = _tools(folder)
    for module in engine.modules:
        importlib.import_module(module)
    kept = folder / name
    kept.mkdir()
    started = now()
    if engine.build is not None:
        engine.build(tools, kept)
    else:
        engine.open(kept, lambda: tools)
    took = now() - started
    if name == "mcpexpose":
        kept = kept / "plan"
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file())
    return {"build_s": took, "disk_mb": size / 1e6 if engine.build is not None else None}


def serve(name: str, folder: Path) -> dict[str, Any]:
    """Import, load, first query, warm ones, memory."""
    engine = ENGINES[name]
    asked = json.loads((folder / "queries.json").read_text())
    started = now()
    for module in engine.modules:
        importlib.import_module(module)
    out: dict[str, Any] = {"import_ms": _since(started)}
    gc.collect()
    started = now()
    search = engine.open(folder / name, lambda: _tools(folder))
    out["load_ms"] = _since(started)
    first, *_ = asked["3"]
    started = now()
    search(first[0], LIMIT)
    out["first_ms"] = _since(started)
    for words, rows in asked.items():
        out[f"words_{words}"] = _warm(search, rows[1:])
    out["peak_mb"] = _peak()
    return out


def _warm(search: Any, rows: list[list[str]]) -> dict[str, float]:
    """A class of queries, each asked once to warm up (some, where they are slow), then once by the clock."""
    begun = now()
    for text, *_ in rows:
        search(text, LIMIT)
        if now() - begun > CLASS_S / 4:
            break
    took: list[float] = []
    found = 0
    begun = now()
    for text, *tool in rows:
        started = now()
        hits = search(text, LIMIT)
        took.append(_since(started))
        found += tuple(tool) in [tuple(hit) for hit in hits]
        if len(took) >= LEAST and now() - begun > CLASS_S:
            break
    took.sort()
    count = len(took)
    at = min(count - 1, int(count * 0.99))
    return {"p50_ms": statistics.median(took), "p99_ms": took[at], "found": found / count, "queries": count}


def _since(started: float) -> float:
    return (now() - started) * 1e3


def _tools(folder: Path) -> list[dict[str, Any]]:
    with (folder / "tools.jsonl").open() as file:
        return [json.loads(line) for line in file]


def _peak() -> float:
    """MB of memory at most; of this process alone, where the system says so."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


if __name__ == "__main__":
    os.environ.setdefault("MCPEXPOSE_STATE_DIR", str(Path(sys.argv[3]) / "state"))
    print(json.dumps({"build": build, "serve": serve}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))))
