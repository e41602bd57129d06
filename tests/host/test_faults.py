"""Servers, networks, clocks and disks that fail: what the host says then is true, and nothing runs twice."""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import Connections, HostPlan, Inspection, Ledger, Runtime
from mcpexpose.host.plan import CompiledSource
from mcpexpose.model.catalog import revision_of
from mcpexpose.model.policy import SideEffect
from mcpexpose.model.transport import Transport
from tests.builders import compiled, tool
from tests.client.test_http_faults import JSON, answer, app_of
from tests.fakes import control
from tests.fakes.web import respond, serving
from tests.host.running import OK, Memory, Server, plan_of, run, yes

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITE = SideEffect.WRITE
ERAS = ["2025-11-25", "2026-07-28"]
CHANGED = "notifications/tools/list_changed"
NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)


def inspected(session: Any, name: str, server: str = "gh") -> Inspection:
    found = session.inspect(server, name)
    assert isinstance(found, Inspection)
    return found


def until(holds: Any) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        threading.Event().wait(0.01)


def entries(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "inputSchema": {"type": "object"}} for name in names]


class Real:
    """A host over a server in a process of its own, whose plan is what the server lists."""

    def __init__(self, folder: Path, **script: Any) -> None:
        self.folder = folder
        self.sink = Memory()
        self.script = {"tools": entries("get", "put"), **script}
        self.serve()
        command, args = control.command(folder, "gh")
        self.transport = Transport("stdio", command, tuple(args), tool_timeout_s=100, startup_timeout_s=100)
        self.connections = Connections(environ={"PATH": "/usr/bin:/bin"})
        self.recompiled = 0
        self.runtime = Runtime(
            audit=self.sink,
            ledger=Ledger(folder / "runs.sqlite"),
            connections=self.connections,
            recompile=self.recompile,
        )
        done = self.compiled([entry["name"] for entry in self.script["tools"]])
        self.plan = HostPlan(CompiledSource(done.plan, done.definitions), None, self.runtime)
        self.session = self.plan.session()

    def serve(self, **script: Any) -> None:
        self.script |= script
        control.serve(self.folder, "gh", **self.script)

    def recompile(self, catalogs: Any) -> Any:
        self.recompiled += 1
        return self.compiled([each["name"] for each in catalogs["gh"].tools])

    def compiled(self, names: list[str]) -> Any:
        made = compiled(
            *(tool("gh", name, side_effect=WRITE if name == "put" else SideEffect.READ_ONLY) for name in names)
        )
        transport, revision = self.transport, revision_of("gh", entries(*names))
        servers = tuple(replace(each, transport=transport, revision=revision) for each in made.plan.servers)
        return replace(made, plan=replace(made.plan, servers=servers))

    def call(self, name: str, arguments: Any = None) -> str:
        handle = inspected(self.session, name)
        return str(run(self.session.call(handle, arguments or {}, approve=yes)).outcome)

    @property
    def sent(self) -> list[str]:
        return [each["params"]["name"] for each in control.received(self.folder, "gh", "tools/call")]

    @property
    def lists(self) -> int:
        return len(control.received(self.folder, "gh", "tools/list"))


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def real(tmp_path: Path, era: str) -> Iterator[Real]:
    made = Real(tmp_path, protocol=era)
    yield made
    made.runtime.close()


# servers


def test_a_server_killed_before_during_and_after_its_work(real: Real) -> None:
    """G11: before: the call goes to another process; during and after: nobody knows, and it is not repeated."""
    assert real.call("put", {"n": 0}) == "ok"
    (first,) = control.starts(real.folder, "gh")
    os.kill(first["start"], signal.SIGKILL)
    until(lambda: real.connections._links["gh"][-1].is_over)
    assert real.call("put", {"n": 1}) == "ok"
    assert len(control.starts(real.folder, "gh")) == 2

    real.serve(calls={"put": [{"hang": True}]})
    killer = threading.Thread(target=lambda: (until(lambda: len(real.sent) == 3), _kill_last(real)))
    killer.start()
    assert real.call("put", {"n": 2}) == "unknown-completion"
    killer.join()
    real.serve(calls={"put": [{"drop": True}]})
    assert real.call("put", {"n": 3}) == "unknown-completion"
    real.serve(calls={})
    for n in (2, 3):
        assert real.call("put", {"n": n}) == "refused:outcome-unknown"
    assert real.call("put", {"n": 4}) == "ok"
    assert len(real.sent) == 5
    assert len(real.runtime.ledger.open_runs()) == 2


