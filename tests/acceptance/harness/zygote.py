"""A process that has the product imported and forks once a command: a clean state each time, without the start.

Reads one JSON request a line (argv, cwd, env, out, err, timeout), answers with one JSON line (code, seconds, peak_kb).
Run as a script; it imports nothing of the harness, and of the product nothing but modules that a command loaded anyhow.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any


def main() -> None:
    requests, replies = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(null, descriptor)
    for line in requests:
        request = json.loads(line)
        gc.freeze()  # a child's collector leaves alone, and so need not copy, what is here already
        reply = _import_what_it_loads(request) if request.get("warm") else _serve(request)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def _serve(request: dict[str, Any]) -> dict[str, Any]:
    begun = time.perf_counter()
    child = os.fork()
    if child == 0:
        _become(request)
    code, peak, timed_out = _wait(child, begun + float(request["timeout"]))
    return {"code": code, "seconds": time.perf_counter() - begun, "peak_kb": peak, "timed_out": timed_out}


def _wait(child: int, until: float) -> tuple[int, int, bool]:
    """The exit code (negative for a signal), the peak memory, and whether it was ended for its time."""
    timed_out, pause = False, 0.001
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss, timed_out
        if not timed_out and time.perf_counter() > until:
            timed_out = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        time.sleep(pause)
        pause = min(pause * 1.3, 0.02)


def _become(request: dict[str, Any]) -> None:
    """In the child: run `python -m mcpexpose ARGV` as the request has it, and end."""
    code = 1
    try:
        os.setpgid(0, 0)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        for target, path in ((1, request["out"]), (2, request["err"])):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(descriptor, target)
        sys.argv = ["mcpexpose", *request["argv"]]
        sys.path[0] = ""
        code = _run()
        if report := request.get("report"):
            Path(report).write_text(json.dumps(sorted(sys.modules)), encoding="utf-8")
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


def _run() -> int:
    try:
        runpy.run_module("mcpexpose", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _import_what_it_loads(request: dict[str, Any]) -> dict[str, Any]:
    """Run the command in a child, then import here what it imported, so that later children need not."""
    reply = _serve(request)
    report = Path(request["report"])
    if report.is_file():
        for name in json.loads(report.read_text(encoding="utf-8")):
            if name not in ("__main__", "mcpexpose.__main__"):
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
    return reply


if __name__ == "__main__":
    main()
