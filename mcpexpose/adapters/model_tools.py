"""What every adapter does: the tools of the next request, and the answer to whatever a model called."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcpexpose.host.inspector import Inspection, Refused
from mcpexpose.host.outcome import Ask
from mcpexpose.model.plan import SEARCH_TOOL
from mcpexpose.model.policy import Approval, PolicyState
from mcpexpose.surface.inspections import unknown_name_text

if TYPE_CHECKING:
    from mcpexpose.host.outcome import Approve, Decision, Outcome, Reduce, Through
    from mcpexpose.host.session import Session
    from mcpexpose.model.answer import Answer

Arguments = Mapping[str, Any] | str | bytes
"""As the model wrote them, or as a framework read them."""
Review = Callable[[Ask], bool]
"""Says whether somebody said yes to this, or raises what a framework has for "not yet"."""


def missing(extra: str) -> str:
    """The sentence for a framework that is not installed; EXTRA is named as its package is."""
    return f'this adapter needs {extra}: pip install "mcpexpose[{extra}]"'


@dataclass(frozen=True, slots=True)
class ModelTools:
    """A session and how its calls go. THROUGH, REDUCE and APPROVE are those of `Session.call`."""

    session: Session
    through: Through | None = None
    reduce: Reduce | None = None
    approve: Approve | None = None

    def declared(self) -> list[dict[str, Any]]:
        """Name, description and input schema of each tool of the next request, in order."""
        return self.session.declared()

    def is_declared(self, name: str) -> bool:
        """Whether a tool that was declared once still is: its server may have gone, or the plan its own way."""
        if name == SEARCH_TOOL:
            return True
        known = self.session.lookup(name)
        return known is not None and known.server not in self.session.remembered.unavailable

    async def answer(self, name: str, arguments: Arguments, review: Review | None = None) -> Answer | Outcome:
        """What becomes of a call of NAME; its `text` is for the model.

        The definition is inspected for each call, at the plan's revision. Nothing is raised here for what a model got
        wrong. Without an `approve`, REVIEW is asked before the call is begun, and what it raises comes through: that is
        how frameworks stop a run until somebody has answered.
        """
        if name == SEARCH_TOOL:
            return self._search(arguments)
        found = self._inspected(name)
        approve = self.approve
        if approve is None and review is not None and isinstance(found, Inspection) and not _runs_by_itself(found):
            decision = await self._decided(name, arguments)
            if isinstance(decision, Ask):
                approve = _just_this(decision, review(decision))
            found = self._inspected(name)  # arguments that did not fit voided the inspection
        if isinstance(found, Refused):
            return found
        return await self.session.call(found, arguments, approve=approve, through=self.through, reduce=self.reduce)

    async def decide(self, name: str, arguments: Arguments) -> Decision | None:
        """What the gate says of a call that is not made yet; None for a search, which needs no gate."""
        return None if name == SEARCH_TOOL else await self._decided(name, arguments)

    async def _decided(self, name: str, arguments: Arguments) -> Decision:
        """Beside the event loop, for a schema may take its time; a stale server is asked once, as for a call."""
        found = self._inspected(name)
        if isinstance(found, Refused):
            return found
        decision = await asyncio.to_thread(self.session.check, found, arguments)
        plan = self.session.plan
        if isinstance(decision, Refused) and decision.reason == "stale-revision" and plan.runtime.can_refresh:
            await plan.refresh(found.server)
            found = self._inspected(name)
            if not isinstance(found, Refused):
                decision = await asyncio.to_thread(self.session.check, found, arguments)
        return decision

    def _search(self, arguments: Arguments) -> Answer:
        try:
            given = json.loads(arguments or "{}") if isinstance(arguments, str | bytes) else arguments
        except (ValueError, RecursionError):
            given = None
        # What is no object has no query, and is answered as that.
        words = given if isinstance(given, Mapping) else {}
        return self.session.find_tools(words.get("query"), words.get("limit"))  # type: ignore[arg-type]  # unread

    def _inspected(self, name: str) -> Inspection | Refused:
        known = self.session.lookup(name)
        if known is not None:
            return self.session.inspect(known.server, known.name)
        found = self.session.inspect("", str(name))
        return replace(found, text=unknown_name_text(str(name))) if isinstance(found, Refused) else found


def _runs_by_itself(found: Inspection) -> bool:
    return found.policy_state is PolicyState.ALLOWED and found.approval is Approval.AUTO


def _just_this(asked: Ask, yes: bool) -> Approve:
    """The answer to one question, and to no other."""

    def approve(ask: Ask) -> bool:
        return yes and (ask.revision, ask.digest) == (asked.revision, asked.digest)

    return approve


def is_sound(answer: Answer | Outcome) -> bool:
    """Whether ANSWER is what was asked for: a search, or a call that completed."""
    return getattr(answer, "outcome", "ok") == "ok"
