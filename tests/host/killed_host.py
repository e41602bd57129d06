"""Kills a host again and again: `python killed_host.py FOLDER MOMENTS SEED` prints what came of it as JSON.

A process that has imported everything forks a server, and one host after the other, so that a life costs milliseconds.
Each host goes on with the record and the events that the one before it left behind, and with the work that it did not
see the end of, as a model would that asks again. It is killed after so many calls and a random time, so that as much is
done on a slow machine as on a fast one.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema

import mcpexpose.host.calls
import mcpexpose.toolschema.keywords
from mcpexpose import ConnectionLost, FileSink, Ledger, Runtime
from mcpexpose.model.policy import SideEffect
from tests.builders import tool
from tests.host.running import plan_of, yes

IMPORTED = (jsonschema, mcpexpose.host.calls, mcpexpose.toolschema.keywords, sqlite3)
"""What a host would import late: here before it is forked."""
WORKERS = 4
MOST = 6
"""Calls of a life, before it ends; one in seven ends while it still opens what the one before it left."""
MOMENT_S = 0.03
"""Within this time from there, it is killed."""
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def append(path: Path, line: str) -> None:
    """Whole, or not at all: one write to the end of the file."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


async def serve(folder: Path) -> None:
    """The server: it outlives every host, does what it is asked, and answers a bit later, to whoever is still there."""
    chance = random.Random(1)

    async def on_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if word := (await reader.readline()).decode().strip():
            await asyncio.sleep(chance.random() * 0.004)
            append(folder / "executed", word)
            await asyncio.sleep(chance.random() * 0.004)
            try:
                writer.write(b"done\n")
                await writer.drain()
            except ConnectionError:
                pass
        writer.close()

    server = await asyncio.start_unix_server(on_client, folder / "socket")
    await server.serve_forever()


async def host(folder: Path, first: int) -> None:
    """One life: what was begun and has no end, then new work."""
    runtime = Runtime(audit=FileSink(folder / "events.jsonl"), ledger=Ledger(folder / "runs.sqlite"))
    plan = plan_of(folder, tool("gh", "put", side_effect=SideEffect.WRITE, schema=SCHEMA), runtime=runtime)
    ended = {line.partition(" ")[0] for line in lines(folder / "answers")} | told(folder)
    again = [int(word) for word in lines(folder / "begun")[-3 * WORKERS :] if word not in ended]
    numbers = iter([*dict.fromkeys(again), *range(first, first + 100_000)])

    async def through(carried: Any) -> Any:
        reader, writer = await asyncio.open_unix_connection(folder / "socket")
        writer.write(f"{carried.arguments['n']}\n".encode())
        await writer.drain()
        answer = await reader.readline()
        writer.close()
        if answer != b"done\n":
            raise ConnectionLost("gone")
        return {"content": []}

    async def work() -> None:
        for n in numbers:
            append(folder / "begun", str(n))
            session = plan.session(run_id=f"op-{n}")
            handle = session.inspect("gh", "put")
            outcome = await session.call(handle, {"n": n}, through=through, approve=yes)
            append(folder / "answers", f"{n} {outcome.outcome}")

    await asyncio.gather(*(work() for _ in range(WORKERS)))


def events(folder: Path) -> tuple[list[dict[str, Any]], int]:
    """Those that can be read, and how many lines cannot."""
    read, torn = [], 0
    for line in lines(folder / "events.jsonl"):
        try:
            read.append(json.loads(line))
        except ValueError:
            torn += 1
    return read, torn


def told(folder: Path) -> set[str]:
    """Numbers of the calls that an event says were carried out."""
    read, _ = events(folder)
    return {each["run_id"][3:] for each in read if (each["event"], each["outcome"]) == ("call", "ok")}


def forked(work: Any) -> int:
    number = os.fork()
    if number:
        return number
    try:
        asyncio.run(work())
    finally:
        os._exit(1)


def main(folder: Path, moments: int, seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    server = forked(lambda: serve(folder))
    while not (folder / "socket").exists():
        time.sleep(0.005)
    lives = Counter[str]()
    for moment in range(moments):
        before = len(lines(folder / "executed"))
        number = forked(lambda first=moment * 100_000: host(folder, first))
        calls = chance.randrange(MOST + 1)
        while len(lines(folder / "executed")) < before + calls:
            time.sleep(0.002)
        time.sleep(chance.random() * MOMENT_S)
        os.kill(number, signal.SIGKILL)
        _, status = os.waitpid(number, 0)
        assert os.WIFSIGNALED(status), "a host ended by itself"
        lives["that did nothing" if len(lines(folder / "executed")) == before else "that did something"] += 1
    time.sleep(0.1)
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    executed = Counter(lines(folder / "executed"))
    answers = [line.split(" ") for line in lines(folder / "answers")]
    read, torn = events(folder)
    ok = {number for number, outcome in answers if outcome == "ok"}
    open_ = len(Ledger(folder / "runs.sqlite").open_runs())
    return {
        "moments": moments,
        "lives": lives,
        "executed": len(executed),
        "twice": sorted(number for number, times in executed.items() if times > 1),
        "answers": Counter(outcome for _, outcome in answers),
        "answered without an event": sorted(ok - told(folder)),
        "told without being executed": sorted(told(folder) - executed.keys()),
        "executed, and neither told nor open": max(0, len(executed.keys() - told(folder)) - open_),
        "open": open_,
        "events": len(read),
        "torn lines": torn,
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
