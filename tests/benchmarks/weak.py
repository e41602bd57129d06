"""How well the "weak match" mark tells a query that no tool serves from one that some tool does.

`python -m tests.benchmarks.weak --retrieval DIR` asks every query of DIR twice, of two pools of equal size: its own
servers among others, and others alone, without tools named as the wanted ones. It prints, by source of queries, the AUC
of the score that decides the mark, the share of unanswerable queries that it marks, and what withholding marked answers
would lose of recall@5; writes the curve as JSON and SVG. DIR holds catalogs/, functions/, queries/ and pools.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import re
import sys
import tempfile
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcpexpose.catalog.store import file_name
from mcpexpose.host.plan import CompiledSource, HostPlan
from mcpexpose.search.postings import idf
from mcpexpose.search.query import MAX_QUERY
from mcpexpose.search.ranking import WEAK
from mcpexpose.search.versions import ANALYZER_VERSION, RANKING_VERSION
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mcpexpose.model.answer import Ranking

LOSS = 0.02
"""Of recall@5, in the mean over sources: what the mark may cost those who would withhold marked answers."""
POINTS = 60
RESULTS = Path(__file__).parent / "results"
NEVER = float("inf")

Catalog = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One query in both pools."""

    recall: float
    """At 5, where it can be answered."""
    served: float
    """Strength of the best match there: its score over the idf of a word of one tool; NEVER where nothing marks it."""
    unserved: float
    """The same where nothing is to be found; 0 where nothing matched."""


