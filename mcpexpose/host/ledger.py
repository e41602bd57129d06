"""What must outlive a host: calls whose fate is open, and approvals. A small SQLite file; digests, never arguments.

A call that may change something is written here before it is sent, so that a host that is killed leaves it behind.
Several processes may use one file: whoever asks and whoever answers need not be the same.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mcpexpose.model.canonical import digest
from mcpexpose.model.errors import McpexposeError
from mcpexpose.model.jsonform import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcpexpose.model.transport import Transport

_log = logging.getLogger(__name__)

FILE = "runs.sqlite"
_BUSY_S = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, place TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, revision TEXT NOT NULL,
    digest TEXT NOT NULL, run_id TEXT NOT NULL, at TEXT NOT NULL, state TEXT NOT NULL, call TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS approvals (
    id TEXT PRIMARY KEY, scope TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, revision TEXT NOT NULL,
    digest TEXT NOT NULL, run_id TEXT NOT NULL, at TEXT NOT NULL, state TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS approvals_of ON approvals (scope, tool, revision, state);
"""
_PARTS = 5
"""Tables and indexes, with those that SQLite makes for the keys."""

Settlement = Literal["completed", "not-completed"]


class LedgerUnavailable(McpexposeError):
    """The file cannot be read or written; nothing that needs it is done (exit 2)."""

    exit_code = 2


class EqualCallOpen(McpexposeError):
    """An equal call was begun before, and is not settled."""


