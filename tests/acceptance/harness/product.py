"""The product's command line, run as its users run it: each command in a process of its own, in a clean environment."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
SHIM = Path(__file__).resolve().parent / "shim"
NOW = "2026-11-30T12:00:00Z"
NEEDS_OWN_PROCESS = ("PYTHON", "LC_", "LANG", "TZ")
"""Variables that Python or the C library reads at start only."""
USAGE_SIGNS = ("No such option", "no such option", "Got unexpected extra argument", "No such command")


@dataclass
class Ran:
    """A command that was run, and all that came of it."""

    command: str
    """The subcommand: lint, plan, search …"""
    argv: list[str]
    code: int
    """Negative for a signal."""
    out: str
    err: str
    seconds: float
    """Without the start of an interpreter."""
    peak_kb: int = 0
    timed_out: bool = False
    echoes: tuple[str, ...] = ()
    """What the test itself said: a query, arguments."""
    label: str = ""
    """Where in the case: `step 3: search`, or "" before the steps."""

    @property
    def json(self) -> Any:
        """What it printed as JSON, or None where that is no JSON."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None

    @property
    def in_json(self) -> bool:
        return "json" in self.argv

    @property
    def text(self) -> str:
        return self.out + "\n" + self.err

    @property
    def not_understood(self) -> bool:
        """The command line itself was refused: the harness and the product disagree on options."""
        return self.code == 2 and any(sign in self.err for sign in USAGE_SIGNS)

    def __str__(self) -> str:
        return " ".join(["mcpexpose", *(_short(part) for part in self.argv)])


@dataclass
class Surroundings:
    """Where and under what a case's commands run."""

    work: Path
    home: Path
    programs: Path
    """On PATH first; holds `fake-server`."""
    variables: dict[str, str] = field(default_factory=dict)
    """The case's own, and what its steps set."""
    now: str = NOW

    def env(self, extra: dict[str, str] | None = None) -> dict[str, str]:
        """All that the product sees of the environment."""
        return {
            "PATH": os.pathsep.join([str(self.programs), str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.variables,
            **(extra or {}),
        }


class Product:
    """Runs commands: in real processes, or, where nothing tells them apart, forked from one that has them imported."""

    def __init__(self, *, forked: bool = True, timeout: float = 120.0) -> None:
        self.forked = forked
        self.timeout = timeout
        self._zygote: _Zygote | None = None
        self._start_seconds: float | None = None

    def run(
        self,
        around: Surroundings,
        argv: list[str],
        *,
        env: dict[str, str] | None = None,
        own_process: bool = False,
        echoes: tuple[str, ...] = (),
        timeout: float | None = None,
        now: bool = True,
        label: str = "",
    ) -> Ran:
        """One command of the product in the case's folder, its clock set unless it knows none."""
        full = [argv[0], *(["--now", around.now] if now else []), *argv[1:]]
        everything = around.env(env)
        limit = timeout or self.timeout
        odd = any(name.startswith(NEEDS_OWN_PROCESS) for name in {**around.variables, **(env or {})})
        if not self.forked or own_process or odd:
            found = run_process(full, around.work, everything, limit)
            found["seconds"] = max(0.0, found["seconds"] - self._start(around))
        else:
            if self._zygote is None:
                self._zygote = _Zygote()
            found = self._zygote.run(full, around.work, everything, limit)
        return Ran(command=argv[0], argv=full, echoes=echoes, label=label, **found)

    def close(self) -> None:
        if self._zygote is not None:
            self._zygote.close()

    def _start(self, around: Surroundings) -> float:
        """Seconds until an interpreter runs the product at all: no part of an answer's time."""
        if self._start_seconds is None:
            runs = [run_process(["--version"], around.work, around.env(), self.timeout) for _ in range(2)]
            self._start_seconds = min(run["seconds"] for run in runs)
        return self._start_seconds


def command_line(argv: list[str]) -> list[str]:
    """The words that start the product in a process of its own."""
    return [sys.executable, "-m", "mcpexpose", *argv]


def run_process(argv: list[str], cwd: Path, env: dict[str, str], timeout: float) -> dict[str, Any]:
    """Run the product in a fresh interpreter; its fields as Ran has them. Its group ends when it takes too long."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command_line(argv),
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    taken: dict[str, bytes] = {}
    readers = [
        threading.Thread(target=lambda n=name, s=stream: taken.__setitem__(n, s.read()), daemon=True)
        for name, stream in (("out", process.stdout), ("err", process.stderr))
    ]
    for reader in readers:
        reader.start()
    timed_out, status, peak, seen = False, None, 0, 0
    while status is None:
        seen = _peak_kb(process.pid) or seen
        ended, raw, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            # What wait4 tells counts in what this process held when it forked.
            status, peak = os.waitstatus_to_exitcode(raw), seen or usage.ru_maxrss
        else:
            if not timed_out and time.perf_counter() - begun > timeout:
                timed_out = True
                end_group(process.pid)
            time.sleep(0.004)
    process.returncode = status
    seconds = time.perf_counter() - begun
    for reader in readers:
        reader.join(5)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    out, err = (taken.get(name, b"").decode("utf-8", "surrogateescape") for name in ("out", "err"))
    return {"code": status, "out": out, "err": err, "seconds": seconds, "peak_kb": peak, "timed_out": timed_out}


def _peak_kb(pid: int) -> int:
    """The most memory that the program of PID held so far; 0 where the system does not tell, or it ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def end_group(pid: int) -> None:
    """Kill the process group that PID leads, if it still is there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _short(part: str) -> str:
    return repr(part if len(part) <= 60 else part[:57] + "…") if " " in part or len(part) > 60 or not part else part


class _Zygote:
    """The other end of zygote.py."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mcpx-")
        env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": self._folder.name}
        env |= {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            cwd=self._folder.name,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._warm()

    def run(self, argv: list[str], cwd: Path, env: dict[str, str], timeout: float) -> dict[str, Any]:
        out, err = Path(self._folder.name, "out"), Path(self._folder.name, "err")
        reply = self._ask({"argv": argv, "cwd": str(cwd), "env": env, "out": str(out), "err": str(err)}, timeout)
        texts = {
            name: path.read_bytes().decode("utf-8", "surrogateescape") for name, path in (("out", out), ("err", err))
        }
        return {**reply, **texts}

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(100)
        self._folder.cleanup()

    def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the zygote has no pipes")
        self._process.stdin.write(json.dumps({**request, "timeout": timeout}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the zygote ended")
        return dict(json.loads(line))

    def _warm(self) -> None:
        """Have the everyday commands' modules imported once."""
        work = Path(self._folder.name, "warm")
        (work / "catalogs").mkdir(parents=True)
        (work / "config.toml").write_text('[mcp_servers.a]\ncommand = "a"\ndescription = "A"\n', encoding="utf-8")
        tool = {"name": "t", "description": "T", "inputSchema": {"type": "object", "properties": {}}}
        catalog = {"server": "a", "captured_at": NOW, "protocol": "2025-11-25", "tools": [tool]}
        (work / "catalogs" / "a.json").write_text(json.dumps(catalog), encoding="utf-8")
        for words in (["lint"], ["plan", "--out", "plan"], ["search", "t"]):
            argv = [words[0], "--now", NOW, "--config", "config.toml", "--format", "json", *words[1:]]
            files = {name: str(work / name) for name in ("out", "err", "report")}
            env = {"PATH": os.defpath, "HOME": str(work), "LANG": "C.UTF-8"}
            self._ask({"warm": True, "argv": argv, "cwd": str(work), "env": env, **files}, 60)
