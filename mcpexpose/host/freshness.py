"""What a server's definitions are worth while a host runs: one small state machine, without clock and without I/O.

    settled ──changed, wanted──> due ──begun──> asking ──ended──> settled
                                  ^               │ └──changed, then ended──> due
                                  └────failed─────┘

A mark says why the definitions are not to be trusted; it goes with a list that was begun after the last change. What
that list was is held against each plan: a plan with another revision is stale for as long as the server lists that.
"""

from __future__ import annotations

from typing import Literal

from mcpexpose.model.records import dataclass, replace

Mark = Literal["", "list-changed", "invalid-arguments"]


@dataclass(frozen=True, slots=True)
class Watch:
    """One server. Made anew at each step."""

    mark: Mark = ""
    """Why it is stale, whatever the plan; "" where nothing speaks against it."""
    due: bool = False
    """A list has to be asked for: something happened after the last one was begun, or none was."""
    asking: bool = False
    """A list is being asked for; never two at a time."""
    seen: str | None = None
    """The revision of the last list that came."""

    def changed(self, why: Mark = "list-changed") -> Watch:
        """The server said that its list changed, or did not know what the list says: stale at once."""
        return replace(self, mark=self.mark or why, due=True)

    def wanted(self) -> Watch:
        """Somebody needs a newer list, for age alone; one that is being asked for will do."""
        return self if self.asking else replace(self, due=True)

    def begun(self) -> Watch:
        """A list is asked for. What happens from here on makes another one due."""
        if self.asking:
            raise ValueError("a list is being asked for already")
        return replace(self, due=False, asking=True)

    def ended(self, revision: str) -> Watch:
        """A list of REVISION came."""
        return replace(self, asking=False, seen=revision, mark=self.mark if self.due else "")

    def failed(self) -> Watch:
        """No list came; another one is due."""
        return replace(self, asking=False, due=True)

    def against(self, pinned: str) -> Mark | Literal["other-revision"]:
        """Why a plan that has PINNED is stale; "" where nothing speaks against it."""
        return "other-revision" if self.seen not in (None, pinned) else self.mark

    @property
    def is_settled(self) -> bool:
        return not self.due and not self.asking
