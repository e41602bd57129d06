"""What the SDK, the system or the network raised for one request, in our words: what may have been done counts.

The SDK puts errors of its own in the place of an answer, so what HTTP said of this very message counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mcpexpose.model.calling import (
    CallTrouble,
    ConnectionLost,
    NotSent,
    ResultTooLarge,
    ResultUnreadable,
    ServerError,
)

if TYPE_CHECKING:
    from mcpexpose.client.web import HttpStatus

Kind = Literal["stdio", "http", "sse"]
CLOSED = -32000
_TIMED_OUT = -32001
_BEHIND = ("connection closed", "timed out")
"""With one of the two codes above, what a relay (a proxy over pipes) says of the server behind it: no answer came."""
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_UNAUTHORIZED = 401
_ANSWERS = ("application/json", "text/event-stream")
_NOBODYS = (408, 499)
"""Refusals of HTTP that say that somebody lost patience, and nothing of what was done until then."""
_STANDS_FOR = ("Not Found", "Session terminated", "Server returned an error response")
"""What the SDK says where an HTTP error came without an error of the protocol."""
_FORGOTTEN = {404: (_INVALID_REQUEST, _TIMED_OUT, CLOSED), 400: (CLOSED,)}
"""By HTTP status, the codes with which servers say that they do not know the session: those of the SDKs for Python and
for TypeScript, and of the latter's examples.
"""
_BROKE_OFF = "SSE stream "
"""How the SDK begins what it says where a stream ended before the answer."""

_MADE_UP = (
    _BROKE_OFF,
    "Server returned an error response",
    "Unexpected content type",
    "Failed to parse",
    "server answered a request with 202",
)


class SessionGone(NotSent):
    """The server has forgotten the session of this connection, or its credential has run out; another connection has
    another one.
    """


def told(
    error: BaseException, status: HttpStatus, number: str | int | None, kind: Kind, *, heard: bool = False
) -> CallTrouble:
    """What became of the message NUMBER, None where it never left, whose wait ended with ERROR. HEARD: an error came
    over the connection in place of its answer.
    """
    import httpx2
    from mcp import MCPError

    sent = number is not None
    if sent and status.is_unsent(number):
        return NotSent("nothing answers at its address")
    for leaf in leaves(error):
        if isinstance(leaf, httpx2.ConnectError) and not sent:
            return NotSent("nothing answers at its address")
        if isinstance(leaf, MCPError):
            code, message = leaf.error.code, leaf.error.message
            if kind == "http" and code in _FORGOTTEN.get(_http(status, number)[0] or 0, ()):
                return SessionGone("the server does not know the session")
            if code in (CLOSED, _TIMED_OUT) and not sent:
                return NotSent("there was no connection")
            if kind == "http":
                return _over_http(code, message, status, number, heard=heard)
            return _as_said(code, message, heard=heard)
    if not sent:
        return NotSent(f"the request was not sent: {type(error).__name__}")
    return ConnectionLost(f"the connection ended: {type(error).__name__}")


def _as_said(code: int, message: str, *, heard: bool) -> CallTrouble:
    """Over pipes, and over HTTP+SSE, where an answer comes on another stream than that of its request.

    The SDK's codes for its own troubles are among those that servers give to theirs.
    """
    relayed = any(word in message[:200].casefold() for word in _BEHIND)
    if code in (CLOSED, _TIMED_OUT) and (relayed or not heard):
        return ConnectionLost("the connection ended")
    return ServerError(code, message)


def _over_http(code: int, message: str, status: HttpStatus, number: str | int | None, *, heard: bool) -> CallTrouble:
    http, kind = _http(status, number)
    if code == _PARSE_ERROR and message.startswith("Failed to parse"):
        return ResultUnreadable("it is no JSON-RPC that can be read")
    if http is not None and http >= 400:
        if http >= 500 or http in _NOBODYS:
            return ConnectionLost(f"its address answered with HTTP {http}")
        if message in _STANDS_FOR or code == CLOSED:
            return (SessionGone if http == _UNAUTHORIZED else NotSent)(f"its address answered with HTTP {http}")
        return ServerError(code, message)
    if http is not None and 300 <= http < 400:
        return NotSent(f"its address answered with HTTP {http}")
    # Accepted and never answered, or answered with a page: nobody knows what was done.
    if http == 202 or (kind is not None and not kind.startswith(_ANSWERS)):
        return ConnectionLost("its address gave no answer of the protocol")
    if code == CLOSED and message.startswith("SSE stream failed"):
        return ResultTooLarge("it is longer than what is read of one")
    return _as_said(code, message, heard=heard and not message.startswith(_BROKE_OFF))


def _http(status: HttpStatus, number: str | int | None) -> tuple[int | None, str | None]:
    """Status and content type of the answer to the message NUMBER, as far as there is one; of what never left, the
    error that the last message got.
    """
    said = status.said(number)
    return said if said is not None else (status.code if number is None else None, None)


def is_stand_in(message: str) -> bool:
    """Whether MESSAGE, of an error of the protocol, is what the SDK says of an answer over HTTP that was none: nobody
    knows what was done until then.
    """
    return message.startswith(_MADE_UP)


def leaves(error: BaseException) -> list[BaseException]:
    """The exceptions of a group, all the way down."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]
