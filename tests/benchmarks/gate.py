"""What the gate costs: check and event without any server, beside a bare `call_tool` of the SDK over loopback.

Run: `python tests/benchmarks/gate.py`. Prints microseconds, and ratios to the bare call of the same run: the kinds take
turns, so that whatever else the machine does meets all of them. The server is another process, as servers are.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcpexpose import FileSink
from mcpexpose.adapters.mcp_sdk import SdkClients
from mcpexpose.model.policy import SideEffect
from tests.builders import tool
from tests.fakes.sdk_server import build
from tests.fakes.web import serving
from tests.host.running import plan_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ROUNDS = 300
CHECKS_A_ROUND = 10
ARGUMENTS = {"owner": "a", "repo": "b", "number": 7}
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
BARE = "bare client.call_tool"


def serve() -> None:
    """The server's process: says where it listens, and ends with its stdin."""
    with serving(build(["get", "put"], 10).streamable_http_app()) as address:
        print(address, flush=True)
        sys.stdin.read()


async def measure(folder: Path, address: str) -> dict[str, list[float]]:
    from mcp import Client

    write = tool("gh", "put", side_effect=SideEffect.WRITE, schema=SCHEMA)
    plan = plan_of(folder, tool("gh", "get", schema=SCHEMA), write, sink=FileSink(folder / "events.jsonl"))
    session = plan.session()
    reading: Any = session.inspect("gh", "get")
    writing: Any = session.inspect("gh", "put")
    took: dict[str, list[float]] = {}

    async def timed(kind: str, work: Callable[[], Awaitable[Any]]) -> None:
        begun = time.perf_counter()
        await work()
        took.setdefault(kind, []).append(time.perf_counter() - begun)

    async def check() -> None:
        assert session.check(reading, ARGUMENTS).outcome == "allowed"

    async with Client(f"{address}/mcp", read_timeout_seconds=30) as client:
        through = SdkClients({"gh": client}).through

        async def bare() -> None:
            await client.call_tool("get", ARGUMENTS)

        async def governed(found: Any = reading) -> None:
            done = await session.call(found, ARGUMENTS, approve=lambda ask: True, through=through)
            assert done.outcome == "ok", done

        for _ in range(5):  # connections, caches and imports of the first ones
            await bare()
            await governed()
        for _ in range(ROUNDS):
            for _ in range(CHECKS_A_ROUND):
                await timed("check + event, no server", check)
            await timed(BARE, bare)
            await timed("session.call, read_only", governed)
            await timed("session.call, write, on disk", lambda: governed(writing))
    return took


def quantiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p99 in microseconds."""
    ordered = sorted(seconds)
    return ordered[len(ordered) // 2] * 1e6, ordered[int(len(ordered) * 0.99)] * 1e6


def main() -> None:
    command = [sys.executable, __file__, "--serve"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        took = asyncio.run(measure(Path(folder), server.stdout.readline().strip()))
    half, most = quantiles(took[BARE])
    print(f"{'microseconds':30}{'p50':>10}{'p99':>10}   of a bare call: p50, p99")
    for kind, seconds in took.items():
        p50, p99 = quantiles(seconds)
        print(f"{kind:30}{p50:10,.0f}{p99:10,.0f}   {p50 / half:14.1%}, {p99 / most:.1%}")


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
