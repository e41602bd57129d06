"""Arguments that a server wants as HTTP headers too (`x-mcp-header`): it refuses a call without them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest

from mcpexpose import Connections
from mcpexpose.adapters.mcp_sdk import SdkClients
from mcpexpose.model.transport import Transport
from tests.builders import tool
from tests.fakes.desk import Desk
from tests.fakes.web import handshake_only, serving
from tests.host.running import plan_of, run

if TYPE_CHECKING:
    from pathlib import Path

ARGUMENTS: list[dict[str, Any]] = [{"region": "eu"}, {"region": "über"}, {}]
REGION = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    made.tools["route"] = types.Tool(name="route", description="By region", input_schema=REGION)
    return made


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_they_are_sent_as_the_server_demands(desk: Desk, tmp_path: Path, era: str) -> None:
    """G06: on both eras the call arrives, with what the reviewed schema says, and no list is asked for."""
    with serving(desk.app if era == "2026-07-28" else handshake_only(desk.app)) as address:

        def at_desk(done: Any) -> Any:
            there = Transport("http", url=f"{address}/mcp")
            servers = tuple(replace(server, transport=there) for server in done.plan.servers)
            return replace(done, plan=replace(done.plan, servers=servers))

        with Connections(environ={}) as connections:
            plan = plan_of(tmp_path, tool("desk", "route", schema=REGION), change=at_desk, connections=connections)
            session = plan.session()
            outcomes = [
                run(session.call(session.inspect("desk", "route"), arguments)).outcome for arguments in ARGUMENTS
            ]
    assert outcomes == ["ok"] * len(ARGUMENTS)
    assert desk.calls == [("route", arguments) for arguments in ARGUMENTS]
    assert [headers.get("mcp-param-region") for headers in desk.headers] == (
        ["eu", "=?base64?w7xiZXI=?=", None] if era == "2026-07-28" else [None, None, None]
    )


def test_a_hosts_own_client_sends_them_too(desk: Desk, tmp_path: Path) -> None:
    """G06: it lists once to learn of them."""
    from mcp import Client

    async def main(address: str) -> list[str]:
        async with Client(f"{address}/mcp", read_timeout_seconds=30) as client:
            session = plan_of(tmp_path, tool("desk", "route", schema=REGION)).session()
            through = SdkClients({"desk": client}).through
            return [
                (await session.call(session.inspect("desk", "route"), arguments, through=through)).outcome
                for arguments in ARGUMENTS
            ]

    with serving(desk.app) as address:
        assert run(main(address)) == ["ok"] * len(ARGUMENTS)
    assert desk.headers[0].get("mcp-param-region") == "eu"
