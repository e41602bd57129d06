"""Which revision a server speaks: asked in a way in which its speed has no say.

`server/discover` goes first and waits as long as the whole capture may take. Where it is answered, that decides. Where
no answer came for three quarters of the limit, at most 60 s, `initialize` is sent behind it on the same connection, and
both wait on: a server that is merely slow reads them in order and answers the first one first; one that answers only
the second does not know the first. Whatever says yes to `server/discover` is of the 2026-07-28 era; where it took the
`initialize` behind it all the same, that connection may have changed its era and is not to be used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import anyio

if TYPE_CHECKING:
    from mcp import ClientSession

Era = Literal["either", "new", "old"]

LONGEST_PATIENCE_S = 60.0
_STRAGGLER_S = 1.0
"""For the other answer of a server that works on several requests at once."""


def patience(limit_s: float) -> float:
    """How long `server/discover` stands alone, where a capture may take LIMIT_S seconds."""
    return min(limit_s * 3 / 4, LONGEST_PATIENCE_S)


class Handshake:
    """How a server is greeted, and what came of it."""

    def __init__(self, which: Era, patience_s: float) -> None:
        self.era = which
        self.patience_s = patience_s
        self.both = False
        """Both questions had to be asked."""
        self.spoiled = False
        """It is of the new era, and has not refused the `initialize` of the old one."""

    async def agree(self, session: ClientSession) -> None:
        """Raises whatever the SDK raises."""
        if self.era == "old":
            await session.initialize()
        elif self.era == "new":
            await session.discover()
        else:
            await _Question(session).ask(self)


class _Question:
    """Both at once, where need be."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session
        self.found: Any = None  # what a server of the new era answered
        self.answered = anyio.Event()
        self.refused = False

    async def ask(self, handshake: Handshake) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._new)
            with anyio.move_on_after(handshake.patience_s):
                await self.answered.wait()
            if self.found is None:
                handshake.both = not self.answered.is_set()
                group.start_soon(self._enough, group.cancel_scope)
                await self._old()
            group.cancel_scope.cancel()
        if self.found is not None:
            handshake.spoiled = handshake.both and not self.refused
            self.session.adopt(self.found)  # once more: the answer to `initialize` may have come after it

    async def _enough(self, scope: anyio.CancelScope) -> None:
        await self.answered.wait()
        if self.found is not None:
            await anyio.sleep(_STRAGGLER_S)
            scope.cancel()

    async def _new(self) -> None:
        from mcp import MCPError
        from pydantic import ValidationError

        try:
            self.found = await self.session.discover()
        except MCPError as error:
            if _is_of_another_new_era(error):
                raise
        except (ValidationError, RuntimeError):  # an answer of another shape, or without a revision that we share
            pass
        self.answered.set()

    async def _old(self) -> None:
        from mcp import MCPError
        from pydantic import ValidationError

        try:
            await self.session.initialize()
        except (MCPError, ValidationError, RuntimeError):
            # Perhaps since it is one too many, for a server that is about to answer the other.
            await self.answered.wait()
            if self.found is None:
                raise
            self.refused = True
        else:
            with anyio.move_on_after(_STRAGGLER_S):
                await self.answered.wait()


def _is_of_another_new_era(error: Any) -> bool:
    """Whether it names the revisions that it speaks, and `initialize` opens none of them."""
    from mcp_types import UNSUPPORTED_PROTOCOL_VERSION
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    if error.error.code != UNSUPPORTED_PROTOCOL_VERSION or not isinstance(error.error.data, dict):
        return False
    supported = error.error.data.get("supported")
    return isinstance(supported, list) and not any(version in HANDSHAKE_PROTOCOL_VERSIONS for version in supported)
