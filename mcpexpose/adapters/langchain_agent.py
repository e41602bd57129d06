"""A session as middleware of LangChain's `create_agent`: tools that a search adds, approvals as interrupts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcpexpose.adapters.langchain import PlanTools
from mcpexpose.adapters.model_tools import missing

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import SystemMessage
    from langgraph.types import interrupt
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing("langchain"), name=error.name) from error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcpexpose.host.outcome import Approve, Ask, Reduce, Through
    from mcpexpose.host.session import Session


class PlanMiddleware(AgentMiddleware[Any, Any, Any]):
    """The tools of one session beside the agent's own. A call that somebody has to approve interrupts the run with a
    `HITLRequest` of one action (the agent needs a checkpointer) and goes on with `Command(resume={"decisions": […]})`,
    unless APPROVE is given. What is refused is a `ToolMessage` with status "error".
    """

    def __init__(
        self,
        session: Session,
        *,
        through: Through | None = None,
        reduce: Reduce | None = None,
        approve: Approve | None = None,
    ) -> None:
        super().__init__()
        self.tools = []
        self._plan = PlanTools(session, through=through, reduce=reduce, approve=approve)
        self._asked: dict[str, tuple[str, str]] = {}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(self._told(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return await handler(self._told(request))

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request) if request.tool is not None else asyncio.run(self._answer(request))

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return await handler(request) if request.tool is not None else await self._answer(request)

    def _told(self, request: Any) -> Any:
        """The request with the session's tools behind the agent's own, and the servers section behind its prompt."""
        section = self._plan.system()
        said = request.system_message
        parts = [text for text in (said.text if said is not None else "", section) if text]
        system = SystemMessage("\n\n".join(parts)) if section else said
        return request.override(tools=[*request.tools, *self._plan.tools()], system_message=system)

    async def _answer(self, request: Any) -> Any:
        call = request.tool_call

        def review(ask: Ask) -> bool:
            # A yes is for the arguments and the definition that were shown to whoever gave it.
            shown = self._asked.setdefault(call["id"], (ask.revision, ask.digest))
            given = interrupt(_review(call["name"], ask))
            self._asked.pop(call["id"], None)
            return _is_yes(given) and shown == (ask.revision, ask.digest)

        return await self._plan.run(call, review)


def _review(name: str, ask: Ask) -> dict[str, Any]:
    """What LangChain's own middleware for people in the loop would put before them."""
    facts = f"{ask.server}/{ask.tool} at revision {ask.revision[:8]}, side effect: {ask.side_effect.value}"
    return {
        "action_requests": [{"name": name, "args": dict(ask.arguments), "description": facts}],
        "review_configs": [{"action_name": name, "allowed_decisions": ["approve", "reject"]}],
    }


def _is_yes(given: Any) -> bool:
    """Anything but one plain approval is a no: an edited action is another call, for the model to propose."""
    return isinstance(given, dict) and given.get("decisions") == [{"type": "approve"}]
