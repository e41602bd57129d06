"""What goes wrong between us and a server, as findings. No message holds a value out of the environment."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcpexpose.client.target import Launch, Target, address
from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.text import one_line, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 200
_CONNECTION_CLOSED = -32000
_REQUEST_TIMEOUT = -32001
_PARSE_ERROR = -32700
_RUNNERS = frozenset(
    ("npx", "npm", "bunx", "bun", "pnpx", "pnpm", "yarn", "uvx", "uv", "pipx", "dnx", "deno", "docker", "podman")
)

HANDSHAKE = "the handshake"
"""A place in the conversation, as messages name it."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A finding, and what it says about the server."""

    finding: Finding
    unavailable: bool = False
    lost: bool = False
    """The connection ended under us."""


def failed(server: str, sentence: str, advice: str = "") -> Finding:
    """capture-failed. SENTENCE is safe to print."""
    return Finding("capture-failed", Severity.ERROR, f"{shown(server)} was not captured: {sentence}", (server,), advice)


def env_unset(server: str, name: str) -> Finding:
    return Finding(
        "env-unset",
        Severity.ERROR,
        f"{shown(server)} was not captured: the environment variable {shown(name)} is not set",
        (server,),
        f"Set {shown(name)} and capture again.",
        details={"variable": name},
    )


def answered(server: str, where: str, sentence: str) -> Trouble:
    """It was reached, and what it said cannot be used."""
    return Trouble(failed(server, f"at {where}, {sentence}", "Have the server mended, and capture again."))


def timed_out(target: Target, where: str) -> Trouble:
    seconds = f"{target.transport.startup_timeout_s:g}"
    sentence = f"it did not finish {where} within {seconds} s"
    advice = "Give it more time: `startup_timeout_sec` in its table, or --timeout."
    if where == HANDSHAKE and (runner := _runner(target)):
        sentence += f"; {runner} may still be installing what it runs"
        advice = (
            "Run its command once by hand, so that it is installed, or give it more time: "
            "`startup_timeout_sec` in its table, or --timeout."
        )
    return Trouble(failed(target.server, sentence, advice), unavailable=True)


def _runner(target: Target) -> str | None:
    """The program of TARGET's command line that fetches a package before it runs it."""
    transport = target.transport
    if transport.kind != "stdio":
        return None
    words = [word.replace("\\", "/").rpartition("/")[2] for word in (transport.command, *transport.args[:2])]
    return next((runner for word in words if (runner := word.partition(".")[0]) in _RUNNERS), None)


def loop(server: str, cursor: str, pages: int) -> Trouble:
    text = shown(cursor, 100)
    return Trouble(
        Finding(
            "pagination-loop",
            Severity.ERROR,
            f'{shown(server)} was not captured: page {pages} of its tools leads back to the cursor "{text}"',
            (server,),
            "Have the server mended: its last page must have no nextCursor.",
            details={"cursor": cursor[:200]},
        )
    )


def too_many_pages(server: str, limit: int) -> Trouble:
    return Trouble(
        Finding(
            "pagination-limit",
            Severity.ERROR,
            f"{shown(server)} was not captured: its list of tools goes on after {limit:,} pages",
            (server,),
            "Have the server mended: its last page must have no nextCursor.",
        )
    )


def too_many_tools(server: str, limit: int, pages: int, *, goes_on: bool) -> Trouble:
    """GOES_ON: there are more pages, so that nobody knows how many tools it would be, or whether it ever ends."""
    more = f" on {pages:,} {'page' if pages == 1 else 'pages'}, and its list goes on" if goes_on else ""
    return Trouble(
        Finding(
            "pagination-limit",
            Severity.ERROR,
            f"{shown(server)} was not captured: it lists more than {limit:,} tools{more}",
            (server,),
            "Raise [limits] max_tools_per_server if so many are right.",
            details={"limit": limit},
        )
    )


