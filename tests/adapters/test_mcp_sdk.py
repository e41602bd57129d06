"""Calls and lists through clients of the MCP SDK that the host has open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

import mcpexpose
from mcpexpose import Ledger, NotSent, Runtime
from mcpexpose.adapters.mcp_sdk import SdkClients, hearing
from mcpexpose.adapters.model_tools import ModelTools
from tests.adapters.shown import QUERY, QUESTION, REQUEST_1, REQUEST_2, SECTION, TITLE, example
from tests.host.running import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.desk import Desk


def test_the_example(plan_folder: Path, address: str, desk: Desk) -> None:
    """X01, X06, F03, G13, G06: absent from request 1, found, declared in request 2, called through the gate."""
    seen: list[dict[str, Any]] = []
    script = iter(
        [
            {"content": "", "calls": [{"name": "find_tools", "arguments": QUERY}]},
            {"content": "", "calls": [{"name": "desk__open_ticket", "arguments": {"title": 5}}]},
            {"content": "", "calls": [{"name": "desk__open_ticket", "arguments": TITLE}]},
            {"content": "They know."},
        ]
    )

    async def model(**request: Any) -> dict[str, Any]:
        seen.append({**request, "messages": list(request["messages"])})
        return next(script)

    asked: list[Any] = []

    def approves(tool: str, arguments: Any) -> bool:
        asked.append((tool, dict(arguments), list(desk.calls)))
        return True

    main = example("mcp_sdk").main
    assert asyncio.run(main(str(plan_folder), f"{address}/mcp", model, QUESTION, approves)) == "They know."
    assert asked == [("open_ticket", TITLE, [])]
    declared = [[tool["name"] for tool in request["tools"]] for request in seen]
    assert declared == [REQUEST_1, REQUEST_2, REQUEST_2, REQUEST_2]
    assert seen[1]["tools"][:2] == seen[0]["tools"]
    assert SECTION in seen[0]["system"]
    told = [message["content"] for message in seen[3]["messages"] if message["role"] == "tool"]
    assert "/title" in told[1]
    assert told[2] == "did open_ticket"
    assert desk.calls == [("open_ticket", TITLE)]


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_results_are_judged_by_the_gate_and_not_by_the_client(plan_folder: Path, desk: Desk, era: str) -> None:
    """G07, G11: what the SDK raises for, a result of another shape, would leave a call of unknown completion."""
    memory = Memory()

    async def main() -> list[str]:
        async with Client(desk.server, mode=era) as client:
            clients = SdkClients({"desk": client})
            runtime = Runtime(audit=memory, ledger=Ledger("own.sqlite"), refresh=clients.refresh)
            plan = mcpexpose.load_plan(plan_folder, runtime=runtime)
            tools = ModelTools(plan.session(), through=clients.through)
            calls = [("desk__count_tickets", {}), ("desk__find_ticket", {"number": 0}), ("desk__status", {})]
            done = [(await tools.answer(*call)).outcome for call in calls]  # type: ignore[union-attr]
            assert await plan.refresh("desk")
            clients.clients = {}
            lost = await tools.answer("desk__status", {})
            with pytest.raises(NotSent):
                await clients.refresh("desk")
            return [*done, lost.outcome]  # type: ignore[union-attr]

    told = ["quarantined:result-malformed", "tool-error", "ok", "not-sent"]
    assert asyncio.run(main()) == told
    assert memory.told("call") == told
    assert memory.told("refresh") == ["unchanged"]


def test_what_a_server_says_of_its_list_is_heard(plan_folder: Path, desk: Desk) -> None:
    """G08: nothing is executed from a stale snapshot; without a way to compile, until there is a new bundle."""

    async def main() -> tuple[str, str]:
        clients = SdkClients({})
        runtime = Runtime(ledger=Ledger("own.sqlite"), refresh=clients.refresh)
        plan = mcpexpose.load_plan(plan_folder, runtime=runtime)
        tools = ModelTools(plan.session(), through=clients.through)
        hear, heard = hearing(plan, "desk"), asyncio.Event()

        async def on_message(message: Any) -> None:
            await hear(message)
            heard.set()

        async with Client(desk.server, mode="2026-07-28", message_handler=on_message) as client:
            clients.clients = {"desk": client}
            before = await tools.answer("desk__status", {})
            async with client.listen(tools_list_changed=True):
                await desk.change()
                await asyncio.wait_for(heard.wait(), 20)
            after = await tools.answer("desk__status", {})
            return before.outcome, after.outcome  # type: ignore[union-attr]

    assert asyncio.run(main()) == ("ok", "refused:stale-revision")
