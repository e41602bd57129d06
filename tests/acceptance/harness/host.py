"""The test's end of a host: a process that loads plans through the library and answers one request at a time."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.acceptance.harness.product import Surroundings, end_group


class HostSilent(Exception):
    """The host process ended or did not answer in time."""


class Host:
    """One host process over the case's folder; `ask` is one request to `host_process.Library`."""

    def __init__(self, around: Surroundings, *, printed: Path, timeout: float = 120.0) -> None:
        self._timeout = timeout
        self._printed = printed
        ours, theirs = os.pipe(), os.pipe()  # (read, write) of answers, of requests
        with printed.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("host_process.py")), str(theirs[0]), str(ours[1])],
                cwd=around.work,
                env=around.env(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(theirs[0], ours[1]),
                start_new_session=True,
            )
        os.close(theirs[0])
        os.close(ours[1])
        self._answers, self._requests = ours[0], theirs[1]
        self._rest = b""

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """What the library gave: its fields, or `error` with `type`, `message` and `findings`; and the `seconds`."""
        begun = time.perf_counter()
        try:
            os.write(self._requests, json.dumps({"do": do, **fields}).encode() + b"\n")
        except BrokenPipeError:
            raise HostSilent(f"{do}: the host process has ended; {self._last_words()}") from None
        line = self._line(begun + self._timeout, do)
        return {"seconds": time.perf_counter() - begun, **json.loads(line)}

    def close(self) -> None:
        os.close(self._requests)
        os.close(self._answers)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            end_group(self._process.pid)
            self._process.wait()

    def kill(self) -> None:
        """End it as a crash would."""
        end_group(self._process.pid)
        self._process.wait()

    def _line(self, until: float, do: str) -> bytes:
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.perf_counter()))
            if not ready:
                self.kill()
                raise HostSilent(f"{do}: no answer within {self._timeout:.0f} s")
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise HostSilent(f"{do}: the host process ended; {self._last_words()}")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _last_words(self) -> str:
        return self._printed.read_text(encoding="utf-8", errors="replace")[-600:]
