"""`tools/list` of configured servers, all pages, as catalogs. The one work of this package that connects unasked."""

from __future__ import annotations

import dataclasses
import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mcpexpose.client import trouble
from mcpexpose.client.connect import connected, quiet
from mcpexpose.client.era import Handshake, patience
from mcpexpose.client.stderr import StderrTail
from mcpexpose.client.tap import Tap
from mcpexpose.client.target import BadAddress, BadHeader, Launch, Target, launch
from mcpexpose.client.web import HttpStatus
from mcpexpose.model.canonical import canonical
from mcpexpose.model.catalog import Catalog, revision_of
from mcpexpose.model.entry import bad_entry, entry_fault
from mcpexpose.model.freshness import stamp_of
from mcpexpose.model.text import shown
from mcpexpose.model.transport import ReferenceSyntax, UnsetVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp import ClientSession

    from mcpexpose.model.finding import Finding

MAX_PAGES = 1_000
AT_ONCE = 4
"""More would starve each other: package runners that start cold, on a machine with few cores."""

State = Literal["connecting", "listing", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the capture of one server stands."""

    server: str
    state: State
    tools: int = 0
    """How many were listed so far."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What one server gave. Without a catalog, `findings` say why."""

    server: str
    catalog: Catalog | None
    findings: tuple[Finding, ...] = ()
    unavailable: bool = False
    """It could not be reached or asked, as against: it answered, and wrongly."""
    requests: tuple[str | None, ...] = ()
    """The cursors of the list requests that were sent, in order; None asks for the first page."""
    stderr: str = ""
    """The end of what a child wrote there, its secrets struck out; each line escaped, so that it stays one."""


def _silent(progress: Progress) -> None:
    """For whoever does not ask."""


async def capture(
    targets: Sequence[Target],
    *,
    environ: Mapping[str, str],
    on_progress: Callable[[Progress], None] = _silent,
    now: datetime.datetime | None = None,
) -> list[Captured]:
    """One answer for each of TARGETS, in their order; AT_ONCE of them are asked at once.

    The time limit of each counts from its own start.

    Nothing is raised for what servers do, and nothing is written. NOW stamps the catalogs; it has a zone.
    """
    import anyio

    results: list[Captured | None] = [None] * len(targets)
    slots = anyio.Semaphore(AT_ONCE)

    async def one(index: int, target: Target) -> None:
        async with slots:
            results[index] = await _capture_one(target, environ, on_progress, now)

    with quiet():
        async with anyio.create_task_group() as group:
            for index, target in enumerate(targets):
                group.start_soon(one, index, target)
    return [result for result in results if result is not None]


async def _capture_one(
    target: Target,
    environ: Mapping[str, str],
    on_progress: Callable[[Progress], None],
    now: datetime.datetime | None,
) -> Captured:
    server = target.server
    begun = now or datetime.datetime.now(datetime.UTC)  # what changes from here on may not be in the list
    on_progress(Progress(server, "connecting"))
    try:
        started = launch(target, environ)
    except UnsetVariable as error:
        return Captured(server, None, (trouble.env_unset(server, error.name),))
    except (ReferenceSyntax, BadHeader) as error:
        return Captured(server, None, (trouble.failed(server, shown(str(error)), "Mend its table."),))
    except BadAddress as error:
        return Captured(server, None, (trouble.failed(server, shown(str(error)), "Mend `url` in its table."),))
    listing = _Listing(target, started, on_progress)
    with StderrTail() as stderr:
        findings, unavailable = await listing.run(stderr)
        lines = started.strike(stderr.text).rstrip("\r\n").split("\n")
        tail = "\n".join(shown(line.rstrip("\r")) for line in lines)
    if not findings:
        catalog, found = listing.catalog(begun)
        result = Captured(server, catalog, found, False, tuple(listing.requests), tail)
    else:
        result = Captured(server, None, findings, unavailable, tuple(listing.requests), tail)
    on_progress(Progress(server, "done" if result.catalog else "failed", len(listing.entries)))
    return result


class _Listing:
    """One connection, from handshake to the last page."""

    def __init__(self, target: Target, started: Launch, on_progress: Callable[[Progress], None]) -> None:
        self.target = target
        self.started = started
        self.on_progress = on_progress
        self.requests: list[str | None] = []
        self.entries: list[Any] = []
        self.pages: list[Mapping[str, Any]] = []
        self.head: dict[str, Any] = {}

    async def run(self, stderr: StderrTail) -> tuple[tuple[Finding, ...], bool]:
        """What went wrong, and whether the server was unavailable; nothing where all pages are in."""
        import anyio

        limit = self.target.transport.startup_timeout_s
        deadline = anyio.current_time() + limit
        wait = patience(limit) if self.target.patience_s is None else self.target.patience_s
        # HTTP+SSE was withdrawn before 2026-07-28.
        handshake = Handshake("old" if self.target.transport.kind == "sse" else "either", wait)
        problem = await self._attempt(stderr, deadline, handshake)
        if handshake.spoiled and not problem:
            # It was slow and is well: the limit begins anew, for a start that finds everything installed.
            deadline = anyio.current_time() + limit
            problem = await self._again(stderr, deadline, Handshake("new", wait))
        elif problem and problem.lost and not self.pages and self.target.transport.kind == "stdio":
            if not self.head:
                # A server of before 2026-07-28 may end at the first message that is no `initialize`.
                problem = await self._again(stderr, deadline, Handshake("old", wait))
            elif handshake.both:
                # And one of after it at an `initialize`.
                problem = await self._again(stderr, deadline, Handshake("new", wait))
        return ((problem.finding,), problem.unavailable) if problem else ((), False)

    async def _again(self, stderr: StderrTail, deadline: float, handshake: Handshake) -> trouble.Trouble | None:
        """Once more, with a process or connection that has heard nothing yet."""
        self.requests.clear()
        return await self._attempt(stderr, deadline, handshake)

    async def _attempt(self, stderr: StderrTail, deadline: float, handshake: Handshake) -> trouble.Trouble | None:
        import anyio

        target = self.target
        status = HttpStatus()
        problems: list[trouble.Trouble] = []
        with anyio.CancelScope(deadline=deadline) as scope:

            def broken(sentence: str) -> None:
                problems.append(trouble.answered(target.server, self._where(), sentence))
                scope.cancel()

            tap = Tap(broken)
            try:
                async with connected(
                    self.started,
                    target.transport.kind,
                    tap,
                    stderr,
                    status,
                    handshake,
                    limit_s=target.transport.startup_timeout_s,
                ) as session:
                    self._note_head(session)
                    if not handshake.spoiled and (problem := await self._pages(session, tap)):
                        problems.append(problem)
            except Exception as error:
                if not problems:
                    problems.append(trouble.of_exception(error, target, self.started, status.code, self._where()))
        if scope.cancelled_caught and not problems:
            problems.append(trouble.timed_out(target, self._where()))
        return problems[0] if problems else None

    async def _pages(self, session: ClientSession, tap: Tap) -> trouble.Trouble | None:
        from mcp_types import PaginatedRequestParams

        server = self.target.server
        cursor: str | None = None
        seen: set[str] = set()
        while True:
            if len(self.requests) == MAX_PAGES:
                return trouble.too_many_pages(server, MAX_PAGES)
            self.requests.append(cursor)
            await session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor is not None else None)
            page = tap.pages[-1]
            if sentence := _page_fault(page):
                return trouble.answered(server, self._where(), sentence)
            self.pages.append(page)
            self.entries += page["tools"]
            self.on_progress(Progress(server, "listing", len(self.entries)))
            cursor = page.get("nextCursor")
            if cursor in seen:
                return trouble.loop(server, self.started.strike(cursor), len(self.requests))
            if len(self.entries) > self.target.max_tools:
                pages = len(self.requests)
                return trouble.too_many_tools(server, self.target.max_tools, pages, goes_on=cursor is not None)
            if cursor is None:
                return None
            seen.add(cursor)

    def _note_head(self, session: ClientSession) -> None:
        info = session.server_info
        self.head = {
            "protocol": session.protocol_version,
            "server_info": info.model_dump(mode="json", by_alias=True, exclude_none=True) if info else None,
            "instructions": session.instructions,
        }

    def _where(self) -> str:
        return f"page {len(self.requests)} of its tools" if self.requests else trouble.HANDSHAKE

    def catalog(self, now: datetime.datetime) -> tuple[Catalog | None, tuple[Finding, ...]]:
        """The catalog of all pages, what is no tool set aside; None where a value of it is no JSON."""
        server = self.target.server
        findings: list[Finding] = []
        tools: list[Mapping[str, Any]] = []
        for index, entry in enumerate(self.entries):
            try:
                canonical(entry)
            except ValueError as error:
                return None, (trouble.not_json(server, index, entry, str(error)),)
            if fault := entry_fault(entry):
                findings.append(bad_entry(server, index, fault, None))
            else:
                tools.append(entry)
        ttls = [page["ttlMs"] for page in self.pages if type(page.get("ttlMs")) is int]
        scopes = {page["cacheScope"] for page in self.pages if page.get("cacheScope") in ("public", "private")}
        catalog = Catalog(
            server,
            tuple(tools),
            indices=tuple(range(len(tools))),
            captured_at=stamp_of(now),
            ttl_ms=max(min(ttls), 0) if ttls else None,
            cache_scope=("private" if "private" in scopes else "public") if scopes else None,
            revision=revision_of(server, tools),
            **self.head,
        )
        try:
            canonical([catalog.instructions, catalog.server_info])
        except ValueError:
            catalog = dataclasses.replace(catalog, instructions=None, server_info=None)
        return catalog, tuple(findings)


def _page_fault(page: Mapping[str, Any]) -> str:
    """Why a result is no page of tools; "" where it is one."""
    if page.get("resultType", "complete") != "complete":
        return "it asked for something in place of listing its tools"
    if not isinstance(page.get("tools"), list):
        return "its answer holds no list of tools"
    if not isinstance(page.get("nextCursor"), str | None):
        return "its cursor is no text"
    return ""
