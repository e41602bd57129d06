"""What is known of a call when HTTP goes wrong: done, not done, or nobody knows; and nothing goes to a wrong place."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport

from mcpexpose.client import child, connect, web
from mcpexpose.client.connections import Connections
from mcpexpose.client.telling import SessionGone
from mcpexpose.model.calling import ConnectionLost, NotSent, ResultTooLarge, ResultUnreadable, ServerError
from mcpexpose.model.transport import Transport
from tests.client.test_connections import Call, until
from tests.fakes.web import body_of, respond, serving

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from tests.fakes.web import App

    OnCall = Callable[[dict[str, Any], Any], Awaitable[None]]

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}}
JSON = "application/json"


def answer(message: dict[str, Any], result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()


def app_of(on_call: OnCall, sessions: list[str] | None = None, forgotten: tuple[int, Any] = (404, None)) -> App:
    """A server of before 2026-07-28 whose calls are answered by ON_CALL; with SESSIONS it knows these alone, and
    answers others with the status of FORGOTTEN and its error of the protocol.
    """

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = await body_of(receive)
        message = json.loads(body) if scope["method"] == "POST" else {}
        session = dict(scope["headers"]).get(b"mcp-session-id", b"").decode()
        if scope["method"] != "POST":
            await respond(send, 405, b"", "text/plain")
        elif message.get("method") == "initialize":
            headers = [(b"content-type", JSON.encode())]
            if sessions is not None:
                sessions.append(f"s{len(sessions)}")
                headers.append((b"mcp-session-id", sessions[-1].encode()))
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": answer(message, HELLO)})
        elif sessions is not None and session not in sessions:
            status, error = forgotten
            said = b"" if error is None else json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
            await respond(send, status, said, JSON if error else "text/plain")
        elif message.get("method") == "tools/call":
            await on_call(message, send)
        elif "id" not in message:
            await respond(send, 202, b"", "text/plain")
        else:
            error = {"code": -32601, "message": "Method not found"}
            await respond(send, 200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode(), JSON)

    return app


def stream(*headers: tuple[bytes, bytes]) -> dict[str, Any]:
    kind = [(b"content-type", b"text/event-stream")]
    return {"type": "http.response.start", "status": 200, "headers": [*headers] or kind}


async def accepted(message: dict[str, Any], send: Any) -> None:
    await respond(send, 202, b"", "text/plain")


async def page(message: dict[str, Any], send: Any) -> None:
    await respond(send, 200, b"<html>please log in</html>", "text/html")


async def cut(message: dict[str, Any], send: Any) -> None:
    await send(stream())
    await send({"type": "http.response.body", "body": b": at it\n\n"})


async def gateway(message: dict[str, Any], send: Any) -> None:
    error = {"code": -32603, "message": "upstream timed out"}
    await respond(send, 504, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode(), JSON)


async def impatient(message: dict[str, Any], send: Any) -> None:
    await respond(send, 408, b"", "text/plain")


async def elsewhere(message: dict[str, Any], send: Any) -> None:
    await send(stream((b"location", b"http://127.0.0.1:1/mcp")) | {"status": 302})
    await send({"type": "http.response.body", "body": b""})


async def unknown(message: dict[str, Any], send: Any) -> None:
    error = {"code": -32602, "message": "Unknown tool"}
    await respond(send, 400, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode(), JSON)


async def good(message: dict[str, Any], send: Any) -> None:
    await respond(send, 200, answer(message, {"content": []}), JSON)


async def unauthorized(message: dict[str, Any], send: Any) -> None:
    await respond(send, 401, b'{"error": "no token"}', JSON)


async def long(message: dict[str, Any], send: Any) -> None:
    await respond(send, 200, answer(message, {"content": ["x" * 200_000]}), JSON)


async def bomb(message: dict[str, Any], send: Any) -> None:
    await send(stream((b"content-type", JSON.encode()), (b"content-encoding", b"gzip")))
    await send({"type": "http.response.body", "body": gzip.compress(answer(message, {"content": ["x" * 200_000]}))})


async def nested_bomb(message: dict[str, Any], send: Any) -> None:
    packed = gzip.compress(gzip.compress(answer(message, {"content": ["x" * 200_000]})))
    await send(stream((b"content-type", JSON.encode()), (b"content-encoding", b"gzip, gzip")))
    await send({"type": "http.response.body", "body": packed})


async def strange_packing(message: dict[str, Any], send: Any) -> None:
    await send(stream((b"content-type", JSON.encode()), (b"content-encoding", b"zstd")))
    await send({"type": "http.response.body", "body": b"(\xb5/\xfd"})


async def long_event(message: dict[str, Any], send: Any) -> None:
    await send(stream())
    await send({"type": "http.response.body", "body": b"data: " + answer(message, {"x": "x" * 200_000}) + b"\n\n"})


async def deep(message: dict[str, Any], send: Any) -> None:
    text = '{"jsonrpc":"2.0","id":' + str(message["id"]) + ',"result":' + "[" * 40_000 + "]" * 40_000 + "}"
    await respond(send, 200, text.encode(), JSON)


FATES: list[tuple[Any, type[Exception]]] = [
    (accepted, ConnectionLost),
    (page, ConnectionLost),
    (cut, ConnectionLost),
    (gateway, ConnectionLost),
    (impatient, ConnectionLost),
    (elsewhere, NotSent),
    (unauthorized, SessionGone),
    (unknown, ServerError),
    (long, ResultTooLarge),
    (bomb, ResultTooLarge),
    (nested_bomb, ResultUnreadable),
    (strange_packing, ResultUnreadable),
    (long_event, ResultTooLarge),
    (deep, ResultUnreadable),
]


@pytest.fixture
def connections() -> Iterator[Connections]:
    with Connections(environ={}) as made:
        yield made


@pytest.mark.parametrize(("on_call", "fate"), FATES, ids=[each.__name__ for each, _ in FATES])
def test_what_is_known_afterwards(
    connections: Connections, monkeypatch: pytest.MonkeyPatch, on_call: OnCall, fate: type[Exception]
) -> None:
    """G11, G07: what may have been done is lost, not failed; what surely was not was not sent; bodies are bounded,
    unpacked ones too."""
    monkeypatch.setattr(child, "MAX_LINE_BYTES", 100_000)
    monkeypatch.setattr(connect, "MAX_LINE_BYTES", 100_000)
    with serving(app_of(on_call)) as address:
        with pytest.raises(fate) as caught:
            connections.call(Call(Transport("http", url=f"{address}/mcp"))).result(60)
        assert type(caught.value) is fate
        connections.close()


def test_a_packed_answer_is_read(connections: Connections) -> None:
    async def packed(message: dict[str, Any], send: Any) -> None:
        await send(stream((b"content-type", JSON.encode()), (b"content-encoding", b"gzip")))
        await send({"type": "http.response.body", "body": gzip.compress(answer(message, {"content": []}))})

    with serving(app_of(packed)) as address:
        assert connections.call(Call(Transport("http", url=f"{address}/mcp"))).result(60) == {"content": []}
        connections.close()


def test_one_calls_refusal_is_not_anothers(connections: Connections) -> None:
    """G11: a call that was carried out and lost stays lost, although another one was refused just now."""
    refused = threading.Event()

    async def on_call(message: dict[str, Any], send: Any) -> None:
        if message["params"]["name"] == "other":
            await respond(send, 403, b"", "text/plain")
            return
        await anyio.to_thread.run_sync(refused.wait)
        await respond(send, 500, b"", "text/plain")

    with serving(app_of(on_call)) as address:
        transport = Transport("http", url=f"{address}/mcp")
        lost = connections.call(Call(transport, "write"))
        with pytest.raises(NotSent):
            connections.call(Call(transport, "other")).result(60)
        refused.set()
        with pytest.raises(ConnectionLost):
            lost.result(60)
        connections.close()


@pytest.mark.parametrize(
    "forgotten",
    [
        (404, None),
        (404, {"code": -32600, "message": "Session not found"}),
        (404, {"code": -32001, "message": "Session not found"}),
        (400, {"code": -32000, "message": "Bad Request: No valid session ID provided"}),
    ],
    ids=["bare", "python-sdk", "typescript-sdk", "typescript-examples"],
)
def test_a_session_that_the_server_forgot_is_replaced(connections: Connections, forgotten: tuple[int, Any]) -> None:
    """A restarted server: nothing was sent, and the next call has a new session; what was missed is asked for."""
    sessions: list[str] = []
    again: list[str] = []
    connections.on_reopened = again.append

    async def on_call(message: dict[str, Any], send: Any) -> None:
        await respond(send, 200, answer(message, {"content": []}), JSON)

    with serving(app_of(on_call, sessions, forgotten)) as address:
        transport = Transport("http", url=f"{address}/mcp")
        assert connections.call(Call(transport)).result(60) == {"content": []}
        sessions[:] = ["other"]
        with pytest.raises(NotSent):
            connections.call(Call(transport)).result(60)
        assert connections.call(Call(transport)).result(60) == {"content": []}
        assert (sessions, again) == (["other", "s1"], ["s"])
        sessions[:] = ["other"]
        with pytest.raises(NotSent):  # a list that is asked for finds it out as well
            connections.list_tools("s", transport).result(60)
        assert connections.call(Call(transport)).result(60) == {"content": []}
        assert again == ["s", "s"]
        connections.close()


def test_a_credential_that_ran_out_is_read_again() -> None:
    """A host renews a token while it runs: the call that was told so never left, and the next one has the new token."""
    environ, valid = {"TOKEN": "one"}, ["one"]
    inner = app_of(good)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        token = dict(scope.get("headers", ())).get(b"authorization", b"").decode().removeprefix("Bearer ")
        if scope["type"] == "http" and token not in valid:
            await body_of(receive)
            await respond(send, 401, b'{"error": "invalid_token"}', JSON)
        else:
            await inner(scope, receive, send)

    connections = Connections(environ=environ)
    with serving(app) as address:
        transport = Transport("http", url=f"{address}/mcp", bearer_token_env_var="TOKEN")
        assert connections.call(Call(transport)).result(60) == {"content": []}
        valid[:] = ["two"]
        with pytest.raises(NotSent):
            connections.call(Call(transport)).result(60)
        environ["TOKEN"] = "two"
        assert connections.call(Call(transport)).result(60) == {"content": []}
        connections.close()


@pytest.mark.parametrize("code", [-32000, -32001])
@pytest.mark.parametrize("streamed", [False, True], ids=["json", "stream"])
def test_a_servers_own_error_is_an_answer_whatever_its_code(
    connections: Connections, code: int, *, streamed: bool
) -> None:
    """G11: the SDK has these two for a connection that was lost and for a time that ran out; servers have them too."""

    async def on_call(message: dict[str, Any], send: Any) -> None:
        error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": "no such order"}}
        if not streamed:
            await respond(send, 200, json.dumps(error).encode(), JSON)
            return
        await send(stream())
        await send({"type": "http.response.body", "body": b"data: " + json.dumps(error).encode() + b"\n\n"})

    with serving(app_of(on_call)) as address:
        with pytest.raises(ServerError) as caught:
            connections.call(Call(Transport("http", url=f"{address}/mcp"))).result(60)
        assert (caught.value.code, caught.value.message) == (code, "no such order")
        connections.close()


def test_errors_over_the_old_sse(connections: Connections) -> None:
    """There each request is accepted (202) and answered on another stream: what is said there counts."""
    server = Server("old", on_list_tools=None, on_call_tool=refuse)
    transport = SseServerTransport("/messages/")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["method"] == "GET":
            async with transport.connect_sse(scope, receive, send) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        elif scope["type"] == "http":
            await transport.handle_post_message(scope, receive, send)

    with serving(app) as address:
        with pytest.raises(ServerError) as caught:
            connections.call(Call(Transport("sse", url=f"{address}/sse"))).result(60)
        assert caught.value.code == -32602
        connections.close()


async def refuse(ctx: Any, params: Any) -> Any:
    raise MCPError(-32602, "Unknown tool")


def test_another_way_to_a_server_is_another_connection(connections: Connections) -> None:
    """A plan that was loaded later names another address: its calls go there, and those of the older one do not."""

    def of(name: str) -> App:
        async def on_call(message: dict[str, Any], send: Any) -> None:
            await respond(send, 200, answer(message, {"content": [], "by": name}), JSON)

        return app_of(on_call)

    with serving(of("staging")) as one, serving(of("production")) as two:
        for address, name in ((one, "staging"), (two, "production"), (one, "staging")):
            transport = Transport("http", url=f"{address}/mcp", tool_timeout_s=7)
            assert connections.call(Call(transport)).result(60)["by"] == name
        connections.close()


def test_nobody_listens_any_more(connections: Connections) -> None:
    """The port is closed under an open connection: what could not be delivered was not sent."""

    async def on_call(message: dict[str, Any], send: Any) -> None:
        await respond(send, 200, answer(message, {"content": []}), JSON)

    with serving(app_of(on_call)) as address:
        transport = Transport("http", url=f"{address}/mcp")
        assert connections.call(Call(transport)).result(60) == {"content": []}
    with pytest.raises(NotSent):
        connections.call(Call(transport)).result(60)


@pytest.mark.slow
def test_a_server_that_has_nothing_to_say_for_long(connections: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    """G08: the stream of an older server is not given up for silence; what it says at last is heard."""
    monkeypatch.setattr(web, "SLACK_S", 0.1)
    heard: list[str] = []
    connections.on_changed = heard.append
    speak = threading.Event()

    async def on_call(message: dict[str, Any], send: Any) -> None:
        await respond(send, 200, answer(message, {"content": []}), JSON)

    inner = app_of(on_call, [])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await inner(scope, receive, send)
            return
        await send(stream())
        await send({"type": "http.response.body", "body": b": hello\n\n", "more_body": True})
        await anyio.to_thread.run_sync(speak.wait, abandon_on_cancel=True)
        said = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        body = b"event: message\ndata: " + json.dumps(said).encode() + b"\n\n"
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await anyio.sleep(60)

    with serving(app) as address:
        transport = Transport("http", url=f"{address}/mcp", tool_timeout_s=3, startup_timeout_s=3)
        assert connections.call(Call(transport)).result(60) == {"content": []}
        threading.Event().wait(2 * 3)
        speak.set()
        until(lambda: heard == ["s"])
        connections.close()


KILLED = """
import os, sys, time, uvicorn, json
sys.path.insert(0, sys.argv[1])
import anyio
from tests.client.test_http_faults import app_of, answer, JSON, respond
folder = sys.argv[2]

