"""Which era a capture records is the server's to say, however late it begins to read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from mcpexpose.client.capture import Captured, capture
from mcpexpose.client.era import patience
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport
from tests.fakes import control, sdk_server
from tests.fakes.web import body_of, handshake_only, respond, serving

if TYPE_CHECKING:
    from collections.abc import Sequence

NEW, OLD = "2026-07-28", "2025-11-25"
LATE = Path(__file__).parent.parent / "fakes" / "late.py"
SDK_SERVER = Path(sdk_server.__file__)
TOOLS = [{"name": "a", "inputSchema": {"type": "object"}}]


def run(target: Target) -> Captured:
    async def main() -> list[Captured]:
        return await capture([target], environ={})

    (captured,) = anyio.run(main)
    return captured


def asked(folder: Path, program: Sequence[str], *, patience_s: float | None = None, timeout: float = 120) -> Captured:
    transport = Transport("stdio", program[0], tuple(program[1:]), startup_timeout_s=timeout)
    return run(Target("s", transport, base=folder, patience_s=patience_s))


def late(folder: Path, program: Sequence[str]) -> list[str]:
    """PROGRAM, which reads nothing before both questions are on their way."""
    return [sys.executable, str(LATE), str(folder / "late"), "initialize", *program]


def fake(folder: Path, **script: Any) -> list[str]:
    control.serve(folder, "s", **{"tools": TOOLS, **script})
    program, arguments = control.command(folder, "s")
    return [program, *arguments]


def protocol(captured: Captured) -> str | None:
    assert captured.catalog is not None, captured.findings
    assert [tool["name"] for tool in captured.catalog.tools] == ["a"]
    assert captured.requests == (None,)
    return captured.catalog.protocol


def handshakes(folder: Path) -> list[str]:
    methods = [entry["method"] for entry in control.received(folder, "s")]
    return [method for method in methods if method in ("server/discover", "initialize")]


def test_a_server_of_the_new_era_is_not_asked_for_the_old_one(tmp_path: Path) -> None:
    assert protocol(asked(tmp_path, fake(tmp_path, protocol=NEW, second_handshake="error"))) == NEW
    assert handshakes(tmp_path) == ["server/discover"]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "era"), [([], NEW), (["--old"], OLD)])
def test_a_real_server_that_starts_late_is_captured_in_its_own_era(
    tmp_path: Path, options: list[str], era: str
) -> None:
    program = [sys.executable, str(SDK_SERVER), *options, "5", "a"]
    assert protocol(asked(tmp_path, late(tmp_path, program), patience_s=0)) == era
    assert protocol(asked(tmp_path, program)) == era


@pytest.mark.parametrize(("duplicate", "processes"), [("error", 1), ("result", 2), ("exit", 2)])
def test_an_initialize_too_many_changes_nothing_for_a_server_of_the_new_era(
    tmp_path: Path, duplicate: str, processes: int
) -> None:
    """Go servers refuse it; servers of both eras turn into old ones, others end: a fresh process never hears it."""
    program = fake(tmp_path, protocol=NEW, second_handshake=duplicate)
    captured = asked(tmp_path, late(tmp_path, program), patience_s=0)
    assert protocol(captured) == NEW
    assert captured.catalog is not None
    assert (captured.catalog.ttl_ms, captured.catalog.cache_scope) == (0, "private")
    assert handshakes(tmp_path) == ["server/discover", "initialize", *["server/discover"] * (processes - 1)]


@pytest.mark.parametrize("starts_late", [False, True])
@pytest.mark.parametrize("upon_discover", ["error", "silence", "end"])
def test_a_server_of_the_old_era_is_captured_whatever_it_does_upon_an_unknown_method(
    tmp_path: Path, upon_discover: str, starts_late: bool
) -> None:
    """C06: it refuses it, ignores it, or ends; then a fresh process hears `initialize` alone."""
    keys = {"error": {}, "silence": {"hang_on": ["server/discover"]}, "end": {"exit_on": ["server/discover"]}}
    program = fake(tmp_path, protocol=OLD, **keys[upon_discover])
    program = late(tmp_path, program) if starts_late else program
    assert protocol(asked(tmp_path, program, patience_s=0)) == OLD
    assert len(control.starts(tmp_path, "s")) == (2 if upon_discover == "end" else 1)
    assert handshakes(tmp_path).count("initialize") == 1


def test_the_second_question_comes_late_and_with_time_left_for_its_answer() -> None:
    assert patience(8) == 6
    assert patience(600) == 60


def test_a_server_that_answers_nothing_is_given_up_in_time(tmp_path: Path) -> None:
    program = fake(tmp_path, hang_on=["server/discover", "initialize"])
    captured = asked(tmp_path, program, timeout=2)
    assert captured.unavailable
    assert "did not finish the handshake within 2 s" in captured.findings[0].message


def test_a_refusal_of_both_is_told_as_the_server_put_it(tmp_path: Path) -> None:
    captured = asked(tmp_path, fake(tmp_path, protocol="neither", second_handshake="error"))
    assert 'duplicate "initialize" received' in captured.findings[0].message


# HTTP


def held(app: Any) -> Any:
    """APP, which answers `server/discover` only when `initialize` has come, and that only after it."""
    came, done = anyio.Event(), anyio.Event()

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await app(scope, receive, send)
            return
        body = await body_of(receive)
        given = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def again() -> Any:
            return next(given, None) or await receive()

        if b'"initialize"' in body:
            came.set()
            await done.wait()
        if b'"server/discover"' in body:
            await came.wait()
        await app(scope, again, send)
        if b'"server/discover"' in body:
            done.set()

    return wrapped


def deaf_to_discover(app: Any) -> Any:
    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"mcp-method") == b"server/discover":
            while (await receive())["type"] != "http.disconnect":
                pass
            await respond(send, 500, b"", "text/plain")
        else:
            await app(scope, receive, send)

    return wrapped


def test_a_slow_http_server_of_the_new_era_is_captured_as_such() -> None:
    app = sdk_server.build(["a"], 5).streamable_http_app()
    with serving(held(app)) as address:
        captured = run(Target("s", Transport("http", url=f"{address}/mcp", startup_timeout_s=120), patience_s=0))
    assert protocol(captured) == NEW
    assert captured.catalog is not None
    assert (captured.catalog.ttl_ms, captured.catalog.cache_scope) == (60_000, "public")


def test_an_http_server_that_ignores_the_unknown_method_is_of_the_old_era() -> None:
    app = sdk_server.build(["a"], 5).streamable_http_app()
    with serving(deaf_to_discover(handshake_only(app))) as address:
        captured = run(Target("s", Transport("http", url=f"{address}/mcp", startup_timeout_s=120), patience_s=0))
    assert protocol(captured) == OLD
