"""A host of your own over clients of the MCP SDK: any model that takes a list of tools and gives calls or a text."""

from __future__ import annotations

import json
from typing import Any

from mcp import Client

import mcpexpose
from mcpexpose.adapters.mcp_sdk import SdkClients, hearing
from mcpexpose.adapters.model_tools import ModelTools


async def main(plan_folder: str, url: str, model: Any, question: str, approves: Any) -> str:
    clients = SdkClients({})
    runtime = mcpexpose.Runtime(ledger=mcpexpose.Ledger("runs.sqlite"), refresh=clients.refresh)
    plan = mcpexpose.load_plan(plan_folder, runtime=runtime)
    session = plan.session()
    tools = ModelTools(session, through=clients.through, approve=lambda ask: approves(ask.tool, ask.arguments))
    async with Client(url, read_timeout_seconds=30, message_handler=hearing(plan, "desk")) as client:
        clients.clients = {"desk": client}
        messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
        while True:
            said = await model(system=session.prompt_section(), tools=tools.declared(), messages=messages)
            messages.append({"role": "assistant", **said})
            if not said.get("calls"):
                return str(said["content"])
            for call in said["calls"]:
                answer = await tools.answer(call["name"], json.dumps(call["arguments"]))
                messages.append({"role": "tool", "name": call["name"], "content": answer.text})
