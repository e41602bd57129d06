"""Calls over real transports: raw results, both eras, and what is known when a connection goes."""

from __future__ import annotations

import concurrent.futures
import json
import logging
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.client import child
from mcpexpose.client.connect import quiet
from mcpexpose.client.connections import Connections
from mcpexpose.model.calling import ConnectionLost, NotSent, ResultTooLarge, ResultUnreadable, ServerError
from mcpexpose.model.transport import Transport
from tests.fakes import control
from tests.fakes.sdk_server import build
from tests.fakes.web import closed_port, handshake_only, raw_server, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SDK_SERVER = Path(__file__).parents[1] / "fakes" / "sdk_server.py"
ERAS = ["2025-11-25", "2026-07-28"]
CHANGED = "notifications/tools/list_changed"


@dataclass(frozen=True)
class Call:
    """A request, as the gate makes one."""

    transport: Transport
    tool: str = "t"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    server: str = "s"
    progress: Callable[[], None] = lambda: None
    mirrored: Mapping[str, Any] | None = None


@pytest.fixture
def connections() -> Iterator[Connections]:
    with Connections(environ={"PATH": "/usr/bin:/bin", "TOKEN": "tok-secret"}) as made:
        yield made


def fake(scripts: Path, **script: Any) -> Transport:
    control.serve(scripts, "s", **script)
    command, args = control.command(scripts, "s")
    return Transport("stdio", command, tuple(args))


def sdk(*words: str) -> Transport:
    return Transport("stdio", sys.executable, (str(SDK_SERVER), *words))


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        threading.Event().wait(0.01)


@pytest.mark.parametrize("words", [("2", "a", "b", "c"), ("--old", "2", "a", "b", "c")])
def test_an_sdk_server_over_stdio(connections: Connections, words: tuple[str, ...]) -> None:
    """C06: both eras, all pages; one process for all calls."""
    transport = sdk(*words)
    result = connections.call(Call(transport, "b")).result(60)
    assert result["content"] == [{"type": "text", "text": "b"}]
    listed = connections.list_tools("s", transport).result(60)
    assert [tool["name"] for tool in listed] == ["a", "b", "c"]
    assert listed[0]["_meta"] == {"x/y": 1}
    calls = [connections.call(Call(transport, f"n{n}")) for n in range(20)]
    assert [call.result(60)["content"][0]["text"] for call in calls] == [f"n{n}" for n in range(20)]


@pytest.mark.parametrize("era", ERAS)
def test_an_sdk_server_over_http(connections: Connections, era: str) -> None:
    app = build(["a", "b", "c"], 2).streamable_http_app()
    with serving(app if era == "2026-07-28" else handshake_only(app)) as address:
        transport = Transport("http", url=f"{address}/mcp")
        assert connections.call(Call(transport, "b")).result(60)["content"] == [{"type": "text", "text": "b"}]
        assert len(connections.list_tools("s", transport).result(60)) == 3
        connections.close()


@pytest.mark.parametrize("era", ERAS)
def test_digits_and_nulls_arrive_as_they_were_sent(connections: Connections, tmp_path: Path, era: str) -> None:
    """No float in between, no null dropped, nothing that the SDK does not know lost."""
    raw = '{"content":[],"structuredContent":{"id":1972435959496572928},"unknownField":[1],"resultType":"complete"}'
    transport = fake(tmp_path, protocol=era, tools=[], calls={"*": [{"result_raw": raw}]})
    arguments = {"n": 9007199254740993, "none": None, "f": 1.5, "big": 2**70}
    result = connections.call(Call(transport, arguments=arguments)).result(60)
    assert result["structuredContent"] == {"id": 1972435959496572928}
    assert result["unknownField"] == [1]
    (sent,) = control.received(tmp_path, "s", "tools/call")
    assert sent["params"]["arguments"] == arguments
    assert "9007199254740993" in sent["raw"]


@pytest.mark.parametrize("era", ERAS)
def test_a_result_of_the_wrong_shape_is_handed_on(connections: Connections, tmp_path: Path, era: str) -> None:
    """Whether it is one is for the gate to say, not for the SDK to raise."""
    answers = [{"result": {"structuredContent": None}}, {"result": {"content": "x", "resultType": "complete"}}]
    transport = fake(tmp_path, protocol=era, tools=[], calls={"*": answers})
    assert connections.call(Call(transport)).result(60)["structuredContent"] is None
    assert connections.call(Call(transport)).result(60)["content"] == "x"


