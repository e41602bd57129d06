"""`python -m tests.benchmarks.search`: find_tools beside its peers, in one run, on this machine.

Needs `pip install -e '.[bench]'`. Prints a table, and writes results/search.json and results/search.svg beside this
file (or to --results). Engines take turns; times are CPU; compare within one run only.
"""

from __future__ import annotations

import argparse
import compileall
import datetime
import json
import os
import platform
import shlex
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from tests.benchmarks import corpus, plot, quality, startup, tables
from tests.benchmarks.engines import ENGINES

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().parent / "results"
WORDS = (1, 3, 8)


def main() -> None:
    """Measures what the arguments say, or prints the last results again."""
    asked = _arguments()
    if asked.show:
        print(tables.markdown(json.loads((asked.results / "search.json").read_text("utf-8"))))
        return
    # An installed package has its byte code; a checkout would be compiled within somebody's time.
    compileall.compile_dir(ROOT / "mcpexpose", quiet=2)
    compileall.compile_dir(ROOT / "tests" / "benchmarks", quiet=2)
    real = corpus.read(asked.catalogs or corpus.SHIPPED)
    report = _about(asked, real)
    with tempfile.TemporaryDirectory(prefix="mcpexpose-bench-") as work:
        for size in asked.sizes:
            folder = Path(work) / str(size)
            folder.mkdir()
            report["engines"] += _speed(folder, real, size, asked)
            if size == asked.start_size:
                _say(f"{size:,} tools: whole processes")
                names = [row["engine"] for row in report["engines"] if row["tools"] == size and "error" not in row]
                report["start"] = {"tools": size, "cases": startup.measure(folder, names, asked.start_rounds)}
            shutil.rmtree(folder)
            _save(report, asked)
    if asked.retrieval:
        report["quality"] = _quality(asked)
    print(tables.markdown(_save(report, asked)))


def _save(report: dict[str, Any], asked: argparse.Namespace) -> dict[str, Any]:
    """Write the results, with --merge those of other sizes that stood there before; what was written."""
    asked.results.mkdir(parents=True, exist_ok=True)
    file = asked.results / "search.json"
    if asked.merge and file.exists():
        before = json.loads(file.read_text("utf-8"))
        measured = {row["tools"] for row in report["engines"]}
        others = [row for row in before["engines"] if row["tools"] not in measured]
        engines = sorted([*others, *report["engines"]], key=lambda row: row["tools"])
        report = {**before, **report, "engines": engines}
        report["command"] = "; ".join(dict.fromkeys([*before["command"].split("; "), report["command"]]))
    file.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    (asked.results / "search.svg").write_text(plot.svg(report), "utf-8")
    return report


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.search", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--catalogs", type=Path, action="append", help="a folder of catalogs, instead of the examples'")
    parser.add_argument("--retrieval", type=Path, help="a folder of catalogs and queries to measure quality on")
    parser.add_argument("--cap", type=int, default=120, help="queries a source")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queries", type=int, default=200, help="queries of each length")
    parser.add_argument("--start-size", type=int, default=10_000)
    parser.add_argument("--start-rounds", type=int, default=7)
    parser.add_argument("--limit", type=float, default=1_200, help="seconds of wall time that one process may take")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--merge", action="store_true", help="keep the results of sizes that are not measured now")
    parser.add_argument("--show", action="store_true", help="print the table of the last results, and measure nothing")
    return parser.parse_args()


def _about(asked: argparse.Namespace, real: list[Any]) -> dict[str, Any]:
    packages = sorted({ENGINES[name].package for name in asked.engines} - {""})
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {
            "processor": _processor(), "cores": os.cpu_count(), "system": platform.platform(terse=True),
            "python": platform.python_version(), "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        },
        "command": shlex.join(["python", "-m", "tests.benchmarks.search", *sys.argv[1:]]),
        "corpus": {"tools": len(real), "servers": len({tool["server"] for tool in real}), "seed": corpus.SEED},
        "versions": {**{name: metadata.version(name) for name in packages}, "SQLite": sqlite3.sqlite_version},
        "rounds": asked.rounds,
        "engines": [],
    }  # fmt: skip


def _speed(folder: Path, real: list[Any], size: int, asked: argparse.Namespace) -> list[dict[str, Any]]:
    tools = list(corpus.recombined(real, size))
    with (folder / "tools.jsonl").open("w") as file:
        file.writelines(json.dumps(tool) + "\n" for tool in tools)
    classes = {words: corpus.queries(tools, words, asked.queries + 1) for words in WORDS}
    (folder / "queries.json").write_text(json.dumps(classes))
    del tools
    rows = {name: {"engine": name, "tools": size} for name in asked.engines}
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in asked.engines}
    for name, row in rows.items():
        if size > ENGINES[name].most:
            row["error"] = f"not run above {ENGINES[name].most:,} tools"
        else:
            _say(f"{size:,} tools: building {name}")
            row.update(_child("build", name, folder, asked.limit))
    for turn in range(asked.rounds):
        for name, row in rows.items():
            if "error" not in row:
                _say(f"{size:,} tools: round {turn + 1}, {name}")
                got = _child("serve", name, folder, asked.limit)
                if "error" in got:
                    row.update(got)
                else:
                    taken[name].append(got)
    for name, row in rows.items():
        if "error" not in row:
            row.update(_middle(taken[name]))
    return list(rows.values())


def _child(kind: str, name: str, folder: Path, limit: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.measured", kind, name, str(folder)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"{kind}: more than {limit:,.0f} s"}
    if done.returncode:
        return {"error": f"{kind}: {(done.stderr.strip().splitlines() or ['no message'])[-1][:200]}"}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _middle(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The medians of each figure."""
    return {
        key: _middle([row[key] for row in rows]) if isinstance(value, dict) else statistics.median(r[key] for r in rows)
        for key, value in rows[0].items()
    }


def _quality(asked: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    for name in asked.engines:
        engine = ENGINES[name]
        _say(f"quality of {name}")

        def made(tools: list[dict[str, Any]], work: Path, engine: Any = engine) -> Any:
            if engine.build is not None:
                engine.build(tools, work)
            return engine.open(work, lambda: tools)

        rows.append({"engine": name, **quality.measure(asked.retrieval, made, asked.cap)})
    return rows


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _say(text: str) -> None:
    print(f"# {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
