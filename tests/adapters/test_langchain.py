"""A LangChain chat model over a plan, with the package's own fake chat model: no request leaves the machine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from mcpexpose.adapters.langchain import PlanTools
from tests.adapters.chat import script
from tests.adapters.shown import QUERY, QUESTION, REQUEST_1, REQUEST_2, SECTION, TITLE, example, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from langchain_core.messages import ToolMessage

    from tests.fakes.desk import Desk


@pytest.fixture
def session(plan_folder: Path) -> Iterator[Any]:
    made, _ = session_of(plan_folder)
    yield made
    made.plan.runtime.close()


def test_the_example(plan_folder: Path, desk: Desk) -> None:
    """X01, X06, F03, G13, G06: absent from request 1, found, declared in request 2, called through the gate."""
    model = script(
        ("find_tools", QUERY), ("desk__open_ticket", {"title": 5}), ("desk__open_ticket", TITLE), "They know."
    )
    asked: list[Any] = []

    def approves(tool: str, arguments: Any) -> bool:
        asked.append((tool, dict(arguments)))
        return True

    assert asyncio.run(example("langchain").main(plan_folder, model, QUESTION, approves)) == "They know."
    assert model.declared == [REQUEST_1, REQUEST_2, REQUEST_2, REQUEST_2]
    assert model._bound[1][:2] == model._bound[0]
    assert model._bound[1][2]["parameters"]["required"] == ["title"]
    assert SECTION in model._read[0][0].content
    assert [message.status for message in model.told] == ["success", "error", "success"]
    assert "/title" in model.told[1].content
    assert model.told[2].content == "did open_ticket"
    assert asked == [("open_ticket", TITLE)]
    assert desk.calls == [("open_ticket", TITLE)]


def test_a_no_reaches_no_server(plan_folder: Path, desk: Desk) -> None:
    """G06"""
    model = script(("find_tools", QUERY), ("desk__open_ticket", TITLE), "Then not.")
    main = example("langchain").main
    assert asyncio.run(main(plan_folder, model, QUESTION, lambda tool, arguments: False)) == "Then not."
    assert [message.status for message in model.told] == ["success", "error"]
    assert desk.calls == []


@pytest.mark.parametrize("way", ["async", "sync"])
def test_a_tool_is_one_of_langchains_own(session: Any, desk: Desk, way: str) -> None:
    """G06, G07: any agent may invoke it; arguments that are called like LangChain's own reach the server."""
    session.find_tools("tickets by number")
    tools = {tool.name: tool for tool in PlanTools(session).tools()}

    def invoke(name: str, arguments: dict[str, Any]) -> ToolMessage:
        call = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
        if way == "sync":
            return tools[name].invoke(call)
        return asyncio.run(tools[name].ainvoke(call))

    done = invoke("desk__find_ticket", {"config": "a", "number": 7})
    assert (done.content, done.status) == ("did find_ticket", "success")
    assert desk.calls == [("find_ticket", {"config": "a", "number": 7})]
    assert invoke("desk__find_ticket", {"number": 0}).status == "error"
    assert "/number" in invoke("desk__find_ticket", {"number": "7"}).content
    assert invoke("find_tools", QUERY).status == "success"


def test_a_call_of_a_tool_that_is_not_there_is_answered(session: Any) -> None:
    """G04"""
    message = asyncio.run(PlanTools(session).run({"name": "rm", "args": {}, "id": "9", "type": "tool_call"}))
    assert (message.status, message.tool_call_id) == ("error", "9")
    assert "There is no tool" in message.content