def test_errors_of_the_protocol(connections: Connections, tmp_path: Path) -> None:
    transport = fake(tmp_path, tools=[], calls={"*": [{"error": {"code": -32602, "message": "Unknown tool"}}]})
    with pytest.raises(ServerError) as caught:
        connections.call(Call(transport)).result(60)
    assert (caught.value.code, caught.value.message) == (-32602, "Unknown tool")
    assert "Unknown" not in str(caught.value)


@pytest.mark.parametrize("code", [-32000, -32001])
def test_a_code_of_the_sdk_is_an_answer_where_a_server_gives_it_to_one(
    connections: Connections, tmp_path: Path, code: int
) -> None:
    """G11: what a server says of its own is heard; what a relay says of a connection behind it leaves the call open."""
    lost = {-32000: "MCP error -32000: Connection closed", -32001: "Request timed out"}[code]
    answers = [{"error": {"code": code, "message": said}} for said in ("Rate limit exceeded", lost)]
    transport = fake(tmp_path, tools=[], calls={"*": answers})
    with pytest.raises(ServerError) as caught:
        connections.call(Call(transport)).result(60)
    assert (caught.value.code, caught.value.message) == (code, "Rate limit exceeded")
    with pytest.raises(ConnectionLost):
        connections.call(Call(transport)).result(60)


@pytest.mark.parametrize("era", ERAS)
def test_work_done_and_no_answer(connections: Connections, tmp_path: Path, era: str) -> None:
    """G11: lost, not failed; sent once; the next call has a new process."""
    answers = [{"result": {"content": []}}, {"drop": True}]
    transport = fake(tmp_path, protocol=era, tools=[], calls={"*": answers})
    connections.call(Call(transport)).result(60)
    with pytest.raises(ConnectionLost):
        connections.call(Call(transport)).result(60)
    assert len(control.received(tmp_path, "s", "tools/call")) == 2
    assert connections.call(Call(transport)).result(60) == {"content": []} or era == "2026-07-28"
    assert len(control.starts(tmp_path, "s")) == 2


@pytest.mark.parametrize(
    "raw",
    [
        '{"content":[{"type":"text","text":"\\ud800"}]}',
        "[" * 100_000,
        '{"content":[',
        '{"content":' + "[" * 999 + "]" * 999 + "}",
    ],
)
def test_an_answer_that_cannot_be_read(connections: Connections, tmp_path: Path, raw: str) -> None:
    """Its call alone suffers: it was answered, so nothing is open."""
    transport = fake(tmp_path, tools=[], calls={"bad": [{"result_raw": raw}]})
    with pytest.raises(ResultUnreadable):
        connections.call(Call(transport, "bad")).result(60)
    assert connections.call(Call(transport, "good")).result(60) == {"content": []}
    assert len(control.starts(tmp_path, "s")) == 1


