"""Approvals by somebody in another process: the question waits in the ledger, and so does its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpexpose.host.clock import wall
from mcpexpose.host.ledger import Bound
from mcpexpose.host.threads import in_thread
from mcpexpose.model.freshness import stamp_of

if TYPE_CHECKING:
    from mcpexpose.host.ledger import Ledger
    from mcpexpose.host.outcome import Ask

_LOOK_S = 0.1


class ApprovalQueue:
    """To be given as `approve=`: puts each question into LEDGER and waits up to WAIT_S seconds for its answer.

    The question holds server, tool, revision and the digest of the arguments. Whoever answers, with `Ledger.answer`,
    has the arguments from the host, and knows by `Ask.digest` that they are the same.
    """

    def __init__(self, ledger: Ledger, *, wait_s: float = 300.0, run_id: str = "") -> None:
        self._ledger = ledger
        self._wait_s = wait_s
        self._run_id = run_id

    async def __call__(self, ask: Ask) -> bool:
        """Whether somebody said yes in time. What nobody answered is withdrawn. Raises LedgerUnavailable."""
        import asyncio

        bound = Bound("", "", ask.server, ask.tool, ask.revision, ask.digest)
        ledger = self._ledger
        number = await in_thread(ledger.ask, bound, self._run_id, stamp_of(wall()), pool="disk")
        loop = asyncio.get_running_loop()
        end = loop.time() + self._wait_s
        try:
            while loop.time() < end:
                request = await in_thread(ledger.request, number, pool="disk")
                if request is None or request.state != "asked":
                    break
                await asyncio.sleep(_LOOK_S)
        except BaseException:
            await asyncio.shield(in_thread(ledger.withdraw, number, pool="disk"))
            raise
        # Who answered at the last moment was told that the answer counts: what was withdrawn says whether it was a yes.
        request = await in_thread(ledger.withdraw, number, pool="disk")
        return request is not None and request.state == "granted"
