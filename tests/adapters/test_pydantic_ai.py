"""A Pydantic AI agent over a plan, with the package's own FunctionModel: no request leaves the machine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pydantic_ai", reason="the extra pydantic-ai is not installed")

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from mcpexpose.adapters.pydantic_ai import PlanToolset
from tests.adapters.shown import QUERY, QUESTION, REQUEST_1, REQUEST_2, SECTION, TITLE, example, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fakes.desk import Desk


class Script:
    """A model that says what stands in the script, and keeps what it was given."""

    def __init__(self, *steps: str | tuple[str, dict[str, Any]]) -> None:
        self.steps = iter(steps)
        self.requests: list[tuple[list[Any], AgentInfo]] = []
        self.model = FunctionModel(self.respond)

    def respond(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        self.requests.append((list(messages), info))
        step = next(self.steps)
        return ModelResponse([TextPart(step) if isinstance(step, str) else ToolCallPart(step[0], step[1])])

    @property
    def declared(self) -> list[list[str]]:
        return [[tool.name for tool in info.function_tools] for _, info in self.requests]

    @property
    def told(self) -> list[Any]:
        return [part for message in self.requests[-1][0] for part in message.parts if isinstance(part, ToolReturnPart)]


@pytest.fixture
def session(plan_folder: Path) -> Iterator[Any]:
    made, _ = session_of(plan_folder)
    yield made
    made.plan.runtime.close()


def test_the_example(plan_folder: Path, desk: Desk) -> None:
    """X01, X06, F03, G13, G06: found, declared, put to somebody by the framework's own means, called once."""
    script = Script(("find_tools", QUERY), ("desk__open_ticket", TITLE), "They know.")
    asked: list[Any] = []

    def approves(name: str, arguments: Any) -> bool:
        asked.append((name, arguments, list(desk.calls)))
        return True

    main = example("pydantic_ai").main
    assert asyncio.run(main(plan_folder, script.model, QUESTION, approves)) == "They know."
    assert script.declared == [REQUEST_1, REQUEST_2, REQUEST_2]
    assert script.requests[1][1].function_tools[:2] == script.requests[0][1].function_tools
    assert SECTION in (script.requests[0][1].instructions or "")
    assert asked == [("desk__open_ticket", TITLE, [])]
    assert script.told[-1].content == "did open_ticket"
    assert desk.calls == [("open_ticket", TITLE)]


def test_a_no_reaches_no_server(plan_folder: Path, desk: Desk) -> None:
    """G06"""
    script = Script(("find_tools", QUERY), ("desk__open_ticket", TITLE), "Then not.")
    main = example("pydantic_ai").main
    assert asyncio.run(main(plan_folder, script.model, QUESTION, lambda name, arguments: False)) == "Then not."
    assert desk.calls == []


def test_arguments_that_do_not_fit_are_a_retry(session: Any, desk: Desk) -> None:
    """G09: the framework's own notion, bounded by its own count."""
    script = Script(("desk__find_ticket", {"number": "7"}), ("desk__find_ticket", {"config": "a", "number": 7}), "ok")
    session.find_tools("find a ticket by number")
    agent = Agent(script.model, toolsets=[PlanToolset(session)])
    assert asyncio.run(agent.run(QUESTION)).output == "ok"
    retry, done = script.told
    assert retry.outcome == "retried"
    assert "/number" in str(retry.content)
    assert done.content == "did find_ticket"
    assert desk.calls == [("find_ticket", {"config": "a", "number": 7})]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("desk__find_ticket", {"number": 0}), "no such ticket"),
        (("desk__count_tickets", {}), "withheld"),
    ],
)
def test_what_failed_is_told_as_failed(session: Any, call: tuple[str, dict[str, Any]], words: str) -> None:
    """G07: no result, no retry; the model reads why."""
    script = Script(call, "I see.")
    session.find_tools("tickets")
    agent = Agent(script.model, toolsets=[PlanToolset(session)])
    assert asyncio.run(agent.run(QUESTION)).output == "I see."
    (told,) = script.told
    assert told.outcome == "failed"
    assert words in str(told.content)


def test_a_yes_is_for_the_revision_that_was_shown(session: Any, desk: Desk) -> None:
    """G06: somebody said yes to one definition; under another one they are asked again."""
    session.find_tools("open a ticket")
    toolset = PlanToolset(session)
    script = Script(("desk__open_ticket", TITLE), "done")
    agent = Agent(script.model, toolsets=[toolset], output_type=[str, DeferredToolRequests])

    async def main() -> Any:
        first = await agent.run(QUESTION)
        assert isinstance(first.output, DeferredToolRequests)
        (call,) = first.output.approvals
        facts = first.output.metadata[call.tool_call_id]
        assert (facts["server"], facts["tool"], facts["side_effect"]) == ("desk", "open_ticket", "write")
        toolset._asked[call.tool_call_id] = "0" * 64
        results = first.output.build_results(approvals={call.tool_call_id: True})
        second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
        assert isinstance(second.output, DeferredToolRequests)
        assert desk.calls == []
        results = second.output.build_results(approvals={call.tool_call_id: True})
        return await agent.run(message_history=second.all_messages(), deferred_tool_results=results)

    assert asyncio.run(main()).output == "done"
    assert desk.calls == [("open_ticket", TITLE)]


def test_with_a_callback_nobody_else_is_asked(session: Any, desk: Desk) -> None:
    """G06: a host that has its own way keeps it."""
    session.find_tools("open a ticket")
    script = Script(("desk__open_ticket", TITLE), "done")
    agent = Agent(script.model, toolsets=[PlanToolset(session, approve=lambda ask: True)])
    assert asyncio.run(agent.run(QUESTION)).output == "done"
    assert desk.calls == [("open_ticket", TITLE)]


def test_the_packages_own_test_model_is_content(session: Any) -> None:
    """It calls every tool with whatever the schema allows; what it gets wrong never ends the run."""
    agent = Agent(TestModel(), toolsets=[PlanToolset(session)])
    assert asyncio.run(agent.run(QUESTION)).output
