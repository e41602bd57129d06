"""What every adapter does: the tools of the next request, and the answer to whatever a model called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.host.inspector import Refused
from mcpexpose.model.plan import SEARCH_TOOL

if TYPE_CHECKING:
    from mcpexpose.host.outcome import Approve, Decision, Outcome, Reduce, Through
    from mcpexpose.host.session import Session
    from mcpexpose.model.answer import Answer

Arguments = Mapping[str, Any] | str | bytes
"""As the model wrote them, or as a framework read them."""


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

    async def answer(self, name: str, arguments: Arguments, approve: Approve | None = None) -> Answer | Outcome:
        """What becomes of a call of NAME; its `text` is for the model. APPROVE stands in where none was given before.

        The definition is inspected for each call, at the plan's revision. Nothing here is raised for what a model got
        wrong; what APPROVE raises comes through, before anything is sent.
        """
        if name == SEARCH_TOOL:
            return self._search(arguments)
        found = self._inspected(name)
        if isinstance(found, Refused):
            return found
        return await self.session.call(
            found, arguments, approve=self.approve or approve, through=self.through, reduce=self.reduce
        )

    def decide(self, name: str, arguments: Arguments) -> Decision | None:
        """What the gate says of a call that is not made yet; None for a search, which needs no gate."""
        if name == SEARCH_TOOL:
            return None
        found = self._inspected(name)
        return found if isinstance(found, Refused) else self.session.check(found, arguments)

    def _search(self, arguments: Arguments) -> Answer:
        try:
            given = json.loads(arguments or "{}") if isinstance(arguments, str | bytes) else arguments
        except (ValueError, RecursionError):
            given = None
        # What is no object has no query, and is answered as that.
        words = given if isinstance(given, Mapping) else {}
        return self.session.find_tools(words.get("query"), words.get("limit"))  # type: ignore[arg-type]

    def _inspected(self, name: str) -> Any:
        known = self.session.lookup(name)
        return self.session.inspect("", str(name)) if known is None else self.session.inspect(known.server, known.name)


def is_sound(answer: Answer | Outcome) -> bool:
    """Whether ANSWER is what was asked for: a search, or a call that completed."""
    return getattr(answer, "outcome", "ok") == "ok"
