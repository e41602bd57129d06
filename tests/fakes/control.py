"""How a test drives the fake server: write its script, put its command on a PATH, read what it received."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

FAKE_SERVER = Path(__file__).with_name("fake_server.py")


def command(scripts: Path, server: str) -> tuple[str, list[str]]:
    """The program and the arguments that start the fake server of SERVER."""
    return sys.executable, [str(FAKE_SERVER), str(scripts), server]


def install(folder: Path, scripts: Path, name: str = "fake-server") -> Path:
    """Put a command NAME into FOLDER, which belongs on a PATH: `fake-server ID` then runs the script of ID."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    words = [sys.executable, str(FAKE_SERVER), str(scripts)]
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def serve(scripts: Path, server: str, **script: Any) -> None:
    """From now on SERVER does what SCRIPT says (the keys of fake_server.py)."""
    scripts.mkdir(parents=True, exist_ok=True)
    temporary = scripts / f"{server}.json.new"
    temporary.write_text(json.dumps(script), encoding="utf-8")
    os.replace(temporary, scripts / f"{server}.json")  # noqa: PTH105 - one step, beside the text that names both


def notify(scripts: Path, server: str, method: str, times: int = 1, after: float = 0) -> None:
    """Have the running SERVER send a notification."""
    order = {"method": method, "times": times, "after": after}
    with (scripts / f"{server}.control.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(order) + "\n")


def received(scripts: Path, server: str, method: str | None = None) -> list[dict[str, Any]]:
    """What SERVER got since ever, in order; of METHOD alone where one is given."""
    path = scripts / f"{server}.log.jsonl"
    if not path.exists():
        return []
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [entry for entry in entries if "method" in entry and method in (None, entry["method"])]


def starts(scripts: Path, server: str) -> list[dict[str, Any]]:
    """The processes of SERVER that were started, with their environment where the script asked for it."""
    path = scripts / f"{server}.log.jsonl"
    if not path.exists():
        return []
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [entry for entry in entries if "start" in entry]


def cursors(scripts: Path, server: str) -> list[str | None]:
    """The cursors of all tools/list requests, None for the first page."""
    return [(entry.get("params") or {}).get("cursor") for entry in received(scripts, server, "tools/list")]