def test_an_answer_without_end(connections: Connections, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """G07: reading stops at a limit."""
    monkeypatch.setattr(child, "MAX_LINE_BYTES", 100_000)
    big = {"result": {"content": [{"type": "text", "text": "x" * 200_000}]}}
    transport = fake(tmp_path, tools=[], calls={"*": [big]})
    with pytest.raises(ResultTooLarge):
        connections.call(Call(transport)).result(60)


@pytest.mark.parametrize("era", ERAS)
def test_changes_of_the_list_are_heard(connections: Connections, tmp_path: Path, era: str) -> None:
    """G08: on both eras; every one."""
    heard: list[str] = []
    connections.on_changed = heard.append
    transport = fake(tmp_path, protocol=era, tools=[])
    connections.open("s", transport).result(60)
    control.notify(tmp_path, "s", CHANGED, 5)
    until(lambda: len(heard) == 5)


def test_a_server_that_is_connected_again_is_asked_again(connections: Connections, tmp_path: Path) -> None:
    """What it said while nobody listened is not missed for ever."""
    again: list[str] = []
    connections.on_reopened = again.append
    transport = fake(tmp_path, tools=[], calls={"*": [{"drop": True}]})
    with pytest.raises(ConnectionLost):
        connections.call(Call(transport)).result(60)
    assert again == []
    connections.open("s", transport).result(60)
    assert again == ["s"]


def test_a_subscription_that_was_dropped_is_made_up_for(connections: Connections, tmp_path: Path) -> None:
    """G08: what a server of the new era said while nobody was subscribed is told to nobody, so it is asked."""
    again: list[str] = []
    heard: list[str] = []
    connections.on_reopened, connections.on_changed = again.append, heard.append
    connections.open("s", fake(tmp_path, protocol=ERAS[1], tools=[])).result(60)
    control.notify(tmp_path, "s", CHANGED)
    until(lambda: heard == ["s"])
    control.notify(tmp_path, "s", "end-subscription")
    until(lambda: again == ["s"])
    control.notify(tmp_path, "s", CHANGED)
    until(lambda: heard == ["s", "s"])
    assert len(control.starts(tmp_path, "s")) == 1


def test_the_sdk_stays_quiet_until_the_last_connection_ends() -> None:
    """What the SDK logs of messages that it cannot read is content; connections end in any order."""
    logger = logging.getLogger("mcp")
    before = logger.level
    one, other = quiet(), quiet()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert not logger.isEnabledFor(logging.CRITICAL)
    other.__exit__(None, None, None)
    assert logger.level == before


def test_what_cannot_be_reached_was_not_sent(connections: Connections, tmp_path: Path) -> None:
    for transport in (
        Transport("stdio", "no-such-program-here"),
        Transport("stdio", sys.executable, ("-c", "raise SystemExit(3)")),
        Transport("stdio", "x", ("${NOT_SET}",)),
        Transport("http", url=f"http://127.0.0.1:{closed_port()}/mcp", startup_timeout_s=20),
        Transport("http", url="no address"),
    ):
        with pytest.raises(NotSent):
            connections.call(Call(transport, server=transport.command + transport.url)).result(60)


def test_statuses_of_http(connections: Connections) -> None:
    """A refusal is no call; a broken gateway may have been one."""
    statuses = iter([401, 503])
    current = [0]

    def answer(message: dict[str, Any], headers: dict[str, str]) -> tuple[int, str]:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "raw", "version": "1"}}
        if message.get("method") == "initialize":
            return 200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": hello})
        if message.get("method") == "tools/call":
            current[0] = next(statuses)
            return current[0], "{}"
        if "id" not in message:
            return 202, ""
        error = {"code": -32601, "message": "Method not found"}
        return 200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error})

    with serving(raw_server(answer)) as address:
        transport = Transport("http", url=f"{address}/mcp")
        with pytest.raises(NotSent):
            connections.call(Call(transport)).result(60)
        with pytest.raises(ConnectionLost):
            connections.call(Call(transport)).result(60)
        connections.close()


def test_giving_up_leaves_the_connection(connections: Connections, tmp_path: Path) -> None:
    """A call that is cancelled holds up no other one."""
    transport = fake(tmp_path, tools=[], calls={"slow": [{"hang": True}]})
    slow = connections.call(Call(transport, "slow"))
    until(lambda: bool(control.received(tmp_path, "s", "tools/call")))
    assert slow.cancel()
    assert connections.call(Call(transport, "quick")).result(60) == {"content": []}
    until(lambda: bool(control.received(tmp_path, "s", "notifications/cancelled")))
    assert len(control.starts(tmp_path, "s")) == 1


def test_many_threads_share_a_connection(connections: Connections, tmp_path: Path) -> None:
    transport = fake(tmp_path, tools=[])
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        results = list(pool.map(lambda n: connections.call(Call(transport, f"t{n}")).result(60), range(100)))
    assert results == [{"content": []}] * 100
    assert len(control.received(tmp_path, "s", "tools/call")) == 100
    assert len(control.starts(tmp_path, "s")) == 1


def test_secrets_are_known_for_striking(connections: Connections, tmp_path: Path) -> None:
    transport = fake(tmp_path, tools=[])
    connections.open("s", replace(transport, env={"KEY": "${TOKEN}"})).result(60)
    assert connections.secrets("s") == ("tok-secret",)
    assert connections.secrets("other") == ()


def test_closing_ends_the_children(tmp_path: Path) -> None:
    made = Connections()
    made.open("s", fake(tmp_path, tools=[])).result(60)
    (start,) = control.starts(tmp_path, "s")
    made.close()
    made.close()
    assert not Path(f"/proc/{start['start']}").exists()
    with pytest.raises(NotSent):
        made.call(Call(Transport("stdio", "x")))
