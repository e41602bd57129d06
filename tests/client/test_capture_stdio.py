"""Capture over stdio: real servers of the SDK in both eras, and scripted ones that misbehave."""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from mcpexpose.client.capture import MAX_PAGES, Captured, Progress, capture
from mcpexpose.client.target import Target
from mcpexpose.model.catalog import revision_of
from mcpexpose.model.finding import Finding, Severity
from mcpexpose.model.transport import Transport
from tests.fakes import control

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SDK_SERVER = Path(__file__).parent.parent / "fakes" / "sdk_server.py"
NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
ENVIRON = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "T", "inputSchema": {"type": "object", "properties": {}}} | more


def target(scripts: Path, server: str, *, timeout: float = 60, **transport: Any) -> Target:
    command, args = control.command(scripts, server)
    given = {"command": command, "args": tuple(args), "startup_timeout_s": timeout} | transport
    return Target(server, Transport("stdio", **given), base=scripts)


def run(targets: Sequence[Target], environ: Mapping[str, str] = ENVIRON, **more: Any) -> list[Captured]:
    async def main() -> list[Captured]:
        return await capture(targets, environ=environ, now=NOW, **more)

    return anyio.run(main)


def served(tmp_path: Path, *, timeout: float = 60, **script: Any) -> Captured:
    control.serve(tmp_path, "s", **script)
    (captured,) = run([target(tmp_path, "s", timeout=timeout)])
    return captured


def failure(captured: Captured) -> Finding:
    assert captured.catalog is None
    (finding,) = captured.findings
    assert finding.severity is Severity.ERROR
    assert finding.subjects[0] == captured.server
    return finding


def names(captured: Captured) -> list[str]:
    assert captured.catalog is not None, captured.findings
    return [str(each["name"]) for each in captured.catalog.tools]


# real servers


def test_a_real_server_is_captured_with_all_its_pages(tmp_path: Path) -> None:
    """C06: the SDK's own server, in the revision that it speaks by itself."""
    transport = Transport("stdio", sys.executable, (str(SDK_SERVER), "2", "a", "b", "c", "d", "e"))
    (captured,) = run([Target("sdk", transport, base=tmp_path)])
    assert names(captured) == ["a", "b", "c", "d", "e"]
    assert captured.requests == (None, "2", "4")
    assert captured.findings == ()
    assert captured.catalog is not None
    assert captured.catalog.protocol == "2026-07-28"
    assert captured.catalog.server_info == {"name": "sdk", "version": "7"}
    assert captured.catalog.instructions == "Looks things up. Ask it often."
    assert captured.catalog.captured_at == "2026-11-30T12:00:00Z"
    assert (captured.catalog.ttl_ms, captured.catalog.cache_scope) == (60_000, "public")
    assert captured.catalog.tools[0]["_meta"] == {"x/y": 1}
    assert captured.catalog.revision == revision_of("sdk", captured.catalog.tools)


@pytest.mark.parametrize("protocol", ["2025-11-25", "2025-06-18", "2024-11-05", "2026-07-28"])
def test_both_eras_are_spoken(tmp_path: Path, protocol: str) -> None:
    captured = served(tmp_path, protocol=protocol, tools=[tool("a")], instructions="Hi.")
    assert names(captured) == ["a"]
    assert captured.catalog is not None
    assert captured.catalog.protocol == protocol
    assert captured.catalog.instructions == "Hi."


def test_an_old_server_that_ends_at_an_unknown_first_message_is_greeted_again(tmp_path: Path) -> None:
    captured = served(tmp_path, exit_on=["server/discover"], tools=[tool("a")])
    assert names(captured) == ["a"]
    assert len(control.starts(tmp_path, "s")) == 2


# pages


def test_an_empty_cursor_is_a_cursor(tmp_path: Path) -> None:
    """pagination-2: only an absent nextCursor ends the list."""
    pages = [{"tools": [tool("a")], "nextCursor": ""}, {"cursor": "", "tools": [tool("b")]}]
    captured = served(tmp_path, protocol="2026-07-28", pages=pages)
    assert names(captured) == ["a", "b"]
    assert control.cursors(tmp_path, "s") == [None, ""] == list(captured.requests)


def test_empty_pages_are_followed(tmp_path: Path) -> None:
    pages = [{"tools": [], "nextCursor": "x"}, {"tools": [], "nextCursor": "y"}, {"tools": [tool("a")]}]
    assert names(served(tmp_path, pages=pages)) == ["a"]