@dataclass(frozen=True)
class Source:
    """The queries of one source."""

    name: str
    kind: str
    """Of its own servers: mcp, or function."""
    tools: int
    asked: tuple[Asked, ...]

    def auc(self) -> float:
        """The chance that a query with an answer has a stronger best match than one without."""
        without = sorted(one.unserved for one in self.asked)
        below = sum(bisect_left(without, one.served) + bisect_right(without, one.served) for one in self.asked)
        return below / 2 / len(self.asked) ** 2

    def marked(self, threshold: float) -> float:
        """The share of unanswerable queries whose best match is weaker than THRESHOLD."""
        return sum(one.unserved < threshold for one in self.asked) / len(self.asked)

    def loss(self, threshold: float) -> float:
        """Of recall@5, where what is weaker is withheld."""
        return sum(one.recall for one in self.asked if one.served < threshold) / len(self.asked)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--retrieval", type=Path, required=True, metavar="DIR")
    parser.add_argument("--others", type=int, nargs="+", default=[150, 500, 2_000], help="tools beside a source's own")
    parser.add_argument("--cap", type=int, help="at most this many queries of a source")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR", help="for weak.json and weak.svg")
    given = parser.parse_args(arguments)
    runs = {others: measure(given.retrieval, others, given.cap) for others in given.others}
    for others, sources in runs.items():
        print(table(others, sources), flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    report = as_json(runs, given.cap)
    (given.out / "weak.json").write_text(json.dumps(report, indent=1) + "\n")
    middle = 500 if 500 in runs else given.others[0]
    (given.out / "weak.svg").write_text(plot(runs[middle], middle), "utf-8")


def measure(folder: Path, others: int, cap: int | None = None) -> list[Source]:
    """Every source of FOLDER, asked in pools of its own servers and so many OTHERS."""
    spec = json.loads((folder / "pools.json").read_bytes())["sources"]
    parts = {part: [json.loads(path.read_bytes()) for path in sorted((folder / part).glob("*.json"))] for part in
             ("catalogs", "functions")}  # fmt: skip
    catalogs = {one["server_id"]: one for part in parts.values() for one in part}
    found = []
    for name in sorted(spec):
        rows = [json.loads(line) for line in (folder / "queries" / f"{name}.jsonl").read_text("utf-8").splitlines()]
        own = [catalogs[server] for server in spec[name]["own"]]
        rest = [one for one in parts["catalogs"] if one not in own]
        rest.sort(key=lambda one: _hash("mid" + one["server_id"]))
        rows.sort(key=lambda row: _hash(row["id"]))
        wanted = {_plain(each["tool"]) for row in rows for each in row["relevant"]} - {_plain("*")}
        size = others + sum(len(one["tools"]) for one in own)
        served, unserved = opened([*own, *_take(rest, others)]), opened(_take(rest, size, wanted))
        level = spec[name]["level"]
        asked = [_asked(row, served, unserved, level) for row in rows[:cap]]
        found.append(Source(name, spec[name]["kind"], served.rows.size, tuple(asked)))
    return found


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def _take(catalogs: Iterable[Catalog], room: int, without: frozenset[str] | set[str] = frozenset()) -> list[Catalog]:
    """Catalogs with ROOM tools in all, none of which is named as one of WITHOUT."""
    taken = []
    for catalog in catalogs:
        tools = [tool for tool in catalog["tools"] if _plain(tool["name"]) not in without][:room]
        room -= len(tools)
        if tools:
            taken.append({**catalog, "tools": tools})
    return taken


def opened(catalogs: Iterable[Catalog]) -> HostPlan:
    """The plan of CATALOGS, everything deferred, as a host has it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "catalogs").mkdir()
        lines = ["[limits]", "max_tools_per_server = 100_000"]
        for catalog in catalogs:
            server = catalog["server_id"]
            lines += [f"[mcp_servers.{json.dumps(server)}]", 'command = "x"', f"description = {json.dumps(server)}"]
            captured = {"server": server, "captured_at": "2026-01-01T00:00:00Z", "tools": catalog["tools"]}
            (folder / "catalogs" / file_name(server)).write_text(json.dumps(captured))
        (folder / "config.toml").write_text("\n".join(lines) + "\n")
        compiled = Workspace(folder / "config.toml", environ={}).compiled
    return HostPlan(CompiledSource(compiled.plan, compiled.definitions))


def _asked(row: Mapping[str, Any], served: HostPlan, unserved: HostPlan, level: str) -> Asked:
    query = row["query"][:MAX_QUERY]
    ranking = served.search(query, 40, None)
    names = [tuple(served.rows.id(hit.row)) for hit in ranking.hits]
    nothing = unserved.search(query, 1, None)
    return Asked(recall(names, row["relevant"], level), _strength(ranking, served), _strength(nothing, unserved))


def _strength(ranking: Ranking, plan: HostPlan) -> float:
    if not ranking.hits:
        return 0.0
    best = ranking.hits[0]
    return NEVER if best.exact or best.covered else best.score / idf(1, plan.rows.size)


def recall(ranked: Sequence[tuple[str, str]], relevant: Sequence[Mapping[str, Any]], level: str, k: int = 5) -> float:
    """The share of what is RELEVANT among the K best. Entries of one group are alternatives; other servers' tools that
    are named as a wanted one are nobody's judgement, and take no place."""
    groups = {(one["server_id"], one["tool"]): one.get("group", n) for n, one in enumerate(relevant)}
    names = {_plain(tool) for _, tool in groups}
    met: set[Any] = set()
    places: set[tuple[str, str]] = set()
    for server, tool in ranked:
        key = (server, "*") if level == "server" else (server, tool)
        if key in places or (key in groups and groups[key] in met) or (key not in groups and _plain(tool) in names):
            continue
        places.add(key)
        if len(places) > k:
            break
        if key in groups:
            met.add(groups[key])
    return len(met) / len(set(groups.values()))


def _mean(sources: Sequence[Source], figure: Callable[[Source], float]) -> float:
    return sum(figure(one) for one in sources) / len(sources)


def highest(sources: Sequence[Source]) -> float:
    """The highest threshold that loses at most LOSS in the mean over SOURCES."""
    steps = sorted({one.served for source in sources for one in source.asked if one.served < NEVER})
    low, high = 0, len(steps) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _mean(sources, partial(Source.loss, threshold=steps[middle])) <= LOSS:
            low = middle
        else:
            high = middle - 1
    return steps[low] if steps else 0.0


def table(others: int, sources: Sequence[Source]) -> str:
    """By source: AUC, and marked share and loss under three thresholds."""
    lines = [
        f"beside {others:,} other tools; marked share of unanswerable queries / loss of recall@5",
        f"{'source':14}{'n':>5}{'tools':>7}{'r@5':>7}{'AUC':>7}  {'stated':>13}  {'at loss .02':>19}"
        "  others' threshold",
    ]
    for source in sources:
        alone = highest([source])
        rest = highest([one for one in sources if one is not source]) if len(sources) > 1 else alone
        found = sum(one.recall for one in source.asked) / len(source.asked)
        lines.append(
            f"{source.name:14}{len(source.asked):>5}{source.tools:>7}{found:>7.3f}{source.auc():>7.3f}"
            f"  {source.marked(WEAK):6.2f} {source.loss(WEAK):6.3f}  {alone:5.2f} {source.marked(alone):6.2f}"
            f" {source.loss(alone):6.3f}  {rest:5.2f} {source.marked(rest):6.2f} {source.loss(rest):6.3f}"
        )
    lines.append(_mean_line("mean", sources))
    if servers := [one for one in sources if one.kind == "mcp"]:
        lines.append(_mean_line("mean, MCP", servers))
    return "\n".join(lines) + "\n"


def _mean_line(title: str, sources: Sequence[Source]) -> str:
    best = highest(sources)
    return (
        f"{title:14}{sum(len(one.asked) for one in sources):>5}{'':14}{_mean(sources, Source.auc):>7.3f}"
        f"  {_mean(sources, lambda one: one.marked(WEAK)):6.2f} {_mean(sources, lambda one: one.loss(WEAK)):6.3f}"
        f"  {best:5.2f} {_mean(sources, lambda one: one.marked(best)):6.2f}"
        f" {_mean(sources, lambda one: one.loss(best)):6.3f}"
    )


def _curve(sources: Sequence[Source]) -> list[tuple[float, float, float]]:
    """(threshold, marked, loss), in the mean over SOURCES."""
    return [
        (
            n / 10,
            _mean(sources, partial(Source.marked, threshold=n / 10)),
            _mean(sources, partial(Source.loss, threshold=n / 10)),
        )
        for n in range(POINTS + 1)
    ]


def as_json(runs: Mapping[int, Sequence[Source]], cap: int | None) -> dict[str, Any]:
    return {
        "command": "python -m tests.benchmarks.weak --retrieval DIR" + (f" --cap {cap}" if cap else ""),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "analyzer_version": ANALYZER_VERSION,
        "ranking_version": RANKING_VERSION,
        "stated_threshold": WEAK,
        "runs": [_run(others, sources) for others, sources in runs.items()],
    }


def _run(others: int, sources: Sequence[Source]) -> dict[str, Any]:
    return {
        "other_tools": others,
        "auc": round(_mean(sources, Source.auc), 3),
        "threshold_at_loss_02": round(highest(sources), 3),
        "sources": [
            {
                "source": one.name,
                "queries": len(one.asked),
                "tools": one.tools,
                "auc": round(one.auc(), 3),
                "marked": round(one.marked(WEAK), 3),
                "loss": round(one.loss(WEAK), 3),
                "marked_at_loss_02": round(one.marked(highest([one])), 3),
            }
            for one in sources
        ],
        "curve": [
            {"threshold": threshold, "marked": round(marked, 4), "loss": round(loss, 4)}
            for threshold, marked, loss in _curve(sources)
        ],
    }


def plot(sources: Sequence[Source], others: int) -> str:
    """Marked share over loss: each source, the mean, and the threshold in force."""
    wide, high, left, top, most = 560, 300, 60, 40, 0.2

    def at(loss: float, marked: float) -> str:
        return f"{left + wide * min(loss, most) / most:.1f},{top + high * (1 - marked):.1f}"

    def line(group: Sequence[Source], style: str) -> str:
        points = [at(loss, marked) for _, marked, loss in _curve(group) if loss <= most]
        return f'<polyline fill="none" {style} points="{" ".join(points)}"/>'

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 30} {top + high + 60}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{left + wide + 30}" height="{top + high + 60}" fill="#fff"/>',
        f'<text x="{left}" y="22" font-size="14">Unanswerable queries that are marked "weak match", of pools with'
        f" {others:,} other tools</text>",
    ]
    for n in range(6):
        x, y = left + wide * n / 5, top + high * (1 - n / 5)
        out += [
            f'<path stroke="#ddd" d="M{left} {y:.1f}h{wide}"/>',
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{n / 5:.0%}</text>',
            f'<text x="{x:.1f}" y="{top + high + 18}" text-anchor="middle">{most * n / 5:.2f}</text>',
        ]
    out.append(f'<text x="{left + wide / 2}" y="{top + high + 42}" text-anchor="middle">recall@5 that is lost where'
               " marked answers are withheld</text>")  # fmt: skip
    out += [line([one], 'stroke="#bbb"') for one in sources]
    out.append(line(sources, 'stroke="#06c" stroke-width="2.5"'))
    x, y = at(_mean(sources, lambda one: one.loss(WEAK)), _mean(sources, lambda one: one.marked(WEAK))).split(",")
    out += [
        f'<circle cx="{x}" cy="{y}" r="5" fill="#c30"/>',
        f'<text x="{float(x) + 10:.1f}" y="{float(y) + 16:.1f}" fill="#c30">threshold {WEAK}</text>',
        '<text x="440" y="320" fill="#06c">mean</text><text x="490" y="320" fill="#888">each source</text>',
        "</svg>\n",
    ]
    return "\n".join(out)


if __name__ == "__main__":
    main(sys.argv[1:])
