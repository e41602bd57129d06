"""An agent of LangChain's `create_agent` over a plan: what somebody has to approve interrupts the run."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import mcpexpose
from mcpexpose.adapters.langchain_agent import PlanMiddleware


async def main(plan_folder: str, model: Any, question: str, approves: Any) -> str:
    runtime = mcpexpose.Runtime(ledger=mcpexpose.Ledger("runs.sqlite"), connections=mcpexpose.Connections())
    session = mcpexpose.load_plan(plan_folder, runtime=runtime).session()
    agent: Any = create_agent(model, middleware=[PlanMiddleware(session)], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": session.run_id}}
    try:
        result = await agent.ainvoke({"messages": [{"role": "user", "content": question}]}, thread)
        while asked := result.get("__interrupt__"):
            answers = {}
            for each in asked:
                (action,) = each.value["action_requests"]
                yes = approves(action["name"], action["args"])
                answers[each.id] = {"decisions": [{"type": "approve" if yes else "reject"}]}
            result = await agent.ainvoke(Command(resume=answers), thread)
        return str(result["messages"][-1].content)
    finally:
        runtime.close()
