"""The HTTP client of one connection: what became of each posted message, bodies bounded, streams left open.

The SDK tells of most HTTP errors in the same words, and of all in the same way; whether a call may have been carried
out stands in what is noted here.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from mcpexpose.client import child

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcpexpose.client.target import Launch

_NOTED = 1_000
"""Messages of which the fate is remembered; a call is asked about as soon as it ends."""
SLACK_S = 5.0
"""A silent body is given up so much later than the call that waits for it."""
_STREAMS = b'"subscriptions/listen"'
_BLOCK = 1 << 20
_PLAIN = ("", "identity")
_PACKINGS = (*_PLAIN, "gzip", "x-gzip", "deflate")


class HttpStatus:
    """What the server's side of HTTP said to each message, by the message's id."""

    def __init__(self) -> None:
        self.code: int | None = None
        """The HTTP error that the last posted message got, if it got one."""
        self.on_too_large: Callable[[Any], None] = lambda number: None
        """Called with the id of a message whose answer is longer than what is read of one."""
        self._said: dict[Any, tuple[int, str]] = {}
        self._unsent: set[Any] = set()

    def said(self, number: Any) -> tuple[int, str] | None:
        """Status and content type of the answer to the message NUMBER; None where none has begun."""
        return self._said.get(number)

    def is_unsent(self, number: Any) -> bool:
        """Whether nobody took the connection on which the message was to go, so that it never left."""
        return number in self._unsent

    def forget(self, number: Any) -> None:
        self._said.pop(number, None)
        self._unsent.discard(number)

    def refused(self, request: Any) -> None:
        number = number_of(request)
        if number is not None and number not in self._said:  # after a redirect, an earlier one arrived
            self._unsent.add(number)

    async def note(self, response: Any) -> None:
        """Reads along, as a hook of the client, before any of the body is read."""
        kind = response.headers.get("content-type", "").lower()
        number = None
        if response.request.method == "POST":
            self.code = response.status_code if response.status_code >= 400 else None
            number = number_of(response.request)
            if number is not None:
                while len(self._said) >= _NOTED:
                    del self._said[next(iter(self._said))]
                self._said[number] = (response.status_code, kind)
        packing = response.headers.get("content-encoding", "").strip().lower()
        if packing:  # httpx2 unfolds what it is told of, without bound: a packing in a packing, or one nobody asked for
            del response.headers["content-encoding"]
        endless = kind.startswith("text/event-stream")
        response.stream = _bounded(response.stream, packing, endless, lambda: self.on_too_large(number))


def number_of(request: Any) -> Any:
    """The id of the JSON-RPC request in an HTTP request; None where it holds none."""
    if request.method != "POST":
        return None
    try:
        message = json.loads(request.content)
    except (ValueError, RecursionError, RuntimeError):
        return None
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, str | int) and "method" in message else None


def http_client(launch: Launch, status: HttpStatus, limit_s: float) -> Any:
    """A client whose requests may be silent for LIMIT_S seconds, and a bit longer; streams for as long as they like."""
    import httpx2

    class Client(httpx2.AsyncClient):
        async def send(self, request: Any, **more: Any) -> Any:
            if _is_stream(request):
                # A server that has nothing to say is not gone; ended here, it would go unheard until the next one.
                request.extensions = {**request.extensions, "timeout": httpx2.Timeout(limit_s, read=None).as_dict()}
            try:
                return await super().send(request, **more)
            except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
                status.refused(request)
                raise

    return Client(
        headers={"accept-encoding": "gzip, deflate", **launch.headers},
        timeout=httpx2.Timeout(limit_s, read=limit_s + SLACK_S),
        event_hooks={"response": [status.note]},
    )


def _is_stream(request: Any) -> bool:
    if request.method == "GET":
        return True
    try:
        return request.method == "POST" and _STREAMS in request.content
    except RuntimeError:  # a body that is a stream itself
        return False


def _bounded(stream: Any, packing: str, endless: bool, on_too_large: Callable[[], None]) -> Any:
    """STREAM, unpacked, and cut off where it, or an event of an ENDLESS one, is longer than a line of a child may be.

    Where it is packed in a way that was not asked for, it breaks off at once.
    """
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size, before = 0, b""
            if packing not in _PACKINGS:
                raise httpx2.StreamError("the body is packed in a way that was not asked for")
            try:
                async for block in _unpacked(stream, packing not in _PLAIN):
                    size += len(block)
                    if size > child.MAX_LINE_BYTES and not endless:
                        on_too_large()
                        raise httpx2.StreamError("the body is too long")
                    if endless:
                        size = _since_event(before + block, size)
                        before = block[-3:]
                        if size > child.MAX_LINE_BYTES:
                            on_too_large()
                            raise httpx2.StreamError("an event is too long")
                    yield block
            except zlib.error:
                raise httpx2.StreamError("the body cannot be unpacked") from None

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


def _since_event(block: bytes, size: int) -> int:
    """How many bytes came since the last event ended, an empty line: those after it in BLOCK, or SIZE of them."""
    ends = [at + len(end) for end in (b"\n\n", b"\r\r", b"\r\n\r\n") if (at := block.rfind(end)) >= 0]
    return len(block) - max(ends) if ends else size


async def _unpacked(stream: Any, packed: bool) -> AsyncIterator[bytes]:
    if not packed:
        async for block in stream:
            yield block
        return
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for block in stream:
        while block:
            yield unpacker.decompress(block, _BLOCK)
            block = unpacker.unconsumed_tail
    yield unpacker.flush()
