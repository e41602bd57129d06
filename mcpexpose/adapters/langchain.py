"""A session as tools of LangChain: `model.bind_tools(plan_tools.tools())` for each request, `run` for each call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcpexpose.adapters.model_tools import ModelTools, is_sound, missing

try:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool, ToolException
    from pydantic import Field
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing("langchain"), name=error.name) from error

if TYPE_CHECKING:
    from langchain_core.messages import ToolCall

    from mcpexpose.adapters.model_tools import Review
    from mcpexpose.host.outcome import Approve, Reduce, Through
    from mcpexpose.host.session import Session


class PlanTool(BaseTool):
    """One tool of a session. What is refused or fails is a `ToolException`, handled: a message with status "error"."""

    tools: Any = Field(exclude=True, repr=False)
    """A `ModelTools`, which pydantic has no business to look into."""
    handle_tool_error: Any = True

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[Any, dict[str, Any]]:
        """Arguments stay one value: as keywords, one that is called `config` would be mistaken for LangChain's own."""
        return (tool_input,), {}

    def _run(self, arguments: dict[str, Any] | str) -> str:
        return asyncio.run(self._arun(arguments))

    async def _arun(self, arguments: dict[str, Any] | str) -> str:
        answer = await self.tools.answer(self.name, arguments)
        if not is_sound(answer):
            raise ToolException(answer.text)
        text: str = answer.text
        return text


class PlanTools:
    """The tools of one session. LangChain's core has no notion of approval: APPROVE is asked, and without it what
    needs one is refused. For agents of `create_agent` see `langchain_agent.PlanMiddleware`.
    """

    def __init__(
        self,
        session: Session,
        *,
        through: Through | None = None,
        reduce: Reduce | None = None,
        approve: Approve | None = None,
    ) -> None:
        self._tools = ModelTools(session, through, reduce, approve)

    def system(self) -> str:
        """The servers section, for the system message; "" where nothing is to be searched for."""
        return self._tools.session.prompt_section()

    def tools(self) -> list[BaseTool]:
        """The tools of the next request: bind them anew for each, since a search adds some."""
        return [
            PlanTool(
                name=each["name"],
                description=each.get("description") or "",
                args_schema=each["inputSchema"],
                tools=self._tools,
            )
            for each in self._tools.declared()
        ]

    async def run(self, call: ToolCall, review: Review | None = None) -> ToolMessage:
        """The message that answers CALL; with status "error" for what is refused, and for a tool that is not there.

        REVIEW is that of `ModelTools.answer`.
        """
        answer = await self._tools.answer(call["name"], call["args"], review)
        status = "success" if is_sound(answer) else "error"
        return ToolMessage(answer.text, tool_call_id=call["id"], name=call["name"], status=status)
