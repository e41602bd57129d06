"""LangChain's fake chat model with a script, for its tests here; imported where LangChain is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from collections.abc import Sequence


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