def _kill_last(real: Real) -> None:
    os.kill(control.starts(real.folder, "gh")[-1]["start"], signal.SIGKILL)


class Proxy:
    """A network between host and server that can be cut without either of them noticing."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cut = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/mcp"
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.port))
            self.sockets += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    def pump(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while block := one.recv(65_536):
                if not self.cut:
                    other.sendall(block)
            if not self.cut:
                other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        for each in (self.listener, *self.sockets):
            each.close()


@pytest.mark.slow
def test_a_half_open_connection(tmp_path: Path) -> None:
    """G11: the network swallows everything in silence: a limit ends the call, and once it is back, calls go on."""
    worked: list[Any] = []

    async def on_call(message: dict[str, Any], send: Any) -> None:
        worked.append(message["params"]["arguments"])
        await respond(send, 200, answer(message, OK), JSON)

    with serving(app_of(on_call)) as address:
        proxy = Proxy(int(address.rpartition(":")[2]))
        transport = Transport("http", url=proxy.address, tool_timeout_s=4, startup_timeout_s=4)

        def there(done: Any) -> Any:
            servers = tuple(replace(each, transport=transport) for each in done.plan.servers)
            return replace(done, plan=replace(done.plan, servers=servers))

        connections = Connections(environ={})
        plan = plan_of(
            tmp_path, tool("gh", "put", side_effect=WRITE), tool("gh", "get"), change=there, connections=connections
        )
        session = plan.session()

        def call(name: str, n: int) -> str:
            return str(run(session.call(inspected(session, name), {"n": n}, approve=yes)).outcome)

        assert call("put", 0) == "ok"
        proxy.cut = True
        assert call("put", 1) == "unknown-completion"
        assert call("get", 2) == "not-sent"  # over a connection of its own, which does not come about
        proxy.cut = False
        assert call("put", 3) == "ok"
        assert call("put", 1) == "refused:outcome-unknown"
        assert worked == [{"n": 0}, {"n": 3}]
        plan.runtime.close()
        proxy.close()


def test_a_hang(real: Real) -> None:
    """G11: the server is there and does not answer; others of its calls go on over the same connection."""
    real.transport = replace(real.transport, tool_timeout_s=2.0)
    done = real.compiled(["get", "put"])
    real.plan.succeed(done)
    assert real.call("get") == "ok"
    real.serve(calls={"put": [{"hang": True}]})
    assert real.call("put") == "unknown-completion"
    assert real.call("get") == "ok"
    assert len(control.starts(real.folder, "gh")) == 1


@pytest.mark.slow
def test_progress_renews_the_limit_over_a_real_connection(real: Real) -> None:
    """A call may take longer than its limit for as long as the server says that it is at it."""
    real.transport = replace(real.transport, tool_timeout_s=3.0)
    real.plan.succeed(real.compiled(["get", "put"]))
    assert real.call("get") == "ok"
    real.serve(calls={"put": [{"progress": 4, "delay": 1.0}]})
    assert real.call("put") == "ok"


def test_a_flood_of_notifications(real: Real) -> None:
    """G08: 2,000 of them cost a few lists and no more compiles than there were other lists."""
    assert real.call("get") == "ok"
    before = real.lists
    control.notify(real.folder, "gh", CHANGED, 2_000)
    until(lambda: real.runtime.heard.get("gh", 0) >= 2_000)
    assert real.call("get") == "ok"
    assert real.lists - before <= 8
    assert real.recompiled == 0


def test_a_server_that_never_stops_to_change(real: Real) -> None:
    """G08: each list is another one, and each says so: the host looks less and less often, and refuses."""
    assert real.call("get") == "ok"
    real.serve(
        tools_after={str(n): ["get", f"t{n}"] for n in range(1, 200)},
        list_count="process",
        notify_on_list={"method": CHANGED, "times": 3},
    )
    control.notify(real.folder, "gh", CHANGED)
    before = real.lists
    until(lambda: real.lists > before)
    threading.Event().wait(1.0)
    assert real.lists - before <= 8
    assert real.call("get") == "refused:stale-revision"
    assert real.sent == ["get"]


@pytest.mark.parametrize("moment", ["search", "inspect", "call"])
def test_a_catalog_that_changes_in_between(real: Real, moment: str) -> None:
    """G08: after the search, after the inspection, or as the call is made: nothing runs from what was before."""
    assert real.call("get") == "ok"
    session = real.session

    def change() -> None:
        heard = real.runtime.heard.get("gh", 0)
        real.serve(tools=entries("get", "new"))
        control.notify(real.folder, "gh", CHANGED)
        until(lambda: real.runtime.heard.get("gh", 0) > heard)

    assert session.find_tools("put").matches
    if moment == "search":
        change()
        until(lambda: session.lookup("gh__put") is None)
        assert session.inspect("gh", "put").outcome == "refused:unknown-tool"  # type: ignore[union-attr]
        return
    handle = inspected(session, "put")
    if moment == "inspect":
        change()
        approve: Any = yes
    else:
        approve = lambda ask: change() or True  # noqa: E731 - one of two
    outcome = run(session.call(handle, {}, approve=approve))
    assert outcome.outcome in ("refused:stale-revision", "refused:unknown-tool")
    assert real.sent == ["get"]


@pytest.mark.parametrize("lie", ["says-none-and-tells", "says-so-and-is-silent"])
def test_a_server_that_lies_about_list_changed(real: Real, lie: str, era: str) -> None:
    """G08, G09: what it says counts whether it announced it or not; what it does not say shows at the first refusal."""
    if lie == "says-none-and-tells" and era == ERAS[1]:
        pytest.skip("who offers no subscription is not asked for one")
    if lie == "says-none-and-tells":
        real.serve(capabilities={"tools": {"listChanged": False}})
    assert real.call("get") == "ok"
    real.serve(tools=entries("new"), calls={"*": [{"error": {"code": -32602, "message": "Unknown tool"}}]})
    if lie == "says-none-and-tells":
        control.notify(real.folder, "gh", CHANGED)
        until(lambda: real.session.lookup("gh__new"))
    else:
        assert real.call("get") == "tool-error"
        assert real.plan.freshness("gh").state == "stale"
        run(real.plan.refresh("gh"))
        assert real.session.lookup("gh__new")
    assert real.session.inspect("gh", "get").outcome == "refused:unknown-tool"  # type: ignore[union-attr]


# many at once


def test_two_hundred_calls_while_plans_are_exchanged(tmp_path: Path) -> None:
    """G08, G11: from 20 threads, ten at a time on each one's loop: each runs once or is refused; none raises."""
    sink = Memory()
    tools = (tool("gh", "put", side_effect=WRITE), tool("gh", "get"))
    plan = plan_of(tmp_path, *tools, sink=sink, timeout_s=60)
    transport = plan.servers["gh"].transport
    ran: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    lock = threading.Lock()
    stop = threading.Event()

    def made(number: int) -> Any:
        done = compiled(*tools, *([tool("gh", "extra")] if number % 2 else []))
        servers = tuple(replace(each, transport=transport) for each in done.plan.servers)
        return replace(done, plan=replace(done.plan, servers=servers))

    def exchange() -> None:
        number = 0
        while not stop.wait(0.005):
            number += 1
            plan.newest.succeed(made(number))

    async def work(carried: Any) -> Any:
        with lock:
            ran[f"{carried.tool}-{carried.arguments['n']}"] += 1
        await asyncio.sleep(0.001)
        return OK

    def thread(number: int) -> None:
        async def one(n: int) -> None:
            session = plan.session()
            name = "put" if n % 2 else "get"
            for _ in range(50):
                outcome = await session.call(inspected(session, name), {"n": n}, approve=yes, through=work)
                with lock:
                    outcomes[outcome.outcome] += 1
                if outcome.outcome == "ok":
                    return

        async def main() -> None:
            await asyncio.gather(*(one(number * 10 + n) for n in range(10)))

        asyncio.run(main())

    exchanging = threading.Thread(target=exchange)
    exchanging.start()
    threads = [threading.Thread(target=thread, args=(n,)) for n in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    stop.set()
    exchanging.join()
    assert set(outcomes) <= {"ok", "refused:stale-revision", "refused:not-inspected"}
    assert outcomes["ok"] == 200
    assert set(ran.values()) == {1}
    assert len(ran) == 200
    assert Counter(sink.told("call")) == outcomes
    assert plan.runtime.ledger.open_runs() == ()


# clocks


def test_clocks_that_jump(tmp_path: Path) -> None:
    """G14: forward makes old, back makes nothing young again; after a new list calls go on."""
    now = [NOW]
    asked: list[str] = []

    async def refresh(server: str) -> list[dict[str, Any]]:
        asked.append(server)
        return [{"name": "get"}]

    more: Any = {"captured_at": {"gh": "2026-11-30T11:59:00Z"}, "max_age_s": 3600.0, "clock": lambda: now[0]}
    alone = plan_of(tmp_path, tool("gh", "get"), **more).session()
    session = plan_of(tmp_path, tool("gh", "get"), refresh=refresh, **more).session()

    def call(one: Any) -> str:
        return str(run(one.call(inspected(one, "get"), {}, through=Server())).outcome)

    assert (call(alone), call(session), asked) == ("ok", "ok", [])
    now[0] = NOW + datetime.timedelta(days=400)
    assert (call(alone), call(session), asked) == ("refused:stale-revision", "ok", ["gh"])
    now[0] = NOW - datetime.timedelta(days=400)
    # What was listed "in 400 days" is not believed: it is listed once more.
    assert (call(session), asked) == ("ok", ["gh", "gh"])
    assert call(session) == "ok"
    assert len(asked) == 2
    late = plan_of(tmp_path, tool("gh", "get"), **more).session()
    assert call(late) == "refused:stale-revision"  # captured tomorrow, as this clock has it


# schemas


def test_a_result_that_a_pattern_runs_away_on(tmp_path: Path) -> None:
    """G07: it is withheld, and meanwhile others go on."""
    pattern = {"type": "object", "properties": {"s": {"type": "string", "pattern": "^(a+)+$"}}}
    session = plan_of(tmp_path, tool("gh", "count", outputSchema=pattern), tool("gh", "get")).session()
    bad = Server({"content": [], "structuredContent": {"s": "a" * 60 + "!"}})

    async def others_go_on() -> bool:
        slow = asyncio.create_task(session.call(inspected(session, "count"), {}, through=bad))
        while not bad.calls:
            await asyncio.sleep(0)
        assert (await session.call(inspected(session, "get"), {}, through=Server())).outcome == "ok"
        first = not slow.done()
        assert (await slow).outcome == "quarantined:result-malformed"
        return first

    # A machine that stands still for a second at the wrong moment is no fault; a loop that is held up is so each time.
    assert any(run(others_go_on()) for _ in range(5))


# disks

DISKS = r"""
import asyncio, json, os, resource, sys, tempfile
from pathlib import Path
from mcpexpose import FileSink, Ledger, Runtime
from mcpexpose.model.policy import SideEffect
from tests.builders import tool
from tests.host.running import plan_of, yes

root = Path(tempfile.mkdtemp(dir=sys.argv[1]))
put = tool("gh", "put", side_effect=SideEffect.WRITE)

def host(folder, sink):
    runtime = Runtime(audit=sink, ledger=Ledger(folder / "runs.sqlite"))
    session = plan_of(folder, put, tool("gh", "get"), runtime=runtime).session()
    ran = []
    async def through(carried):
        ran.append(carried.arguments.get("n"))
        return {"content": []}
    def call(name, n):
        found = session.inspect("gh", name)
        return asyncio.run(session.call(found, {"n": n}, approve=yes, through=through)).outcome
    return call, ran, runtime

def limited(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

def told(path):
    out = []
    for line in filter(None, path.read_bytes().splitlines()):
        try: out.append(json.loads(line))
        except ValueError: pass
    return [each["outcome"] for each in out if each["event"] == "call"]

found = {}
folder = root / "events"
folder.mkdir()
call, ran, runtime = host(folder, FileSink(folder / "events.jsonl"))
call("get", -1), call("put", -2)
with open(folder / "events.jsonl", "ab") as file:
    file.write(b"\n" * 1_000_000)
limited((folder / "events.jsonl").stat().st_size + 1_500)
outcomes = [call("put", n) for n in range(8)]
reader = call("get", 99)
limited(resource.RLIM_INFINITY)
after = call("put", 100)
found["events"] = [outcomes, ran, reader, after, told(folder / "events.jsonl"), len(runtime.ledger.open_runs())]
runtime.close()

folder = root / "store"
folder.mkdir()
call, ran, runtime = host(folder, None)
call("put", -2)
limited(max(each.stat().st_size for each in folder.iterdir()) + 10_000)
outcomes = [call("put", n) for n in range(8)]
limited(4_000)
outcomes += [call("put", n) for n in range(8, 12)]
reader = call("get", 99)
limited(resource.RLIM_INFINITY)
after = call("put", 100)
found["store"] = [outcomes, ran, reader, after, len(runtime.ledger.open_runs())]
runtime.close()

folder = root / "read-only"
folder.mkdir()
call, ran, runtime = host(folder, FileSink(folder / "events.jsonl"))
call("put", -2)
runtime.close()
root.chmod(0o755), Path(sys.argv[1]).chmod(0o755)
for each in folder.iterdir():
    each.chmod(0o444)
folder.chmod(0o555)
if os.geteuid() == 0:
    os.seteuid(65534)
for what, sink in (("events and store", FileSink(folder / "events.jsonl")), ("store", None)):
    call, ran, runtime = host(folder, sink)
    found["read-only " + what] = [call("put", 1), ran.copy(), call("get", 2)]
print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no such limits")
def test_disks_that_are_full_or_read_only(tmp_path: Path) -> None:
    """G12, G11: writers are refused before anything is sent, readers go on; with room again all goes on, and the events
    of what was done meanwhile are there."""
    root = Path(__file__).resolve().parents[2]
    place = Path("/tmp") / f"mcpexpose-disks-{os.getpid()}-{tmp_path.name}"  # an unprivileged user may enter it
    place.mkdir()
    env = {**os.environ, "PYTHONPATH": str(root), "MCPEXPOSE_STATE_DIR": str(tmp_path)}
    words = [sys.executable, "-c", DISKS, str(place)]
    try:
        done = subprocess.run(words, cwd=root, env=env, capture_output=True, timeout=280, check=False)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", str(place)], check=True)
        subprocess.run(["rm", "-rf", str(place)], check=True)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)

    outcomes, ran, reader, after, told, open_ = found["events"]
    assert set(outcomes) == {"ok", "refused:audit-unavailable"}
    assert ran == [-1, -2, *(n for n, outcome in enumerate(outcomes) if outcome == "ok"), 99, 100]
    assert (reader, after, open_) == ("ok", "ok", 0)
    assert told.count("ok") == len(ran)

    outcomes, ran, reader, after, open_ = found["store"]
    assert outcomes[8:] == ["refused:audit-unavailable"] * 4
    assert ran == [-2, *(n for n, outcome in enumerate(outcomes) if outcome == "ok"), 99, 100]
    assert (reader, after) == ("ok", "ok")
    # Those whose end could not be written down stay open, which is safe.
    assert open_ <= outcomes.count("ok")

    for what in ("events and store", "store"):
        assert found[f"read-only {what}"] == ["refused:audit-unavailable", [], "ok"]
