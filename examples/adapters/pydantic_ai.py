"""A Pydantic AI agent over a plan: what the model may not do by itself comes back as a request for approval."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, DeferredToolRequests

import mcpexpose
from mcpexpose.adapters.pydantic_ai import PlanToolset


async def main(plan_folder: str, model: Any, question: str, approves: Any) -> str:
    runtime = mcpexpose.Runtime(ledger=mcpexpose.Ledger("runs.sqlite"), connections=mcpexpose.Connections())
    session = mcpexpose.load_plan(plan_folder, runtime=runtime).session()
    agent = Agent(model, toolsets=[PlanToolset(session)], output_type=[str, DeferredToolRequests])
    try:
        result = await agent.run(question)
        while isinstance(result.output, DeferredToolRequests):
            asked = result.output
            answers = {call.tool_call_id: approves(call.tool_name, call.args_as_dict()) for call in asked.approvals}
            result = await agent.run(
                message_history=result.all_messages(), deferred_tool_results=asked.build_results(approvals=answers)
            )
        return str(result.output)
    finally:
        runtime.close()