async def on_call(message, send):
    name = message["params"]["name"]
    with open(f"{folder}/{name}", "w") as file:
        file.write("begun")
    if name == "during":
        await anyio.sleep(60)
    if name == "after":
        with open(f"{folder}/{name}", "w") as file:
            file.write("done")
        await anyio.sleep(60)
    await respond(send, 200, answer(message, {"content": []}), JSON)

uvicorn.run(app_of(on_call), fd=int(sys.argv[3]), log_level="critical")
"""


@pytest.mark.slow
def test_a_server_that_is_killed(connections: Connections, tmp_path: Path) -> None:
    """G11: before the work nothing was sent; during it, and after it without an answer, nobody knows."""
    root = Path(__file__).parents[2]

    def start(listener: socket.socket) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", KILLED, str(root), str(tmp_path), str(listener.fileno())]
        return subprocess.Popen(words, pass_fds=[listener.fileno()], env={**os.environ, "PYTHONPATH": str(root)})

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port = listener.getsockname()[1]
    transport = Transport("http", url=f"http://127.0.0.1:{port}/mcp", startup_timeout_s=60)
    for moment, content in (("during", "begun"), ("after", "done")):
        server = start(listener)
        assert connections.call(Call(transport, "fine")).result(60) == {"content": []}
        call = connections.call(Call(transport, moment))
        until(lambda moment=moment, content=content: _text(tmp_path / moment) == content)  # type: ignore[misc]
        server.send_signal(signal.SIGKILL)
        server.wait()
        with pytest.raises(ConnectionLost):
            call.result(60)
    listener.close()
    with pytest.raises(NotSent):
        connections.call(Call(transport, "before")).result(60)
    assert not (tmp_path / "before").exists()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
