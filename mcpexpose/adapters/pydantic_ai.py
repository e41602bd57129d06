"""A session as a toolset of Pydantic AI: `Agent(model, toolsets=[PlanToolset(session)])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcpexpose.adapters.model_tools import ModelTools, is_sound, missing
from mcpexpose.host.inspector import Refused

try:
    from pydantic_ai.exceptions import ApprovalRequired, ModelRetry, ToolFailed
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
    from pydantic_core import SchemaValidator, core_schema
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing("pydantic-ai"), name=error.name) from error

if TYPE_CHECKING:
    from pydantic_ai.tools import RunContext

    from mcpexpose.host.outcome import Approve, Ask, Reduce, Through
    from mcpexpose.host.session import Session

_ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""Arguments are held against the pinned schema by the gate, and by nobody before it."""


class PlanToolset(AbstractToolset[Any]):
    """The tools of one session: those of request 1, and from request to request what `find_tools` found.

    A call that somebody has to approve ends the run with `DeferredToolRequests` (give the agent that output type), and
    goes on with `DeferredToolResults`, unless APPROVE is given. A refusal is `ToolFailed`; arguments that do not fit
    are `ModelRetry`, up to MAX_RETRIES times in a row.
    """

    def __init__(
        self,
        session: Session,
        *,
        through: Through | None = None,
        reduce: Reduce | None = None,
        approve: Approve | None = None,
        max_retries: int = 2,
        id: str | None = "mcpexpose",  # noqa: A002 - the framework's word
    ) -> None:
        self._tools = ModelTools(session, through, reduce, approve)
        self._max_retries = max_retries
        self._id = id
        self._asked: dict[str, str] = {}

    @property
    def id(self) -> str | None:
        return self._id

    async def get_instructions(self, ctx: RunContext[Any]) -> InstructionPart | None:
        """The servers section: without it a model does not know what it may search for."""
        section = self._tools.session.prompt_section()
        return InstructionPart(section) if section else None

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        return {each["name"]: self._tool(each) for each in self._tools.declared()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> str:
        def review(ask: Ask) -> bool:
            call = ctx.tool_call_id or ""
            # A yes is for the definition that was shown to whoever gave it.
            if ctx.tool_call_approved and self._asked.pop(call, ask.revision) == ask.revision:
                return True
            self._asked[call] = ask.revision
            facts = {"server": ask.server, "tool": ask.tool, "side_effect": ask.side_effect.value}
            raise ApprovalRequired({**facts, "revision": ask.revision, "reason": ask.reason})

        answer = await self._tools.answer(name, tool_args, review)
        if isinstance(answer, Refused) and answer.reason == "invalid-arguments":
            raise ModelRetry(answer.text)
        if not is_sound(answer):
            raise ToolFailed(answer.text)
        return answer.text

    def _tool(self, declared: dict[str, Any]) -> ToolsetTool[Any]:
        definition = ToolDefinition(
            name=declared["name"],
            description=declared.get("description"),
            parameters_json_schema=declared["inputSchema"],
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=self._max_retries, args_validator=_ANY_OBJECT)
