"""What each step of the ranking is worth: `python -m tests.benchmarks.ablation DIR` takes one out at a time.

DIR is a folder as `quality` describes it. Prints the means over sources, what taking a step out changes in them, and
the source that it changes most. Each step is taken out in a process of its own, before anything is built.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from mcpexpose.search import analysis, documents, kinship, postings, query, ranking, stemming
from tests.benchmarks import quality

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.engines import Search

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("r@1", "r@5", "r@10", "nDCG@10")
Row = tuple[Any, ...]


def _rescored(change: Callable[[Row], Row]) -> None:
    whole = ranking.scores

    def scores(*args: Any, **more: Any) -> Any:
        rows, met = whole(*args, **more)
        return [change(row) for row in rows], met

    ranking.scores = scores


def _no_names() -> None:
    query._names = lambda text: iter(())


def _no_cover_first() -> None:
    _rescored(lambda row: (row[0], False, *row[2:]))


def _no_coverage() -> None:
    _rescored(lambda row: (*row[:2], row[2] / (1 + row[6]), *row[3:]))


def _no_mending() -> None:
    query._joined = lambda *_: ""
    query._split = query._edited = lambda *_: ()


def _no_clash() -> None:
    ranking.CLASH = 1.0


def _no_families() -> None:
    ranking.KIN = 0.0


def _no_irregular() -> None:
    stemming.IRREGULAR.clear()


def _no_stems() -> None:
    for module in (analysis, query, kinship):
        module.stem = lambda word: word


def _no_stop_words() -> None:
    analysis.STOP = frozenset()


def _no_wholes() -> None:
    known = analysis._known_chunk
    analysis._known_chunk = lambda chunk: tuple(token for token in known(chunk) if token.joins <= 0)


def _no_case() -> None:
    analysis._CASE = r"[A-Za-z]+|\d+"


def _no_brands() -> None:
    analysis._CASE = r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+"


def _no_pairs() -> None:
    analysis._pairs = lambda text, found: found.append(analysis.Token(text, text, 0))


def _no_weights() -> None:
    documents.WEIGHTS = dict.fromkeys(documents.WEIGHTS, 1.0)


def _no_field(*names: str) -> Callable[[], None]:
    def take_out() -> None:
        whole = documents.of

        def of(*args: Any) -> Any:
            return {field: found for field, found in whole(*args).items() if field not in names}

        documents.of = of

    return take_out


def _no_cut() -> None:
    postings.POSTINGS = 1_000_000


STEPS: dict[str, Callable[[], None]] = {
    "exact names first": _no_names,
    "every word covered first": _no_cover_first,
    "× (1 + coverage)": _no_coverage,
    "mending": _no_mending,
    "verb clash": _no_clash,
    "families": _no_families,
    "stemming": _no_stems,
    "irregular forms": _no_irregular,
    "stop words": _no_stop_words,
    "identifiers kept whole": _no_wholes,
    "split at case": _no_case,
    "brands kept whole": _no_brands,
    "pairs of CJK": _no_pairs,
    "weights of fields": _no_weights,
    "server in the text": _no_field("server"),
    "parameters in the text": _no_field("parameters", "parameter descriptions"),
    "titles in the text": _no_field("title"),
    "cut of long postings": _no_cut,
}


def engine(tools: list[dict[str, Any]], _: Path) -> Search:
    """The product's ranking over TOOLS in memory, without a compile."""
    from mcpexpose.search.engine import _Memory

    tools = sorted(tools, key=lambda tool: (tool["server"], tool["name"]))
    keys = [(tool["server"], tool["name"]) for tool in tools]
    plan: Any = SimpleNamespace(
        tools=[SimpleNamespace(server=server, name=name, alias=f"{server}__{name}") for server, name in keys]
    )
    memory = _Memory(postings.invert(tools, {}), plan)
    return lambda text, k: [keys[hit.row] for hit in ranking.rank(text[: query.MAX_QUERY], k, memory).hits]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.ablation", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cap", type=int, default=120, help="queries a source")
    parser.add_argument("--without", choices=["", *STEPS], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.without is not None:
        if asked.without:
            STEPS[asked.without]()
        print(json.dumps(quality.measure(asked.folder, engine, asked.cap)))
        return
    whole = _run(asked, "")
    print(f"| taken out | {' | '.join(KEYS)} | functions r@5 | source that changes most (nDCG@10) |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    means = [*(f"{whole['mcp'][key]:.3f}" for key in KEYS), f"{whole['function']['r@5']:.3f}"]
    print(f"| nothing | {' | '.join(means)} | |", flush=True)
    for step in STEPS:
        rows = _run(asked, step)
        changes = {name: rows[name]["nDCG@10"] - whole[name]["nDCG@10"] for name in rows if name not in _MEANS}
        most = max(changes, key=lambda name: abs(changes[name]))
        figures = [rows["mcp"][key] - whole["mcp"][key] for key in KEYS]
        figures.append(rows["function"]["r@5"] - whole["function"]["r@5"])
        print(f"| {step} | {' | '.join(f'{one:+.3f}' for one in figures)} | {most} {changes[most]:+.3f} |", flush=True)


_MEANS = ("mcp", "function")


def _run(asked: argparse.Namespace, step: str) -> dict[str, dict[str, float]]:
    command = [sys.executable, "-m", "tests.benchmarks.ablation", str(asked.folder), "--cap", str(asked.cap)]
    done = subprocess.run([*command, "--without", step], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
