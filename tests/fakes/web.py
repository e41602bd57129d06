"""An ASGI app on a loopback port, for as long as a test needs it."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

App = Callable[[Any, Any, Any], Awaitable[None]]


@contextlib.contextmanager
def serving(app: App) -> Iterator[str]:
    """The address of APP, `http://127.0.0.1:PORT`. The socket listens before this returns, so nobody has to wait."""
    # With the protocol named, asyncio sends at once (TCP_NODELAY), as it does for sockets of its own making: else the
    # second part of each answer waits 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1, lifespan="auto")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


_closed: list[socket.socket] = []


def closed_port() -> int:
    """A port at which nothing answers, and which no server of another test gets in the meantime."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    _closed.append(held)
    port: int = held.getsockname()[1]
    return port


def handshake_only(app: App) -> App:
    """APP as a server of before 2026-07-28, which refuses `server/discover`."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        body = await body_of(receive)
        if b'"server/discover"' in body:
            await respond(send, 400, b"no such method", "text/plain")
            return
        given = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def again() -> Any:
            return next(given, None) or await receive()

        await app(scope, again, send)

    return wrapped


def raw_server(
    answer: Callable[[dict[str, Any], dict[str, str]], tuple[int, str]], seen: list[dict[str, str]] | None = None
) -> App:
    """A server whose ANSWER to each message, given with its headers, is a status and a body, sent as JSON.

    Headers of all requests are appended to SEEN.
    """

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        if seen is not None:
            seen.append(headers)
        body = await body_of(receive)
        if scope["method"] != "POST":
            await respond(send, 405, b"", "text/plain")
            return
        status, text = answer(json.loads(body), headers)
        await respond(send, status, text.encode(), "application/json")

    return app


async def body_of(receive: Any) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def respond(send: Any, status: int, body: bytes, kind: str) -> None:
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
