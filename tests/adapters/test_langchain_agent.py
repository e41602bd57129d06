"""An agent of LangChain's `create_agent` over a plan: progressive tools and interrupts, without any paid request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("langchain.agents", reason="the extra langchain is not installed")

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from mcpexpose.adapters.langchain_agent import PlanMiddleware
from tests.adapters.chat import script
from tests.adapters.shown import QUERY, QUESTION, REQUEST_1, REQUEST_2, SECTION, TITLE, example, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fakes.desk import Desk

THREAD: Any = {"configurable": {"thread_id": "1"}}


@pytest.fixture
def session(plan_folder: Path) -> Iterator[Any]:
    made, _ = session_of(plan_folder)
    yield made
    made.plan.runtime.close()


@tool
def clock() -> str:
    """The time of day."""
    return "noon"


def asked(said: str = QUESTION) -> Any:
    return {"messages": [{"role": "user", "content": said}]}


def test_the_example(plan_folder: Path, desk: Desk) -> None:
    """X01, X06, F03, G13, G06: found, declared, an interrupt for whoever approves, called once."""
    model = script(
        ("find_tools", QUERY), ("desk__open_ticket", {"title": 5}), ("desk__open_ticket", TITLE), "They know."
    )
    seen: list[Any] = []

    def approves(name: str, arguments: Any) -> bool:
        seen.append((name, arguments, list(desk.calls)))
        return True

    main = example("langchain_agent").main
    assert asyncio.run(main(plan_folder, model, QUESTION, approves)) == "They know."
    assert model.declared == [REQUEST_1, REQUEST_2, REQUEST_2, REQUEST_2]
    assert SECTION in model._read[0][0].text
    assert [message.status for message in model.told] == ["success", "error", "success"]
    assert "/title" in model.told[1].content
    assert seen == [("desk__open_ticket", TITLE, [])]
    assert desk.calls == [("open_ticket", TITLE)]


def test_a_no_reaches_no_server(plan_folder: Path, desk: Desk) -> None:
    """G06"""
    model = script(("find_tools", QUERY), ("desk__open_ticket", TITLE), "Then not.")
    main = example("langchain_agent").main
    assert asyncio.run(main(plan_folder, model, QUESTION, lambda name, arguments: False)) == "Then not."
    assert model.told[-1].status == "error"
    assert desk.calls == []


@pytest.mark.parametrize("answer", [None, True, "approve", {}, {"decisions": []}, {"decisions": [{"type": "edit"}]}])
def test_what_is_no_yes_is_a_no(session: Any, desk: Desk, answer: Any) -> None:
    """G06: an edited action is another call, which the model has to propose itself."""
    session.find_tools("open a ticket")
    model = script(("desk__open_ticket", TITLE), "hm")
    agent: Any = create_agent(model, middleware=[PlanMiddleware(session)], checkpointer=InMemorySaver())

    async def main() -> Any:
        first = await agent.ainvoke(asked(), THREAD)
        (each,) = first["__interrupt__"]
        assert "side effect: write" in each.value["action_requests"][0]["description"]
        return await agent.ainvoke(Command(resume={each.id: answer}), THREAD)

    assert asyncio.run(main())["messages"][-1].content == "hm"
    assert desk.calls == []


def test_a_yes_is_for_what_was_shown(session: Any, desk: Desk) -> None:
    """G06: where the definition is another one by the time of the answer, the call is refused."""
    session.find_tools("open a ticket")
    middleware = PlanMiddleware(session)
    model = script(("desk__open_ticket", TITLE), "hm")
    agent: Any = create_agent(model, middleware=[middleware], checkpointer=InMemorySaver())

    async def main() -> Any:
        first = await agent.ainvoke(asked(), THREAD)
        middleware._asked = dict.fromkeys(middleware._asked, ("0" * 64, "0" * 64))
        (each,) = first["__interrupt__"]
        return await agent.ainvoke(Command(resume={each.id: {"decisions": [{"type": "approve"}]}}), THREAD)

    assert asyncio.run(main())["messages"][-1].content == "hm"
    assert desk.calls == []


def test_an_agents_own_tools_and_prompt_stay(session: Any, desk: Desk) -> None:
    """They come first, and ours go through the gate; without an event loop, too."""
    model = script(("clock", {}), ("desk__status", {}), ("nothing", {}), "done")
    agent: Any = create_agent(model, tools=[clock], system_prompt="Be brief.", middleware=[PlanMiddleware(session)])
    assert agent.invoke(asked())["messages"][-1].content == "done"
    assert model.declared[0] == ["clock", *REQUEST_1]
    system = model._read[0][0].text
    assert system.startswith("Be brief.")
    assert SECTION in system
    assert [message.content for message in model.told][:2] == ["noon", "did status"]
    assert model.told[2].status == "error"
    assert desk.calls == [("status", {})]


def test_with_a_callback_nothing_interrupts(session: Any, desk: Desk) -> None:
    """G06: a host that has its own way keeps it."""
    session.find_tools("open a ticket")
    model = script(("desk__open_ticket", TITLE), "done")
    agent: Any = create_agent(model, middleware=[PlanMiddleware(session, approve=lambda ask: True)])
    assert asyncio.run(agent.ainvoke(asked()))["messages"][-1].content == "done"
    assert desk.calls == [("open_ticket", TITLE)]