def test_a_cursor_that_never_moves_is_a_loop(tmp_path: Path) -> None:
    """pagination-1: found after at most two requests, named with server and cursor."""
    page = {"tools": [tool(f"t{n}") for n in range(8)], "nextCursor": "8"}
    captured = served(tmp_path, pages=[page], same_page_for="8")
    finding = failure(captured)
    assert finding.slug == "pagination-loop"
    assert '"8"' in finding.message
    assert control.cursors(tmp_path, "s") == [None, "8"]


def test_the_same_page_twice_is_a_loop(tmp_path: Path) -> None:
    """name-duplicate-in-server-2: no tool stands twice, since nothing is taken."""
    pages = [{"tools": [tool("kb_find")], "nextCursor": "p2"}, {"tools": [tool("kb_add")], "nextCursor": "p2"}]
    assert failure(served(tmp_path, pages=pages)).slug == "pagination-loop"
    assert control.cursors(tmp_path, "s").count("p2") == 1


def test_a_cycle_of_cursors_is_a_loop(tmp_path: Path) -> None:
    """pagination-3"""
    assert failure(served(tmp_path, cursor_cycle=["a", "b", "c"])).slug == "pagination-loop"
    assert control.cursors(tmp_path, "s") == [None, "a", "b", "c"]


@pytest.mark.slow
def test_ever_new_cursors_end_at_the_limit(tmp_path: Path) -> None:
    """pagination-3: 1,000 pages."""
    captured = served(tmp_path, pages_generated={"tools_per_page": 1, "cursor": "counter"})
    assert failure(captured).slug == "pagination-limit"
    assert len(captured.requests) == len(control.cursors(tmp_path, "s")) == MAX_PAGES == 1_000


def test_a_page_that_fails_fails_the_capture_with_its_number(tmp_path: Path) -> None:
    """pagination-3: no catalog with page one only."""
    pages = [{"tools": [tool("a")], "nextCursor": "2"}, {"cursor": "2", "error": {"code": -32603, "message": "boom"}}]
    captured = served(tmp_path, pages=pages)
    finding = failure(captured)
    assert finding.slug == "capture-failed"
    assert "page 2" in finding.message
    assert "boom" in finding.message
    assert not captured.unavailable


def test_more_tools_than_the_limit_are_refused_without_reading_on(tmp_path: Path) -> None:
    control.serve(tmp_path, "s", pages_generated={"tools_per_page": 10, "cursor": "counter"})
    limited = target(tmp_path, "s")
    (captured,) = run([Target("s", limited.transport, 25, tmp_path)])
    finding = failure(captured)
    assert finding.slug == "pagination-limit"
    assert "more than 25 tools on 3 pages, and its list goes on" in finding.message
    assert "max_tools_per_server" in finding.advice
    assert len(captured.requests) == 3


def test_a_loop_is_told_before_the_number_of_tools(tmp_path: Path) -> None:
    """Of two limits that one page is over, the server's own fault is the one to mend (C06)."""
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(3)]
    control.serve(tmp_path, "s", pages=[{"tools": tools, "nextCursor": "a"}, {"tools": tools, "nextCursor": "a"}])
    (captured,) = run([Target("s", target(tmp_path, "s").transport, 5, tmp_path)])
    assert failure(captured).slug == "pagination-loop"


def test_as_many_tools_as_the_limit_are_taken_and_one_more_is_not(tmp_path: Path) -> None:
    """The limit is the last number that is right; there is no page left over (C06)."""
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(4)]
    control.serve(tmp_path, "s", pages=[{"tools": tools[:2], "nextCursor": "a"}, {"tools": tools[2:]}])
    transport = target(tmp_path, "s").transport
    ((full,), (over,)) = (run([Target("s", transport, limit, tmp_path)]) for limit in (4, 3))
    assert full.catalog is not None
    assert len(full.catalog.tools) == 4
    assert failure(over).slug == "pagination-limit"
    assert "goes on" not in failure(over).message


# what is raw stays raw


