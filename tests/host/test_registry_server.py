"""From a config to a call, over a server that others wrote: npm's reference server of MCP, by streamable HTTP.

It speaks revision 2025-11-25, with sessions and a stream for what it says by itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

import mcpexpose
from mcpexpose import Connections, FileSink, Inspection, Ledger, Runtime
from mcpexpose.catalog.store import write as write_catalog
from mcpexpose.client.capture import capture
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = "@modelcontextprotocol/server-everything@2026.8.31"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not there, and the server comes from its registry"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server, installed and started."""
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text("{}")
    install = ["npm", "install", "--silent", PACKAGE]
    if subprocess.run(install, cwd=folder, capture_output=True, timeout=200, check=False).returncode:
        pytest.skip("npm's registry cannot be reached")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(folder / "node_modules" / ".bin" / "mcp-server-everything"), "streamableHttp"]
    server = subprocess.Popen(
        command, env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            assert time.monotonic() < end, "the server does not listen"
            threading.Event().wait(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    server.kill()
    server.wait()


class Host:
    """Config, capture, bundle, session."""

    def __init__(self, folder: Path, address: str, *, exposure: str = "deferred", more: str = "") -> None:
        (folder / "config.toml").write_text(
            f'[mcp_servers.every]\nurl = "{address}"\ndescription = "The reference server"\nowner = "tests"\n'
            f'tool_timeout_sec = 2\n[exposure]\ndefault = "{exposure}"\n{more}'
            '[policy]\nauto_approve = ["read_only"]\n'
            + "".join(
                f'[mcp_servers.every.tools."{name}"]\nside_effect = "read_only"\n'
                for name in ("echo", "get-sum", "get-tiny-image", "get-structured-content")
            )
            + '[mcp_servers.every.tools."trigger-long-running-operation"]\nside_effect = "write"\n'
        )
        (captured,) = anyio.run(lambda: capture([Target("every", Transport("http", url=address))], environ={}))
        assert captured.catalog is not None, captured.findings
        assert captured.catalog.protocol == "2025-11-25"
        write_catalog(folder / "catalogs", captured.catalog)
        Workspace(folder / "config.toml", environ={}).write(folder / "plan")
        self.events = folder / "events.jsonl"
        self.runtime = Runtime(
            audit=FileSink(self.events), ledger=Ledger(folder / "runs.sqlite"), connections=Connections(environ={})
        )
        self.session = mcpexpose.load_plan(folder / "plan", runtime=self.runtime).session()

    def call(self, name: str, arguments: Any) -> Any:
        found = self.session.inspect("every", name)
        assert isinstance(found, Inspection)
        return asyncio.run(self.session.call(found, arguments, approve=lambda ask: True))

    def told(self, event: str) -> list[str]:
        read = map(json.loads, self.events.read_text().splitlines())
        return [each["outcome"] for each in read if each["event"] == event]


@pytest.fixture
def host(tmp_path: Path, address: str) -> Iterator[Host]:
    made = Host(tmp_path, address)
    yield made
    made.runtime.close()


def test_found_declared_called(host: Host) -> None:
    """X01, X06, F03, G13: deferred, so absent from request 1, found, declared behind the same prefix, called."""
    session = host.session
    first = session.declared()
    assert [tool["name"] for tool in first] == ["find_tools"]
    assert "- every: The reference server" in session.prompt_section()
    answer = session.find_tools("sum of two numbers", limit=1)
    assert answer.added == ("every__get-sum",)
    second = session.declared()
    assert second[: len(first)] == first
    assert [tool["name"] for tool in second[len(first) :]] == ["every__get-sum"]
    outcome = host.call("get-sum", '{"a": 2, "b": 40}')
    assert outcome.outcome == "ok"
    assert "42" in outcome.text
    found = host.call("get-structured-content", {"location": "Chicago"})
    assert (found.outcome, "temperature" in found.result["structuredContent"]) == ("ok", True)


def test_a_direct_server_needs_no_section(tmp_path: Path, address: str) -> None:
    """X06: everything is declared in request 1; nothing is left to be searched for."""
    host = Host(tmp_path, address, exposure="direct")
    names = [tool["name"] for tool in host.session.declared()]
    assert "every__get-sum" in names
    assert "find_tools" not in names
    assert host.session.prompt_section() == ""
    host.runtime.close()


def test_refused_arguments_and_searches_in_vain(host: Host) -> None:
    """G09, G10"""
    refused = host.call("get-sum", {"a": "2", "b": 40})
    assert (refused.outcome, refused.pointer) == ("refused:invalid-arguments", "/a")
    answer = host.session.find_tools("zebras grazing in a meadow")
    assert answer.matches == ()
    assert host.told("search") == [answer.reason]


def test_an_image_counts_in_full(tmp_path: Path, address: str) -> None:
    """G07, G15"""
    host = Host(tmp_path, address, more="[limits]\nresult_max_bytes = 2000\n")
    outcome = host.call("get-tiny-image", {})
    assert outcome.outcome == "quarantined:result-too-large"
    assert outcome.size > 2000
    assert host.call("echo", {"message": "small"}).outcome == "ok"
    host.runtime.close()


def test_a_write_that_takes_too_long_and_one_that_says_so(host: Host) -> None:
    """G11: silent for longer than its limit it is unknown, and refused from then on; with progress it may go on."""
    long = {"duration": 6, "steps": 1}
    assert host.call("trigger-long-running-operation", long).outcome == "unknown-completion"
    assert host.call("trigger-long-running-operation", long).outcome == "refused:outcome-unknown"
    assert host.call("trigger-long-running-operation", {"duration": 4, "steps": 8}).outcome == "ok"
    assert host.told("call") == ["unknown-completion", "refused:outcome-unknown", "ok"]
