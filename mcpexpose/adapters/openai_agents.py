"""A session as tools of the OpenAI Agents SDK: `Agent(tools=PlanTools(session))`, a list that a search adds to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.adapters.model_tools import ModelTools, missing
from mcpexpose.host.outcome import Ask

try:
    from agents.tool import FunctionTool, Tool
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing("openai-agents"), name=error.name) from error

if TYPE_CHECKING:
    from agents.agent import AgentBase
    from agents.run_context import RunContextWrapper
    from agents.tool_context import ToolContext

    from mcpexpose.host.outcome import Approve, Reduce, Through
    from mcpexpose.host.session import Session


class PlanTools(list[Tool]):
    """The tools of one session, for one agent: the SDK reads the list for each request.

    A call that somebody has to approve is an interruption of the run (`RunState.approve`, `reject`), unless APPROVE is
    given. What is refused is told to the model. `always_approve` is the host's own standing yes.
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
        self._tools = ModelTools(session, through, reduce, approve)
        self._asked: dict[str, tuple[str, str]] = {}
        self.grow()

    def instructions(self, context: RunContextWrapper[Any], agent: AgentBase[Any]) -> str:
        """The servers section, as an agent's `instructions`; put your own text before it."""
        return self._tools.session.prompt_section()

    def grow(self) -> None:
        """Append what the session declares by now and the list lacks: it only grows at its end (G13).

        Done after each call; a host does it where a server came back between two runs.
        """
        known = {tool.name for tool in self}
        self.extend(self._tool(each) for each in self._tools.declared() if each["name"] not in known)

    def _tool(self, declared: dict[str, Any]) -> FunctionTool:
        name = declared["name"]

        async def invoke(context: ToolContext[Any], arguments: str) -> str:
            def review(ask: Ask) -> bool:
                # A yes is for the arguments and the definition that were shown to whoever gave it.
                shown = self._asked.pop(context.tool_call_id, (ask.revision, ask.digest))
                yes = context.is_tool_approved(name, context.tool_call_id) is True
                return yes and shown == (ask.revision, ask.digest)

            answer = await self._tools.answer(name, arguments, review)
            self.grow()
            return answer.text

        async def needs_approval(context: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
            if self._tools.approve is not None:
                return False
            decision = await self._tools.decide(name, arguments)
            if isinstance(decision, Ask):
                self._asked[call_id] = (decision.revision, decision.digest)
            return isinstance(decision, Ask)

        def is_declared(context: RunContextWrapper[Any], agent: AgentBase[Any]) -> bool:
            """A server that went away takes its tools out of the next request."""
            return self._tools.is_declared(name)

        return FunctionTool(
            name=name,
            description=declared.get("description") or "",
            params_json_schema=declared["inputSchema"],
            on_invoke_tool=invoke,
            strict_json_schema=False,  # the schema is the server's, and stays as it was reviewed
            is_enabled=is_declared,
            needs_approval=needs_approval,
        )
