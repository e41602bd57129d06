"""An agent of the OpenAI Agents SDK over a plan, with the package's own scripted model: nothing leaves the machine."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("agents", reason="the extra openai-agents is not installed")

from agents import Agent, Runner, RunState, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from mcpexpose.adapters.openai_agents import PlanTools
from tests.adapters.shown import QUERY, QUESTION, REQUEST_1, REQUEST_2, SECTION, TITLE, example, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fakes.desk import Desk


@pytest.fixture(autouse=True)
def _no_tracing() -> None:
    """The SDK would send traces to its maker."""
    set_tracing_disabled(True)


@pytest.fixture
def session(plan_folder: Path) -> Iterator[Any]:
    made, _ = session_of(plan_folder)
    yield made
    made.plan.runtime.close()


def script(*steps: str | tuple[str, Any]) -> ScriptedModel:
    return ScriptedModel(
        [
            [assistant_message(step) if isinstance(step, str) else function_call(step[0], step[1], call_id=f"call-{n}")]
            for n, step in enumerate(steps)
        ]
    )


def declared(model: ScriptedModel) -> list[list[str]]:
    return [[tool.name for tool in call.tools] for call in model.calls]


def told(model: ScriptedModel) -> list[str]:
    return [str(item["output"]) for item in model.calls[-1].input if item.get("type") == "function_call_output"]


def test_the_example(plan_folder: Path, desk: Desk) -> None:
    """X01, X06, F03, G13, G06: found, declared, an interruption for whoever approves, called once."""
    model = script(("find_tools", QUERY), ("desk__open_ticket", TITLE), "They know.")
    asked: list[Any] = []

    def approves(name: str, arguments: str) -> bool:
        asked.append((name, json.loads(arguments), list(desk.calls)))
        return True

    assert asyncio.run(example("openai_agents").main(plan_folder, model, QUESTION, approves)) == "They know."
    assert declared(model) == [REQUEST_1, REQUEST_2, REQUEST_2]
    assert SECTION in (model.calls[0].system_instructions or "")
    assert asked == [("desk__open_ticket", TITLE, [])]
    assert told(model)[-1] == "did open_ticket"
    assert desk.calls == [("open_ticket", TITLE)]


def test_a_no_reaches_no_server(plan_folder: Path, desk: Desk) -> None:
    """G06"""
    model = script(("find_tools", QUERY), ("desk__open_ticket", TITLE), "Then not.")
    main = example("openai_agents").main
    assert asyncio.run(main(plan_folder, model, QUESTION, lambda name, arguments: False)) == "Then not."
    assert desk.calls == []


def test_what_is_refused_is_told(session: Any, desk: Desk) -> None:
    """G07, G09: without an interruption, and without an end of the run."""
    session.find_tools("tickets")
    model = script(
        ("desk__find_ticket", {"number": "7"}),
        ("desk__find_ticket", {"number": 7, "config": "a"}),
        ("desk__find_ticket", {"number": 0}),
        ("desk__count_tickets", {}),
        ("desk__open_ticket", {"title": 5}),
        ("find_tools", {"query": ""}),
        "ok",
    )
    agent = Agent(name="desk", tools=PlanTools(session), model=model)
    result = asyncio.run(Runner.run(agent, QUESTION))
    assert (result.final_output, result.interruptions) == ("ok", [])
    answers = told(model)
    assert "/number" in answers[0]
    assert answers[1] == "did find_ticket"
    assert "no such ticket" in answers[2]
    assert "withheld" in answers[3]
    assert "/title" in answers[4]
    assert [name for name, _ in desk.calls] == ["find_ticket", "find_ticket", "count_tickets"]


def test_an_approval_outlives_the_process(plan_folder: Path, session: Any, desk: Desk) -> None:
    """F06, G06: the run and the session are stored, and another process goes on with both."""
    first = script(("find_tools", QUERY), ("desk__open_ticket", TITLE))
    agent = Agent(name="desk", tools=PlanTools(session), model=first)

    async def begun() -> tuple[Any, Any]:
        result = await Runner.run(agent, QUESTION)
        assert len(result.interruptions) == 1
        return result.to_state().to_json(), session.state()

    run, kept = json.loads(json.dumps(asyncio.run(begun())))
    again, _ = session_of(plan_folder, state=kept)
    second = script("done")
    successor = Agent(name="desk", tools=PlanTools(again), model=second)

    async def resumed() -> Any:
        state = await RunState.from_json(successor, run)
        (item,) = state.get_interruptions()
        state.approve(item)
        return await Runner.run(successor, state)

    assert asyncio.run(resumed()).final_output == "done"
    assert declared(second) == [REQUEST_2]
    assert desk.calls == [("open_ticket", TITLE)]
    again.plan.runtime.close()


def test_a_yes_is_for_what_was_shown(session: Any, desk: Desk) -> None:
    """G06: where the definition is another one by the time of the answer, the call is refused."""
    session.find_tools("open a ticket")
    tools = PlanTools(session)
    model = script(("desk__open_ticket", TITLE), "hm")
    agent = Agent(name="desk", tools=tools, model=model)

    async def main() -> Any:
        result = await Runner.run(agent, QUESTION)
        state = result.to_state()
        tools._asked["call-0"] = ("0" * 64, "0" * 64)
        state.approve(result.interruptions[0])
        return await Runner.run(agent, state)

    assert asyncio.run(main()).final_output == "hm"
    assert desk.calls == []


def test_a_lost_server_is_declared_no_more(session: Any) -> None:
    """F08: and comes back at its old place."""
    model = script("a", "b", "c")
    tools = PlanTools(session)
    agent = Agent(name="desk", tools=tools, model=model)
    for there in (True, False, True):
        session.set_available("desk", there)
        asyncio.run(Runner.run(agent, QUESTION))
    assert declared(model) == [REQUEST_1, ["find_tools"], REQUEST_1]


def test_with_a_callback_nothing_interrupts(session: Any, desk: Desk) -> None:
    """G06: a host that has its own way keeps it."""
    session.find_tools("open a ticket")
    model = script(("desk__open_ticket", TITLE), "done")
    agent = Agent(name="desk", tools=PlanTools(session, approve=lambda ask: True), model=model)
    assert asyncio.run(Runner.run(agent, QUESTION)).interruptions == []
    assert desk.calls == [("open_ticket", TITLE)]