def test_unknown_fields_odd_names_and_digits_are_kept(tmp_path: Path) -> None:
    """C06, big-int-1: as the server listed them."""
    odd = tool("ping тест", **{"x-own": {"deep": [1, None]}, "inputSchema": {"maximum": 9007199254740993, "x": 1.0}})
    captured = served(tmp_path, tools=[odd, tool("a"), tool("a", description="again")])
    assert captured.catalog is not None
    assert captured.catalog.tools[0] == odd
    assert names(captured) == ["ping тест", "a", "a"]


def test_a_malformed_tool_is_set_aside_and_the_rest_is_kept(tmp_path: Path) -> None:
    """One of them makes the SDK's whole list call fail; a schema that is none is kept for lint to judge."""
    captured = served(tmp_path, tools=[5, {"title": "x"}, tool("a"), {"name": "bare"}, tool("b", inputSchema=[])])
    assert names(captured) == ["a", "bare", "b"]
    assert [finding.slug for finding in captured.findings] == ["catalog-invalid"] * 2
    assert [finding.subjects for finding in captured.findings] == [("s/#0",), ("s/#1",)]


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999"])
def test_nan_and_infinities_are_no_catalog(tmp_path: Path, value: str) -> None:
    """DESIGN 8: the SDK's parser lets them through."""
    listed = f'{{"name":"n","inputSchema":{{"maximum":{value}}}}}'
    captured = served(tmp_path, pages=[{"raw": f'{{"jsonrpc":"2.0","id":ID,"result":{{"tools":[{listed}]}}}}'}])
    finding = failure(captured)
    assert finding.slug == "catalog-invalid-json"
    assert "s/n" in finding.message


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"n\\ud800"}]}}',
        '{"jsonrpc":"2.0","id":ID,"result":{"tools":[',
        '{"jsonrpc":"2.0","id":ID,"result":[1]}',
        '{"jsonrpc":"2.0","id":ID,"result":{"toolz":[]}}',
        '{"jsonrpc":"2.0","id":ID,"result":{"tools":{}}}',
        '{"jsonrpc":"2.0","id":ID,"result":{"tools":[],"nextCursor":5}}',
    ],
)
def test_an_answer_that_cannot_be_used_fails_at_once(tmp_path: Path, line: str) -> None:
    """capture-failed, long before the time is up."""
    captured = served(tmp_path, pages=[{"raw": line}], timeout=600)
    finding = failure(captured)
    assert finding.slug == "capture-failed"
    assert "page 1" in finding.message
    assert not captured.unavailable


# peers that are not well


@pytest.mark.parametrize("server", ["refuses", "dies", "hangs", "missing", "no folder"])
def test_a_server_that_cannot_be_asked_is_unavailable(tmp_path: Path, server: str) -> None:
    """stale-revision-2: capture-failed, which leaves everything as it was."""
    control.serve(tmp_path, "refuses", error="connection refused")
    control.serve(tmp_path, "dies", pages=[{"tools": [], "nextCursor": "2"}, {"tools": []}], exit_on_page=2)
    control.serve(tmp_path, "hangs", hang_on=["tools/list"])
    targets = {
        "refuses": target(tmp_path, "refuses"),
        "dies": target(tmp_path, "dies"),
        "hangs": target(tmp_path, "hangs", timeout=3),
        "missing": Target("missing", Transport("stdio", "no-such-program"), base=tmp_path),
        "no folder": target(tmp_path, "no folder", cwd="not-there"),
    }
    said = {
        "refuses": "it ended during the handshake",
        "dies": "page 2",
        "hangs": "within 3 s",
        "missing": "no-such-program",
        "no folder": "cwd",
    }
    (captured,) = run([targets[server]])
    finding = failure(captured)
    assert finding.slug == "capture-failed"
    assert said[server] in finding.message
    assert captured.unavailable


def test_one_that_fails_takes_no_other_with_it(tmp_path: Path) -> None:
    control.serve(tmp_path, "bad", error="no")
    control.serve(tmp_path, "good", tools=[tool("a")])
    unset = target(tmp_path, "unset", env={"TOKEN": "${NOT_SET_ANYWHERE}"})
    captured = run([target(tmp_path, "bad"), unset, target(tmp_path, "good")])
    assert [each.server for each in captured] == ["bad", "unset", "good"]
    assert names(captured[2]) == ["a"]
    finding = failure(captured[1])
    assert finding.slug == "env-unset"
    assert "NOT_SET_ANYWHERE" in finding.message
    assert not captured[1].unavailable


