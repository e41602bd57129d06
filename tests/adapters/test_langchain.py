"""A LangChain chat model over a plan, with the package's own fake chat model: no request leaves the machine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from mcpexpose.adapters.langchain import PlanTools
from tests.adapters.shown import QUERY, QUESTION, REQUEST_1, REQUEST_2, SECTION, TITLE, example, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.fakes.desk import Desk


class Script(GenericFakeChatModel):
    """The package's fake, which has no `bind_tools`; keeps what was bound and what was read."""

    _bound: list[list[dict[str, Any]]] = PrivateAttr(default_factory=list)
    _read: list[list[Any]] = PrivateAttr(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Any:
        self._bound.append([convert_to_openai_tool(tool)["function"] for tool in tools])
        return self

    def _generate(self, messages: list[Any], *rest: Any, **more: Any) -> Any:
        self._read.append(list(messages))
        return super()._generate(messages, *rest, **more)

    @property
    def declared(self) -> list[list[str]]:
        return [[tool["name"] for tool in tools] for tools in self._bound]

    @property
    def told(self) -> list[ToolMessage]:
        return [message for message in self._read[-1] if isinstance(message, ToolMessage)]


def script(*steps: str | tuple[str, dict[str, Any]]) -> Script:
    def said(number: int, step: Any) -> AIMessage:
        if isinstance(step, str):
            return AIMessage(step)
        return AIMessage("", tool_calls=[{"name": step[0], "args": step[1], "id": f"call-{number}"}])

    return Script(messages=iter([said(number, step) for number, step in enumerate(steps)]))


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