def not_json(server: str, index: int, entry: Any, why: str) -> Finding:
    name = entry.get("name") if isinstance(entry, dict) else None
    tool = shown(f"{server}/{name}", 200) if isinstance(name, str) else f"entry {index} of {shown(server)}"
    subject = f"{server}/{name}" if isinstance(name, str) else server
    return Finding(
        "catalog-invalid-json",
        Severity.ERROR,
        f"{shown(server)} was not captured: {tool} holds what no JSON file can: {why}",
        (server, subject),
        "Have the server mended, and capture again.",
    )


def of_exception(error: BaseException, target: Target, launch: Launch, status: int | None, where: str) -> Trouble:
    """What the SDK, the system or the network threw, in our words: their texts may hold addresses and secrets."""
    server = target.server
    leaves = list(_leaves(error))
    for leaf in leaves:
        if isinstance(leaf, UnicodeDecodeError):
            return answered(server, where, "it sent bytes that are not UTF-8")
        if isinstance(leaf, OSError) and target.transport.kind == "stdio" and where == HANDSHAKE:
            return _not_started(leaf, target, launch)
        if trouble := _of_protocol(leaf, target, launch, status, where):
            return trouble
        if trouble := _of_http(leaf, target, launch, status):
            return trouble
    kind = type(leaves[0]).__name__
    if isinstance(leaves[0], TimeoutError):
        return timed_out(target, where)
    return answered(server, where, f"{kind} was raised")


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _not_started(error: OSError, target: Target, launch: Launch) -> Trouble:
    if error.errno == errno.ENOENT and error.filename == launch.cwd:
        sentence, advice = "its `cwd` is no folder", "Mend `cwd` in its table."
    elif error.errno == errno.ENOENT:
        sentence = f"there is no program {shown(launch.strike(launch.command), _LONGEST)}"
        advice = "Install it, or mend `command`; a bare name is looked up on the PATH."
    else:
        sentence = f"its program did not start: {error.strerror or type(error).__name__}"
        advice = "Mend `command` or `cwd` in its table."
    return Trouble(failed(target.server, sentence, advice), unavailable=True)


def _of_protocol(
    error: BaseException, target: Target, launch: Launch, status: int | None, where: str
) -> Trouble | None:
    from mcp import MCPError

    server = target.server
    if not isinstance(error, MCPError):
        return None
    code = error.error.code
    if code == _REQUEST_TIMEOUT:
        return timed_out(target, where)
    if target.transport.kind != "stdio" and status is not None:
        return _of_status(status, target, launch)
    if code == _CONNECTION_CLOSED:
        ended = "it ended" if target.transport.kind == "stdio" else "it closed the connection"
        advice = "Run it by hand, or capture with --verbose, to see what it says."
        return Trouble(failed(server, f"{ended} during {where}", advice), unavailable=True, lost=True)
    if code == _PARSE_ERROR and target.transport.kind != "stdio":
        return answered(server, where, "it sent a message that cannot be read as JSON-RPC")
    message = shown(one_line(launch.strike(error.error.message)), _LONGEST)
    return answered(server, where, f"it answered with the error {code}: {message}")


def _of_http(error: BaseException, target: Target, launch: Launch, status: int | None) -> Trouble | None:
    import httpx2

    place = shown(address(launch.url), _LONGEST)
    if isinstance(error, httpx2.HTTPStatusError):
        return _of_status(status or error.response.status_code, target, launch)
    if isinstance(error, httpx2.TimeoutException):
        return timed_out(target, HANDSHAKE)
    if isinstance(error, httpx2.ConnectError):
        return Trouble(
            failed(target.server, f"nothing answers at {place}", "Start it, or mend `url` in its table."),
            unavailable=True,
        )
    if isinstance(error, httpx2.TransportError):
        return Trouble(failed(target.server, f"the connection to {place} broke off"), unavailable=True, lost=True)
    return None


def _of_status(status: int, target: Target, launch: Launch) -> Trouble:
    place = shown(address(launch.url), _LONGEST)
    advice = {
        401: "Check the token that its table names.",
        403: "Check the rights of the token that its table names.",
        404: "Mend `url` in its table.",
    }.get(status, "Try again when the server is well.")
    return Trouble(failed(target.server, f"{place} answered with HTTP {status}", advice), unavailable=True)
