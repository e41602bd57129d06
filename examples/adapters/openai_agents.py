"""An agent of the OpenAI Agents SDK over a plan: what somebody has to approve interrupts the run."""

from __future__ import annotations

from typing import Any

from agents import Agent, Runner

import mcpexpose
from mcpexpose.adapters.openai_agents import PlanTools


async def main(plan_folder: str, model: Any, question: str, approves: Any) -> str:
    runtime = mcpexpose.Runtime(ledger=mcpexpose.Ledger("runs.sqlite"), connections=mcpexpose.Connections())
    session = mcpexpose.load_plan(plan_folder, runtime=runtime).session()
    tools = PlanTools(session)
    agent = Agent(name="desk", instructions=tools.instructions, tools=tools, model=model)
    try:
        result = await Runner.run(agent, question)
        while result.interruptions:
            state = result.to_state()
            for item in result.interruptions:
                yes = approves(item.tool_name, item.arguments)
                state.approve(item) if yes else state.reject(item)
            result = await Runner.run(agent, state)
        return str(result.final_output)
    finally:
        runtime.close()
