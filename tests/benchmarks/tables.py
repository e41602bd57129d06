"""The results as tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.benchmarks.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    Report = dict[str, Any]


def markdown(report: Report) -> str:
    """All that was measured."""
    parts = [_speed(report, size) for size in dict.fromkeys(row["tools"] for row in report["engines"])]
    if "start" in report:
        parts.append(_start(report["start"]))
    if "quality" in report:
        parts.append(_quality(report["quality"]))
    return "\n\n".join(parts)


def title(name: str) -> str:
    """What an engine is called in a table."""
    engine = ENGINES.get(name)
    return engine.title if engine else name


def versions(report: Report) -> str:
    """Every package that was measured, with its version."""
    return ", ".join(f"{name} {version}" for name, version in report["versions"].items())


def _speed(report: Report, size: int) -> str:
    head = [
        f"{size:,} tools", "build s", "disk MB", "import ms", "load ms", "first ms", "1 word p50 / p99", "3 words",
        "8 words", "3 words, of ours", "peak MB",
    ]  # fmt: skip
    rows = [row for row in report["engines"] if row["tools"] == size]
    ours = next((row for row in rows if row["engine"] == "mcpexpose" and "words_3" in row), None)
    lines = []
    for row in rows:
        if "error" in row:
            lines.append([title(row["engine"]), row["error"], *[""] * (len(head) - 2)])
            continue
        classes = [f"{_number(row[key]['p50_ms'])} / {_number(row[key]['p99_ms'])}" for key in _classes(row)]
        share = f"{_number(row['words_3']['p50_ms'] / ours['words_3']['p50_ms'])} ×" if ours else ""
        kept = "none" if row["disk_mb"] is None else _number(row["disk_mb"])
        figures = [_number(row[key]) for key in ("import_ms", "load_ms", "first_ms")]
        lines.append(
            [title(row["engine"]), _number(row["build_s"]), kept, *figures, *classes, share, f"{row['peak_mb']:.0f}"]
        )
    return _table(head, lines)


def _classes(row: dict[str, Any]) -> Iterable[str]:
    return (f"words_{words}" for words in (1, 3, 8))


def _start(start: dict[str, Any]) -> str:
    ours = next(case["cpu_ms"] for case in start["cases"] if case["engine"] == "mcpexpose")
    lines = [
        [
            title(case["engine"]),
            f"{case['wall_ms']:.0f}",
            f"{case['cpu_ms']:.0f}",
            f"{_number(case['cpu_ms'] / ours)} ×",
        ]
        for case in start["cases"]
    ]
    return _table([f"start to first answer, {start['tools']:,} tools", "wall ms", "CPU ms", "of ours"], lines)


def _quality(rows: list[dict[str, Any]]) -> str:
    keys = ("r@1", "r@5", "r@10", "nDCG@10")
    lines = [
        [title(row["engine"]), *(f"{row['mcp'][key]:.3f}" for key in keys), f"{row['function']['r@5']:.3f}"]
        for row in rows
    ]
    return _table(["quality", *keys, "functions r@5"], lines)


def _number(value: float) -> str:
    """Three digits that tell something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
