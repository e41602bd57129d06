"""What the gate costs: check and event without any server, beside a bare `call_tool` of the SDK over loopback.

Run: `python tests/benchmarks/gate.py`. Prints microseconds and the ratio of the medians.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcpexpose import FileSink
from tests.builders import tool
from tests.fakes.sdk_server import build
from tests.fakes.web import serving
from tests.host.running import plan_of

CHECKS = 3_000
CALLS = 300
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "owner": {"type": "string"},
        "repo": {"type": "string"},
        "number": {"type": "integer", "minimum": 1},
    },
    "required": ["owner", "repo", "number"],
    "additionalProperties": False,
}


def quantiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p99 in microseconds."""
    ordered = sorted(seconds)
    return ordered[len(ordered) // 2] * 1e6, ordered[int(len(ordered) * 0.99)] * 1e6


def gate(folder: Path) -> list[float]:
    session = plan_of(folder, tool("gh", "get", schema=SCHEMA), sink=FileSink(folder / "events.jsonl")).session()
    found: Any = session.inspect("gh", "get")
    arguments = {"owner": "a", "repo": "b", "number": 7}
    session.check(found, arguments)
    took = []
    for _ in range(CHECKS):
        begun = time.perf_counter()
        decision = session.check(found, arguments)
        took.append(time.perf_counter() - begun)
        assert decision.outcome == "allowed"
    return took


async def bare(address: str) -> list[float]:
    from mcp import Client

    took = []
    async with Client(f"{address}/mcp", read_timeout_seconds=30) as client:
        await client.call_tool("a", {})
        for _ in range(CALLS):
            begun = time.perf_counter()
            await client.call_tool("a", {})
            took.append(time.perf_counter() - begun)
    return took


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        checked = quantiles(gate(Path(folder)))
    with serving(build(["a"], 10).streamable_http_app()) as address:
        called = quantiles(asyncio.run(bare(address)))
    print(f"check + event        p50 {checked[0]:8.0f} us   p99 {checked[1]:8.0f} us")
    print(f"bare call, loopback  p50 {called[0]:8.0f} us   p99 {called[1]:8.0f} us")
    print(f"the gate is {checked[0] / called[0]:.1%} of a bare call")


if __name__ == "__main__":
    main()