class ApprovalGone(McpexposeError):
    """Somebody else used the approval up."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a call, or an approval of one, is bound to."""

    scope: str
    """Digest of the server and the way to it, credentials by the names of their variables, for approvals: two projects
    may use one id for different servers."""
    place: str
    """The same for open calls, but for what an operator may change after a call was lost: arguments, limits."""
    server: str
    tool: str
    revision: str
    digest: str
    """Of the canonical arguments."""

    @classmethod
    def of(cls, server: str, transport: Transport, tool: str, revision: str, arguments: str) -> Bound:
        scope = [server, to_json(replace(transport, tool_timeout_s=0.0, startup_timeout_s=0.0))]
        place = [server, transport.kind, transport.command, transport.url]
        return cls(digest(scope), digest(place), server, tool, revision, arguments)

    @property
    def key(self) -> str:
        """The same for equal calls, whatever the revision: 32 hexadecimal digits."""
        return digest([self.place, self.tool, self.digest])[:32]


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A call that was begun and is not settled."""

    key: str
    server: str
    tool: str
    revision: str
    run_id: str
    at: str
    """When it was sent, RFC 3339."""
    state: Literal["sent", "unknown"]
    """Sent: it is on its way, or its host ended; unknown: it timed out or lost its connection."""


@dataclass(frozen=True, slots=True)
class Request:
    """An approval that somebody waits for, or that was given and is not used yet."""

    id: str
    server: str
    tool: str
    revision: str
    digest: str
    run_id: str
    at: str
    state: Literal["asked", "granted", "denied"]


_OF_PARENTS: list[sqlite3.Connection] = []
"""What a forked process found open. SQLite forbids it to close them, which to forget them would do."""


class Ledger:
    """The file at PATH, made when it is first written to, for its owner alone. Used by any number of threads."""

    def __init__(self, path: str | Path | None = None) -> None:
        self._connection: sqlite3.Connection | None = None
        self._given = None if path is None else Path(path)
        self._lock = threading.Lock()
        self._identity: tuple[int, int] | None = None
        self._pid = 0

    @property
    def path(self) -> Path:
        """Without one, `runs.sqlite` in this user's state folder."""
        if self._given is None:
            from mcpexpose.client.consent import state_folder

            self._given = state_folder(os.environ) / FILE
        return self._given

    # calls

    def open_run(self, bound: Bound) -> OpenRun | None:
        """The unsettled call that is equal to this one. Raises LedgerUnavailable."""
        with self._used("DEFERRED") as rows:
            found = rows.execute(f"SELECT {_RUN} FROM runs WHERE key = ?", (bound.key,)).fetchone()
        return OpenRun(*found) if found else None

    def open_runs(self) -> tuple[OpenRun, ...]:
        """All unsettled calls, the oldest first. Raises LedgerUnavailable."""
        if not self.path.exists():
            return ()
        with self._used("DEFERRED") as rows:
            return tuple(OpenRun(*row) for row in rows.execute(f"SELECT {_RUN} FROM runs ORDER BY at, key"))

    def begin(self, bound: Bound, run_id: str, at: str, *, approval: bool) -> str:
        """Note that the call is about to be sent, and use up one approval of it where APPROVAL says so: both or none.

        Gives a word for this very call. Raises EqualCallOpen, ApprovalGone, LedgerUnavailable.
        """
        call = uuid.uuid4().hex
        with self._used() as rows:
            if approval:
                _take(rows, bound)
            row = (bound.key, bound.place, bound.server, bound.tool, bound.revision, bound.digest, run_id, at, "sent")
            try:
                rows.execute(f"INSERT INTO runs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, call))
            except sqlite3.IntegrityError:
                raise EqualCallOpen("an equal call is not settled") from None
        return call

    def undo(self, bound: Bound, run_id: str, at: str, *, call: str, approval: bool) -> None:
        """The call was never sent: as if it had never begun, its approval good again where APPROVAL was used up.

        Raises LedgerUnavailable; then it stays open.
        """
        with self._used() as rows:
            _close_run(rows, bound, call)
            if approval:
                _insert(rows, bound, run_id, at, "granted")

    def unknown(self, bound: Bound, call: str = "") -> None:
        """The call gave no answer. Raises LedgerUnavailable; then it stays as sent, which is as open."""
        with self._used() as rows:
            rows.execute("UPDATE runs SET state = 'unknown' WHERE key = ? AND ? IN ('', call)", (bound.key, call))

    def end(self, bound: Bound, call: str = "") -> None:
        """The call was answered. Raises LedgerUnavailable; then it stays open. CALL is the word of `begin`: somebody
        may have settled the call while it was on its way, and an equal one that was begun since stays open.
        """
        with self._used() as rows:
            _close_run(rows, bound, call)

    def settle(self, key: str) -> OpenRun | None:
        """Close an open call: somebody looked what the server did. None where there is no such call."""
        with self._used() as rows:
            found = rows.execute(f"DELETE FROM runs WHERE key = ? RETURNING {_RUN}", (key,)).fetchone()
        return OpenRun(*found) if found else None

    # approvals

    def standing(self, bound: Bound) -> Literal["", "granted", "other"]:
        """Whether an approval stands for this call; "other": only for other arguments. Raises LedgerUnavailable."""
        with self._used("DEFERRED") as rows:
            found = rows.execute(
                "SELECT DISTINCT digest FROM approvals WHERE scope = ? AND tool = ? AND revision = ?"
                " AND state = 'granted'",
                (bound.scope, bound.tool, bound.revision),
            ).fetchall()
        if not found:
            return ""
        return "granted" if (bound.digest,) in found else "other"

    def grant(self, bound: Bound, run_id: str, at: str) -> str:
        """One approval of exactly this call, to be used once; its id. Raises LedgerUnavailable."""
        return self._put(bound, run_id, at, "granted")

    def ask(self, bound: Bound, run_id: str, at: str) -> str:
        """Put a question into the queue; its id. Raises LedgerUnavailable."""
        return self._put(bound, run_id, at, "asked")

    def take(self, bound: Bound) -> None:
        """Use up one approval. Raises ApprovalGone, LedgerUnavailable."""
        with self._used() as rows:
            _take(rows, bound)

    def requests(self) -> tuple[Request, ...]:
        """What is asked, granted or denied and not used or withdrawn yet, the oldest first."""
        with self._used("DEFERRED") as rows:
            return tuple(Request(*row) for row in rows.execute(f"SELECT {_REQUEST} FROM approvals ORDER BY at, id"))

    def request(self, number: str) -> Request | None:
        """One question by its id, answered or not; None where it is not there any more. Raises LedgerUnavailable."""
        with self._used("DEFERRED") as rows:
            found = rows.execute(f"SELECT {_REQUEST} FROM approvals WHERE id = ?", (number,)).fetchone()
        return Request(*found) if found else None

    def answer(self, number: str, *, yes: bool) -> bool:
        """Answer a question; False where nobody waits for an answer to it."""
        with self._used() as rows:
            done = rows.execute(
                "UPDATE approvals SET state = ? WHERE id = ? AND state = 'asked'",
                ("granted" if yes else "denied", number),
            )
            return done.rowcount == 1

    def withdraw(self, number: str) -> Request | None:
        """Take a question out again; the question as it was, answered or not. None where it is not there any more."""
        with self._used() as rows:
            found = rows.execute(f"DELETE FROM approvals WHERE id = ? RETURNING {_REQUEST}", (number,)).fetchone()
        return Request(*found) if found else None

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._lock:
            self._let_go()

    def __del__(self) -> None:
        self._let_go()  # nobody has to close a ledger; from Python 3.13 on a connection that is left open warns of it

    def _put(self, bound: Bound, run_id: str, at: str, state: str) -> str:
        with self._used() as rows:
            return _insert(rows, bound, run_id, at, state)

    @contextmanager
    def _used(self, how: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """A transaction: all of it, or nothing. DEFERRED is for reading, which waits for nobody."""
        if not self._lock.acquire(timeout=2 * _BUSY_S):  # threads that wait for another process, one after the other
            raise LedgerUnavailable("the record of open calls cannot be used: it is held by somebody else")
        try:
            rows = self._open()
            rows.execute(f"BEGIN {how}")
            try:
                yield rows
            except BaseException:
                with suppress(sqlite3.Error):
                    rows.execute("ROLLBACK")
                raise
            rows.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self._let_go()  # the next use begins anew: a full disk may have room again
            code = getattr(error, "sqlite_errorcode", None)
            why = "it is no SQLite file" if code == sqlite3.SQLITE_NOTADB else type(error).__name__
            # Calls are refused for it, and neither events nor models may be told a path.
            _log.warning("the record of open calls %s cannot be used: %s", self.path, error)
            raise LedgerUnavailable(f"the record of open calls cannot be used: {why}") from error
        finally:
            self._lock.release()

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            if self._pid == os.getpid() and _identity(self.path) == self._identity:
                return self._connection
            self._let_go()  # somebody removed or replaced it: what is there now is what other processes see
        path = self.path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # For its owner alone; SQLite gives its journal the same rights. A file that is there is not even opened: to
        # close it again would drop the locks of another connection of this process.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._pid, self._identity = connection, os.getpid(), _identity(path)
        return connection

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._pid != os.getpid():
            _OF_PARENTS.append(connection)
        elif connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    end = time.monotonic() + _BUSY_S
    while True:
        try:
            # Another process may be about it as well, and SQLite waits for nobody here.
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode=WAL")
            # A call must not be sent before its row would survive the loss of power.
            connection.execute("PRAGMA synchronous=FULL")
            if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] < _PARTS:
                connection.executescript(_SCHEMA)
            if not any(column[1] == "call" for column in connection.execute("PRAGMA table_info(runs)")):
                connection.execute("ALTER TABLE runs ADD COLUMN call TEXT NOT NULL DEFAULT ''")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


_COLUMNS = "key, place, server, tool, revision, digest, run_id, at, state, call"
_RUN = "key, server, tool, revision, run_id, at, state"
_REQUEST = "id, server, tool, revision, digest, run_id, at, state"


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_dev, there.st_ino


def _close_run(rows: sqlite3.Connection, bound: Bound, call: str) -> None:
    rows.execute("DELETE FROM runs WHERE key = ? AND ? IN ('', call)", (bound.key, call))


def _insert(rows: sqlite3.Connection, bound: Bound, run_id: str, at: str, state: str) -> str:
    number = uuid.uuid4().hex
    row = (number, bound.scope, bound.server, bound.tool, bound.revision, bound.digest, run_id, at, state)
    rows.execute("INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    return number


def _take(rows: sqlite3.Connection, bound: Bound) -> None:
    done = rows.execute(
        "DELETE FROM approvals WHERE id = (SELECT id FROM approvals WHERE scope = ? AND tool = ? AND revision = ?"
        " AND digest = ? AND state = 'granted' ORDER BY at, id LIMIT 1)",
        (bound.scope, bound.tool, bound.revision, bound.digest),
    )
    if done.rowcount != 1:
        raise ApprovalGone("the approval was used already")
