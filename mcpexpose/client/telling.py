"""What the SDK, the system or the network raised for one request, in our words: what may have been done counts.

The SDK puts errors of its own in the place of an answer, so what HTTP said of this very message counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mcpexpose.model.calling import (
    CLOSED,
    TIMED_OUT,
    CallTrouble,
    ConnectionLost,
    NotSent,
    ResultTooLarge,
    ResultUnreadable,
    ServerError,
    is_no_answer,
)

if TYPE_CHECKING:
    from mcpexpose.client.web import HttpStatus

Kind = Literal["stdio", "http", "sse"]
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_ANSWERS = ("application/json", "text/event-stream")
_NOBODYS = (408, 499)
"""Refusals of HTTP that say that somebody lost patience, and nothing of what was done until then."""
_STANDS_FOR = ("Not Found", "Session terminated", "Server returned an error response")
"""What the SDK says where an HTTP error came without an error of the protocol."""


class SessionGone(NotSent):
    """The server has forgotten the session of this connection; another connection has another one."""


def told(error: BaseException, status: HttpStatus, number: str | int | None, kind: Kind) -> CallTrouble:
    """What became of the message NUMBER, None where it never left, whose wait ended with ERROR."""
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
            if code in (CLOSED, TIMED_OUT) and not sent:
                return NotSent("there was no connection")
            return _over_http(code, message, status, number) if kind == "http" else _as_said(code, message)
    if not sent:
        return NotSent(f"the request was not sent: {type(error).__name__}")
    return ConnectionLost(f"the connection ended: {type(error).__name__}")


def _as_said(code: int, message: str) -> CallTrouble:
    """Over pipes, and over HTTP+SSE, where an answer comes on another stream than that of its request."""
    if is_no_answer(code, message):
        return ConnectionLost("the connection ended")
    return ServerError(code, message)


def _over_http(code: int, message: str, status: HttpStatus, number: str | int | None) -> CallTrouble:
    said = status.said(number)
    http, kind = said if said is not None else (status.code if number is None else None, "")
    if code == _PARSE_ERROR and message.startswith("Failed to parse"):
        return ResultUnreadable("it is no JSON-RPC that can be read")
    if http is not None and http >= 400:
        if http >= 500 or http in _NOBODYS:
            return ConnectionLost(f"its address answered with HTTP {http}")
        if message in _STANDS_FOR or code == CLOSED:
            gone = http == 404 and code == _INVALID_REQUEST
            return (SessionGone if gone else NotSent)(f"its address answered with HTTP {http}")
        return ServerError(code, message)
    if http is not None and 300 <= http < 400:
        return NotSent(f"its address answered with HTTP {http}")
    # Accepted and never answered, or answered with a page: nobody knows what was done.
    if http == 202 or (said is not None and not kind.startswith(_ANSWERS)):
        return ConnectionLost("its address gave no answer of the protocol")
    if code == CLOSED and message.startswith("SSE stream failed"):
        return ResultTooLarge("it is longer than what is read of one")
    return _as_said(code, message)


def leaves(error: BaseException) -> list[BaseException]:
    """The exceptions of a group, all the way down."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]
