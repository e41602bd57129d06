"""What goes wrong between a host and a server during a call, told by whoever carries the call."""

from __future__ import annotations

from mcpexpose.model.errors import McpexposeError


class CallTrouble(McpexposeError):
    """The family: a call that was carried gave no result. Texts never hold arguments or results."""

    exit_code = 5


class NotSent(CallTrouble):
    """Nothing was sent: there was no connection, or it refused the request as a whole."""


class ConnectionLost(CallTrouble):
    """The connection ended after the request was sent, and nobody knows what the server did."""


class ServerError(CallTrouble):
    """The server answered with an error of the protocol in place of a result."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"the server answered with the error {code}")
        self.code = code
        self.message = message
        """The server's own text: not safe to print, and no part of the exception's."""


class ResultTooLarge(CallTrouble):
    """The answer was longer than what is read of one."""


class ResultUnreadable(CallTrouble):
    """There was an answer, and it is no JSON-RPC that can be read."""