def test_floods_of_stderr_and_chatter_on_stdout_stop_nothing(tmp_path: Path) -> None:
    """More than a pipe holds on stderr; log lines, some of them JSON, between the messages."""
    captured = served(
        tmp_path,
        tools=[tool("a")],
        stderr_noise={"text": "e" * 1_000, "times": 1_000},
        stdout_first="starting up \x1b[31m",
        stdout_noise={"text": '{"level": "info", "msg": "hello"}', "times": 20},
    )
    assert names(captured) == ["a"]


def test_endless_chatter_is_given_up(tmp_path: Path) -> None:
    captured = served(tmp_path, tools=[], stdout_noise={"text": "x", "times": 20_000}, timeout=600)
    assert "no JSON-RPC" in failure(captured).message


def test_a_line_without_an_end_is_given_up_long_before_the_time(tmp_path: Path) -> None:
    """It would fill the memory."""
    captured = served(tmp_path, stdout_endless=True, timeout=600)
    assert "a line of more than 64 MiB" in failure(captured).message
    assert not captured.unavailable


def test_nothing_of_the_child_reaches_our_own_streams(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its stderr may hold anything; the SDK would log what it cannot parse."""
    captured = served(tmp_path, error="\x1b[31mgarbage", stdout_first="{not json}")
    assert capfd.readouterr() == ("", "")
    assert captured.stderr.endswith("\\e[31mgarbage")


# what the child gets


def test_a_child_gets_what_was_declared_and_nothing_else(tmp_path: Path) -> None:
    control.serve(tmp_path, "s", environment=True, tools=[])
    (tmp_path / "work").mkdir()
    environ = ENVIRON | {"TOKEN": "sesame-open", "PASSED": "as it is", "AWS_SECRET_ACCESS_KEY": "not for you"}
    asked = target(
        tmp_path,
        "s",
        cwd="work",
        env={"OWN": "Bearer ${TOKEN}", "PLAIN": "$${x}", "DEF": "${NONE:-dflt}"},
        env_vars=("PASSED",),
    )
    (captured,) = run([asked], environ)
    assert captured.findings == ()
    (start,) = control.starts(tmp_path, "s")
    got = start["environment"]
    assert {name: got[name] for name in ("OWN", "PLAIN", "DEF", "PASSED")} == {
        "OWN": "Bearer sesame-open",
        "PLAIN": "${x}",
        "DEF": "dflt",
        "PASSED": "as it is",
    }
    assert "AWS_SECRET_ACCESS_KEY" not in got
    assert "TOKEN" not in got
    assert start["cwd"] == str(tmp_path / "work")


def test_no_secret_stands_in_a_message(tmp_path: Path) -> None:
    """Law: every value out of the environment is struck out, wherever a server repeats it."""
    secret = "s3cr3t-value"
    control.serve(tmp_path, "s", pages=[{"error": {"code": -1, "message": f"bad token {secret}"}}])
    control.serve(tmp_path, "t", error=f"token {secret} refused")
    control.serve(tmp_path, "u", pages=[{"tools": [], "nextCursor": secret}], same_page_for=secret)
    environ = ENVIRON | {"TOKEN": secret}
    captured = run([target(tmp_path, server, env={"TOKEN": "${TOKEN}"}) for server in "stu"], environ)
    for each in captured:
        assert secret not in repr(each.findings) + each.stderr
        assert "***" in repr(each.findings) + each.stderr


def test_progress_is_told_server_by_server(tmp_path: Path) -> None:
    control.serve(tmp_path, "a", tools=[tool("x"), tool("y")])
    control.serve(tmp_path, "b", error="no")
    told: list[Progress] = []
    run([target(tmp_path, "a"), target(tmp_path, "b")], on_progress=told.append)
    assert [each.state for each in told if each.server == "a"] == ["connecting", "listing", "done"]
    assert [each.state for each in told if each.server == "b"] == ["connecting", "failed"]
    assert told[-1].tools in (0, 2)


def test_what_a_child_wrote_keeps_its_lines(tmp_path: Path) -> None:
    """A traceback on one line is read by nobody; what is in a line steers nothing, and is no line of its own."""
    captured = served(tmp_path, error="one\r\ntwo\x1b[2K\rthree\\nfour")
    assert captured.stderr.split("\n")[-2:] == ["one", "two\\e[2K\\rthree\\nfour"]
