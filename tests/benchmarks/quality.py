"""How often the right tool is found, on catalogs and queries that others wrote.

The folder holds `catalogs/*.json` and `functions/*.json` ({"server_id", "tools"}), `queries/SOURCE.jsonl` ({"id",
"query", "relevant": [{"server_id", "tool", "group"?}]}) and `pools.json` ({"sources": {SOURCE: {"kind", "level",
"own"}}}). A source of kind "mcp" is asked in a pool of its own servers and 500 tools of others, picked by a hash; a
source of functions in its own. There, tools of other servers that are named as a right one are neither right nor
wrong. Relevant tools of one group are alternatives.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.benchmarks.engines import Search

DEPTH = 40
BESIDE = 500
LEAST = 20
"""Queries of a source that counts in the means."""
AT = (1, 5, 10)


def pools(folder: Path, cap: int | None) -> Iterable[tuple[list[dict[str, Any]], dict[str, tuple[str, list[Any]]]]]:
    """Each pool's tools with the sources that ask it: their kind and queries, CAP a source, picked by a hash."""
    catalogs = {
        catalog["server_id"]: (part, catalog["tools"])
        for part in ("catalogs", "functions")
        for path in sorted((folder / part).glob("*.json"))
        for catalog in [json.loads(path.read_text("utf-8"))]
    }
    sources = json.loads((folder / "pools.json").read_text("utf-8"))["sources"]
    asked: dict[tuple[str, ...], dict[str, tuple[str, list[Any]]]] = {}
    for name, source in sorted(sources.items()):
        lines = (folder / "queries" / f"{name}.jsonl").read_text("utf-8").splitlines()
        queries = sorted((json.loads(line) for line in lines), key=lambda row: _hash(row["id"]))[:cap]
        if source["level"] != "tool" or len(queries) < LEAST:
            continue
        pool = list(source["own"])
        if source["kind"] == "mcp":
            others = [one for one, (part, _) in catalogs.items() if part == "catalogs" and one not in source["own"]]
            room = BESIDE
            for one in sorted(others, key=lambda server: _hash("mid" + server)):
                if room > 0:
                    pool.append(one)
                    room -= len(catalogs[one][1])
        asked.setdefault(tuple(sorted(pool)), {})[name] = (source["kind"], queries)
    for servers, of in asked.items():
        yield [{**tool, "server": server} for server in servers for tool in catalogs[server][1]], of


def measure(
    folder: Path, engine: Callable[[list[dict[str, Any]], Path], Search], cap: int | None
) -> dict[str, dict[str, float]]:
    """Recall at 1, 5 and 10 and nDCG at 10 of each source; "mcp" and "function" are the means over their sources."""
    rows: dict[str, dict[str, float]] = {}
    kinds: dict[str, list[str]] = {"mcp": [], "function": []}
    for tools, asked in pools(folder, cap):
        with tempfile.TemporaryDirectory() as work:
            search = engine(tools, Path(work))
            for name, (kind, queries) in asked.items():
                scored = [score(search(row["query"], DEPTH), row["relevant"], kind == "mcp") for row in queries]
                rows[name] = {key: statistics.fmean(one[key] for one in scored) for key in scored[0]}
                kinds[kind].append(name)
    for kind, names in kinds.items():
        if names:
            rows[kind] = {key: statistics.fmean(rows[name][key] for name in names) for key in rows[names[0]]}
    return rows


def score(found: Iterable[tuple[str, str]], relevant: list[Mapping[str, Any]], alike: bool) -> dict[str, float]:
    """One query's figures. ALIKE: tools of other servers with a right one's name are passed over."""
    needs = {(one["server_id"], one["tool"]): one.get("group", n) for n, one in enumerate(relevant)}
    names = {_plain(name) for _, name in needs}
    place = 0
    met: dict[Any, int] = {}
    for key in dict.fromkeys(tuple(one) for one in found):
        need = needs.get(key)
        if need is None:
            place += not (alike and _plain(key[1]) in names)
        elif need not in met:
            place += 1
            met[need] = place
    count = len(set(needs.values()))
    gained = sum(1 / math.log2(at + 1) for at in met.values() if at <= 10)
    ideal = sum(1 / math.log2(at + 2) for at in range(min(count, 10)))
    recall = {f"r@{k}": sum(at <= k for at in met.values()) / count for k in AT}
    return {**recall, "nDCG@10": gained / ideal}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
