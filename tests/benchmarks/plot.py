"""The results as a picture, written by hand: a dot an engine and size, from the median to the 99th percentile."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from tests.benchmarks.tables import title

_LEFT, _RIGHT, _ROW, _TOP = 210, 40, 22, 58
_WIDTH = 860
_COLOURS = {"mcpexpose": "#c2410c"}
_OTHER = "#475569"


def svg(report: dict[str, Any]) -> str:
    """Three words, warm: ms of CPU on a logarithmic axis, a block a size."""
    rows = [row for row in report["engines"] if "words_3" in row]
    sizes = list(dict.fromkeys(row["tools"] for row in rows))
    if not rows:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>\n'
    low = math.floor(math.log10(min(row["words_3"]["p50_ms"] for row in rows)))
    high = math.ceil(math.log10(max(row["words_3"]["p99_ms"] for row in rows)))

    def x(value: float) -> float:
        return _LEFT + (math.log10(value) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    height = _TOP + len(rows) * _ROW + len(sizes) * 30 + 30
    said = f"CPU ms a query of three words, warm: median (dot) to 99th percentile. {report['date']}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="24" font-size="14" fill="#0f172a">{escape(said)}</text>',
    ]
    for power in range(low, high + 1):
        at = x(10.0**power)
        label = f"{10.0**power:g}"
        parts.append(f'<line x1="{at:.1f}" y1="{_TOP - 14}" x2="{at:.1f}" y2="{height - 24}" stroke="#e2e8f0"/>')
        parts.append(f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle" fill="#64748b">{label}</text>')
    y = _TOP
    for size in sizes:
        parts.append(f'<text x="16" y="{y + 4}" font-weight="bold" fill="#0f172a">{size:,} tools</text>')
        y += 24
        for row in sorted((row for row in rows if row["tools"] == size), key=lambda row: row["words_3"]["p50_ms"]):
            colour = _COLOURS.get(row["engine"], _OTHER)
            name, warm = escape(title(row["engine"])), row["words_3"]
            middle, late = x(warm["p50_ms"]), x(warm["p99_ms"])
            parts.append(
                f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end" fill="{colour}">{name}</text>'
                f'<line x1="{middle:.1f}" y1="{y}" x2="{late:.1f}" y2="{y}" stroke="{colour}" stroke-width="3" '
                f'stroke-opacity=".35"/><circle cx="{middle:.1f}" cy="{y}" r="5" fill="{colour}"/>'
                f'<text x="{late + 8:.1f}" y="{y + 4}" fill="#64748b" font-size="10">{warm["p50_ms"]:.2f}</text>'
            )
            y += _ROW
        y += 6
    return "\n".join([*parts, "</svg>"]) + "\n"
