"""Capture over streamable HTTP and over the old HTTP+SSE, on loopback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer

from mcpexpose.client.capture import Captured, capture
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport
from tests.fakes.sdk_server import build
from tests.fakes.web import closed_port, handshake_only, raw_server, serving

if TYPE_CHECKING:
    from mcpexpose.model.finding import Finding

Message = dict[str, Any]


def run(transport: Transport, environ: dict[str, str] | None = None) -> Captured:
    async def main() -> list[Captured]:
        return await capture([Target("s", transport)], environ=environ or {})

    (captured,) = anyio.run(main)
    return captured


def failure(captured: Captured) -> Finding:
    assert captured.catalog is None
    (finding,) = captured.findings
    assert finding.slug == "capture-failed"
    return finding


def names(captured: Captured) -> list[str]:
    assert captured.catalog is not None, captured.findings
    return [str(tool["name"]) for tool in captured.catalog.tools]


def listing(tools: list[Any]) -> Any:
    """A handshake-era server that answers in plain JSON."""

    def answer(message: Message, headers: dict[str, str]) -> tuple[int, str]:
        results = {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "serverInfo": {"name": "raw", "version": "1"},
            },
            "tools/list": {"tools": tools},
        }
        if "id" not in message:
            return 202, ""
        if message["method"] not in results:
            error = {"code": -32601, "message": "Method not found"}
            return 200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error})
        return 200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]})

    return answer


@pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])
def test_a_real_server_is_captured_over_streamable_http(era: str) -> None:
    """C06: all pages, in both eras."""
    app = build(["a", "b", "c"], 2).streamable_http_app()
    with serving(app if era == "2026-07-28" else handshake_only(app)) as address:
        captured = run(Transport("http", url=f"{address}/mcp"))
    assert names(captured) == ["a", "b", "c"]
    assert captured.requests == (None, "2")
    assert captured.catalog is not None
    assert captured.catalog.protocol == era


def test_a_real_server_is_captured_over_the_old_sse() -> None:
    server = MCPServer("old", instructions="An old one.")

    @server.tool()
    def look(what: str) -> str:
        """Looks."""
        return what

    with serving(server.sse_app()) as address:
        captured = run(Transport("sse", url=f"{address}/sse"))
    assert names(captured) == ["look"]
    assert captured.catalog is not None
    assert captured.catalog.instructions == "An old one."


def test_raw_tools_survive_and_headers_are_filled_in() -> None:
    """Unknown fields and what is no tool, as over stdio; three ways to send a header."""
    seen: list[dict[str, str]] = []
    odd = {"name": "a", "x-own": 9007199254740993}
    transport = Transport(
        "http",
        headers={"X-Plain": "p-${NAME}"},
        env_headers={"X-Env": "KEY"},
        bearer_token_env_var="TOKEN",
    )
    with serving(raw_server(listing([odd, 5]), seen)) as address:
        full = Transport(
            "http",
            url=f"{address}/${{PATH_PART}}",
            headers=transport.headers,
            env_headers=transport.env_headers,
            bearer_token_env_var=transport.bearer_token_env_var,
        )
        captured = run(full, {"NAME": "n", "KEY": "key-value", "TOKEN": "bearer-value", "PATH_PART": "mcp"})
    assert captured.catalog is not None
    assert captured.catalog.tools == (odd,)
    assert [finding.subjects for finding in captured.findings] == [("s/#1",)]
    for headers in seen:
        assert (headers["x-plain"], headers["x-env"], headers["authorization"]) == (
            "p-n",
            "key-value",
            "Bearer bearer-value",
        )


@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
def test_an_http_error_is_named_with_its_status(status: int) -> None:
    """The SDK turns most of them into one and the same sentence."""
    with serving(raw_server(lambda message, headers: (status, "{}"))) as address:
        captured = run(Transport("http", url=f"{address}/mcp?key=hidden-key"))
    finding = failure(captured)
    assert f"HTTP {status}" in finding.message
    assert "hidden-key" not in repr(captured)
    assert captured.unavailable


def test_an_error_of_the_protocol_is_told_as_such() -> None:
    """Not as the 405 that such a server gives for the stream that it does not have."""

    def answer(message: Message, headers: dict[str, str]) -> tuple[int, str]:
        if message["method"] == "tools/list":
            return 200, json.dumps(
                {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "boom"}}
            )
        return listing([])(message, headers)

    with serving(raw_server(answer)) as address:
        captured = run(Transport("http", url=f"{address}/mcp"))
    assert "-32603: boom" in failure(captured).message
    assert not captured.unavailable


def test_where_nothing_listens_the_server_is_unavailable() -> None:
    port = closed_port()
    for kind in ("http", "sse"):
        captured = run(Transport(kind, url=f"http://user:hidden@127.0.0.1:{port}/mcp"))
        assert f"nothing answers at http://127.0.0.1:{port}/mcp" in failure(captured).message
        assert "hidden" not in repr(captured)
        assert captured.unavailable


def test_a_server_that_never_answers_is_given_up_in_time() -> None:
    async def silent(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            while (await receive())["type"] != "http.disconnect":
                pass

    with serving(silent) as address:
        captured = run(Transport("http", url=f"{address}/mcp", startup_timeout_s=2))
    assert "within 2 s" in failure(captured).message
    assert captured.unavailable


@pytest.mark.parametrize("body", ["not json", '{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}', "[]"])
def test_an_answer_that_is_no_json_rpc_is_a_failure_of_the_server(body: str) -> None:
    def answer(message: Message, headers: dict[str, str]) -> tuple[int, str]:
        known = listing([])(message, headers)
        return (200, body) if message["method"] == "tools/list" else known

    with serving(raw_server(answer)) as address:
        captured = run(Transport("http", url=f"{address}/mcp"))
    finding = failure(captured)
    assert "JSON-RPC" in finding.message
    assert "page 1" in finding.message
    assert "not json" not in finding.message
    assert not captured.unavailable


@pytest.mark.parametrize(
    "url", ["ftp://example.com/mcp", "example.com/mcp", "http://[", "file:///etc/passwd", "http://a:99999/"]
)
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    finding = failure(run(Transport("http", url=url)))
    assert "no http or https address" in finding.message
    assert "`url`" in finding.advice


def test_a_header_value_with_a_line_end_is_refused_before_anything_is_sent() -> None:
    """A token read from a file with its last line end; its value is not printed."""
    captured = run(Transport("http", url="http://127.0.0.1:1/", bearer_token_env_var="TOKEN"), {"TOKEN": "abcdef\n"})
    finding = failure(captured)
    assert "Authorization" in finding.message
    assert "abcdef" not in repr(captured)


def test_a_token_that_is_not_set_is_named() -> None:
    captured = run(Transport("http", url="http://127.0.0.1:1/", bearer_token_env_var="TOKEN"))
    (finding,) = captured.findings
    assert finding.slug == "env-unset"
    assert "TOKEN" in finding.message
