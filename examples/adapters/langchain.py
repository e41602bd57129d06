"""A LangChain chat model over a plan: the tools are bound anew for each request, since a search adds some."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

import mcpexpose
from mcpexpose.adapters.langchain import PlanTools


async def main(plan_folder: str, model: Any, question: str, approves: Any) -> str:
    runtime = mcpexpose.Runtime(ledger=mcpexpose.Ledger("runs.sqlite"), connections=mcpexpose.Connections())
    session = mcpexpose.load_plan(plan_folder, runtime=runtime).session()
    tools = PlanTools(session, approve=lambda ask: approves(ask.tool, ask.arguments))
    messages: list[BaseMessage] = [SystemMessage(tools.system()), HumanMessage(question)]
    try:
        while True:
            said = await model.bind_tools(tools.tools()).ainvoke(messages)
            messages.append(said)
            if not said.tool_calls:
                return str(said.content)
            messages += [await tools.run(call) for call in said.tool_calls]
    finally:
        runtime.close()
