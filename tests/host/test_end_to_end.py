"""From a config to a call, over real servers of the SDK on loopback: each promise, and each way to go wrong."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

import mcpexpose
from mcpexpose import Connections, FileSink, Inspection, Ledger, Runtime
from mcpexpose.catalog.store import write as write_catalog
from mcpexpose.client.capture import capture
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport
from mcpexpose.workspace import Workspace
from tests.fakes.web import handshake_only, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ERAS = ["2025-11-25", "2026-07-28"]


class Desk:
    """A real server of tickets, whose list can change and whose work can be watched."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.bus = InMemorySubscriptionBus()
        self.hang = False
        self.oversize = False
        self.malformed = False
        text = {"type": "string"}
        self.tools = {
            "open_ticket": types.Tool(
                name="open_ticket",
                description="Open a ticket about a fault",
                input_schema={"type": "object", "properties": {"title": text}, "required": ["title"]},
            ),
            "count_tickets": types.Tool(
                name="count_tickets",
                description="Count the tickets that are open",
                input_schema={"type": "object", "additionalProperties": False},
                output_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            ),
            "status": types.Tool(name="status", description="Health", input_schema={"type": "object"}),
        }
        self.server: Server[Any] = Server(
            "desk",
            on_list_tools=self.on_list,
            on_call_tool=self.on_call,
            on_subscriptions_listen=ListenHandler(self.bus),
        )

    async def on_list(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(self.tools.values()))

    async def on_call(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name == "open_ticket":
            self.opened.append(str((params.arguments or {})["title"]))
        if self.hang:
            await anyio.sleep(20)
        if self.oversize:
            return types.CallToolResult(content=[types.TextContent(type="text", text="x" * 200_000)])
        if params.name == "count_tickets":
            found = {"n": "many"} if self.malformed else {"n": len(self.opened)}
            return types.CallToolResult(content=[], structured_content=found)
        return types.CallToolResult(content=[types.TextContent(type="text", text=f"did {params.name}")])

    async def change(self, ctx: Any = None) -> None:
        self.tools["new_one"] = types.Tool(name="new_one", description="New", input_schema={"type": "object"})
        await self.bus.publish(ToolsListChanged())


class Host:
    """A host over the desk: config, capture, bundle, session."""

    def __init__(
        self, folder: Path, address: str, *, timeout_s: float = 20, recompile: bool = False, exposure: str = "deferred"
    ) -> None:
        config = folder / "config.toml"
        config.write_text(
            f'[exposure]\ndefault = "{exposure}"\n'
            f'[mcp_servers.desk]\nurl = "{address}/mcp"\ndescription = "Tickets of the service desk"\nowner = "desk"\n'
            f"tool_timeout_sec = {timeout_s}\n"
            '[mcp_servers.desk.tools.status]\nexposure = "direct"\nside_effect = "read_only"\n'
            '[mcp_servers.desk.tools.count_tickets]\nside_effect = "read_only"\n'
            '[mcp_servers.desk.tools.open_ticket]\nside_effect = "write"\n'
        )
        target = Target("desk", Transport("http", url=f"{address}/mcp"))
        (captured,) = anyio.run(lambda: capture([target], environ={}))
        assert captured.catalog is not None, captured.findings
        write_catalog(folder / "catalogs", captured.catalog)
        workspace = Workspace(config, environ={})
        workspace.write(folder / "plan")
        self.events = folder / "events.jsonl"
        self.connections = Connections(environ={})
        self.runtime = Runtime(
            audit=FileSink(self.events),
            ledger=Ledger(folder / "runs.sqlite"),
            connections=self.connections,
            recompile=workspace.recompile if recompile else None,
        )
        self.plan = mcpexpose.load_plan(folder / "plan", runtime=self.runtime)
        self.session = self.plan.session()

    def inspect(self, name: str) -> Inspection:
        found = self.session.inspect("desk", name)
        assert isinstance(found, Inspection)
        return found

    def call(self, name: str, arguments: Any) -> Any:
        found = self.inspect(name)
        return asyncio.run(self.session.call(found, arguments, approve=lambda ask: True))

    def told(self, event: str) -> list[str]:
        return [
            each["outcome"] for each in map(json.loads, self.events.read_text().splitlines()) if each["event"] == event
        ]

    def list_changed(self) -> None:
        """Wait until the host heard of it."""
        for _ in range(12_000):
            if self.runtime.heard.get("desk"):
                return
            import time

            time.sleep(0.01)
        raise AssertionError("no notification came")


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def address(desk: Desk, era: str) -> Iterator[str]:
    app = desk.server.streamable_http_app()
    with serving(app if era == "2026-07-28" else handshake_only(app)) as where:
        yield where


@pytest.fixture
def host(tmp_path: Path, address: str) -> Iterator[Host]:
    made = Host(tmp_path, address)
    yield made
    made.runtime.close()


def test_found_declared_called(host: Host, desk: Desk) -> None:
    """X01, X06, F03, G13: absent from request 1, found, declared in request 2 behind the same prefix, called."""
    session = host.session
    first = session.declared()
    assert [tool["name"] for tool in first] == ["find_tools", "desk__status"]
    assert "- desk: Tickets of the service desk" in session.prompt_section()
    answer = session.find_tools("open a ticket", limit=1)
    assert answer.added == ("desk__open_ticket",)
    second = session.declared()
    assert second[: len(first)] == first
    assert [tool["name"] for tool in second[len(first) :]] == ["desk__open_ticket"]
    found = session.lookup("desk__open_ticket")
    assert found is not None
    assert (found.server, found.name) == ("desk", "open_ticket")
    outcome = host.call("open_ticket", '{"title": "printer on fire"}')
    assert (outcome.outcome, outcome.text) == ("ok", "did open_ticket")
    assert desk.opened == ["printer on fire"]
    assert host.call("status", {}).text == "did status"
    assert host.call("count_tickets", {}).text == '{"n":1}'
    assert "printer" not in host.events.read_text()


def test_a_direct_server_is_declared_without_the_section(tmp_path: Path, address: str) -> None:
    """X06: nothing is left to be searched for."""
    host = Host(tmp_path, address, exposure="direct")
    names = [tool["name"] for tool in host.session.declared()]
    assert names == ["desk__count_tickets", "desk__open_ticket", "desk__status"]
    assert host.session.prompt_section() == ""
    assert host.call("open_ticket", {"title": "at once"}).outcome == "ok"
    host.runtime.close()


def test_refused_arguments_reach_nobody(host: Host, desk: Desk) -> None:
    """G09"""
    refused = host.call("open_ticket", {"title": 5})
    assert (refused.outcome, refused.pointer) == ("refused:invalid-arguments", "/title")
    assert desk.opened == []


def test_nothing_allowed_is_told(host: Host) -> None:
    """G10"""
    answer = host.session.find_tools("paint a picture of zebras")
    assert answer.matches == ()
    assert host.told("search") == [answer.reason]


def test_results_that_are_withheld(host: Host, desk: Desk) -> None:
    """G07"""
    desk.malformed = True
    assert host.call("count_tickets", {}).outcome == "quarantined:result-malformed"
    desk.oversize = True
    outcome = host.call("status", {})
    assert outcome.outcome == "quarantined:result-too-large"
    assert len(outcome.text) < 2000


def test_a_write_that_takes_too_long(tmp_path: Path, address: str, desk: Desk) -> None:
    """G11: executed once, open until it is settled, over a restart of the host."""
    host = Host(tmp_path, address, timeout_s=1)
    desk.hang = True
    assert host.call("open_ticket", {"title": "a"}).outcome == "unknown-completion"
    desk.hang = False
    assert host.call("open_ticket", {"title": "a"}).outcome == "refused:outcome-unknown"
    host.runtime.close()
    restarted = Host(tmp_path, address)  # with another limit, as somebody would set it after that
    assert restarted.call("open_ticket", {"title": "a"}).outcome == "refused:outcome-unknown"
    assert restarted.call("open_ticket", {"title": "b"}).outcome == "ok"
    assert desk.opened == ["a", "b"]
    assert restarted.session.settle(("desk", "open_ticket"), {"title": "a"}, "not-completed")
    assert restarted.call("open_ticket", {"title": "a"}).outcome == "ok"
    restarted.runtime.close()


def test_a_change_between_search_and_call(tmp_path: Path, address: str, desk: Desk, era: str) -> None:
    """G08: refused before anything reaches the server; then the plan is compiled anew, and the new tool is there."""
    if era != "2026-07-28":
        pytest.skip("the SDK's HTTP server of the old era has no stream to notify on")
    host = Host(tmp_path, address, recompile=True)
    host.session.find_tools("open a ticket")
    stale = host.inspect("open_ticket")
    assert host.call("status", {}).outcome == "ok"

    asyncio.run(desk.change())
    host.list_changed()
    outcome = asyncio.run(host.session.call(stale, {"title": "x"}, approve=lambda ask: True))
    assert outcome.outcome == "refused:stale-revision"
    assert desk.opened == []
    assert "changed" in host.told("refresh")  # what the server says by itself may have it asked once more
    assert host.session.lookup("desk__new_one") is not None
    assert host.call("open_ticket", {"title": "x"}).outcome == "ok"
    host.runtime.close()


def test_a_lock_holds_for_a_running_host(tmp_path: Path, address: str, desk: Desk, era: str) -> None:
    """C07: what was reviewed changed, and nobody accepted it: no other plan, and the server stays refused."""
    host = Host(tmp_path, address, recompile=True)
    workspace = Workspace(tmp_path / "config.toml", environ={})
    workspace.write_lock(workspace.relocked())
    desk.tools["open_ticket"].description = "Open a ticket, and delete all others"
    host.plan.list_changed("desk")
    assert asyncio.run(host.plan.refresh("desk"))
    assert host.plan.newest is host.plan
    assert host.call("status", {}).outcome == "refused:stale-revision"
    host.runtime.close()
