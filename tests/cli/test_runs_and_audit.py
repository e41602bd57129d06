"""`mcpexpose runs` and `mcpexpose audit`: what a host left behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose import Event, FileSink, Ledger
from mcpexpose.bundle.write import write
from mcpexpose.cli.main import main
from mcpexpose.host.ledger import Bound
from mcpexpose.model.policy import Exposure
from mcpexpose.report.audit import summarise
from tests.builders import compiled, tool

if TYPE_CHECKING:
    from pathlib import Path

BOUND = Bound("s" * 64, "p" * 64, "gh", "create_issue", "r" * 64, "d" * 64)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MCPEXPOSE_STATE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def left() -> None:
    ledger = Ledger()
    ledger.begin(BOUND, "run-1", "2026-11-30T12:00:00Z", approval=False)
    ledger.unknown(BOUND)
    ledger.close()


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_no_open_call(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    """Looking makes no file, and says where it looked: the host may keep its record elsewhere."""
    code, out, err = ran(capsys, "runs")
    assert (code, out) == (0, f"no call is open in {state / 'runs.sqlite'}\n")
    assert "runs.sqlite is not there; --store FILE" in err
    assert not (state / "runs.sqlite").exists()
    assert json.loads(ran(capsys, "runs", "--format", "json")[1]) == {"runs": []}


@pytest.mark.usefixtures("left")
def test_an_open_call_is_listed_and_settled(capsys: pytest.CaptureFixture[str]) -> None:
    """G11: an operator settles it, and it is gone."""
    code, out, _ = ran(capsys, "runs")
    assert code == 1
    for word in (BOUND.key, "gh/create_issue", "2026-11-30T12:00:00Z", "run-1", "unknown"):
        assert word in out
    (run,) = json.loads(ran(capsys, "runs", "--format", "json")[1])["runs"]
    assert run["key"] == BOUND.key
    code, _, err = ran(capsys, "runs", "--settle", BOUND.key[:10], "--as", "not-completed")
    assert code == 0
    assert "gh/create_issue" in err
    assert ran(capsys, "runs")[0] == 0
    assert ran(capsys, "runs", "--settle", BOUND.key, "--as", "completed")[0] == 2


@pytest.mark.usefixtures("left")
def test_what_cannot_be_settled(capsys: pytest.CaptureFixture[str], state: Path) -> None:
    assert ran(capsys, "runs", "--settle", BOUND.key)[0] == 2
    assert ran(capsys, "runs", "--as", "completed")[0] == 2
    assert ran(capsys, "runs", "--settle", "", "--as", "completed")[0] == 2
    assert ran(capsys, "runs", "--store", str(state / "none"))[0] == 2
    (state / "text").write_text("no database, just words" * 100)
    code, _, err = ran(capsys, "runs", "--store", str(state / "text"))
    assert code == 2
    assert "cannot be used: it is no SQLite file" in err


def events(*facts: dict[str, Any]) -> list[Event]:
    return [Event(at=f"2026-11-30T12:00:{n:02}Z", **{"run_id": "r", **each}) for n, each in enumerate(facts)]


def test_the_summary_of_events(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """G12: searches in vain, refusals by reason, unknown completions, tools that are worth declaring or are not."""
    path = tmp_path / "events.jsonl"
    sink = FileSink(path)
    gh = {"server": "gh", "tool": "get", "exposure": "deferred"}
    for event in events(
        *({"event": "call", **gh, "outcome": "ok", "run_id": f"r{n}"} for n in range(4)),
        {"event": "call", "server": "zz", "tool": "look", "exposure": "direct", "outcome": "ok", "run_id": "r1"},
        {"event": "call", "server": "gh", "tool": "put", "outcome": "unknown-completion", "run_id": "r1"},
        {"event": "call", "server": "gh", "tool": "put", "outcome": "refused:outcome-unknown", "run_id": "r1"},
        {"event": "call", **gh, "outcome": "quarantined:result-too-large", "run_id": "r1"},
        {"event": "search", "outcome": "nothing-matched", "candidates": 0},
        {"event": "search", "outcome": "ok", "candidates": 3},
        {"event": "refresh", "server": "gh", "outcome": "changed", "run_id": ""},
    ):
        sink.write(event, effects=False)
    sink.close()
    with path.open("ab") as file:
        file.write(b'{"torn": \n[]\n\n')
    direct = [tool("zz", "look", exposure=Exposure.DIRECT), tool("zz", "idle", exposure=Exposure.DIRECT)]
    write(compiled(*direct, tool("gh", "get")), tmp_path / "plan")
    code, out, _ = ran(capsys, "audit", str(path), "--plan", str(tmp_path / "plan"), "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert (found["events"], found["unreadable"], found["runs"]) == (11, 2, 5)
    assert found["searches_in_vain"] == {"nothing-matched": 1}
    assert found["refusals"] == {"outcome-unknown": 1}
    assert found["calls"] == {"ok": 5, "unknown-completion": 1, "quarantined:result-too-large": 1}
    assert found["unknown"] == {"gh/put": 1}
    assert found["withheld"] == {"gh/get": 1}
    assert found["worth_declaring"] == {"gh/get": 4}
    assert found["never_called"] == ["zz/idle"]
    assert found["refreshes"] == {"changed": 1}
    code, out, _ = ran(capsys, "audit", str(path), "--plan", str(tmp_path / "plan"))
    for words in ("11 events of 5 runs", "2 lines that are no event", "nothing-matched", "gh/put", "zz/idle"):
        assert words in out


def test_a_summary_of_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert ran(capsys, "audit", str(tmp_path / "empty"))[1] == "0 events of 0 runs\n"
    assert ran(capsys, "audit", str(tmp_path / "none"))[0] == 2


def test_names_of_servers_stay_on_their_line() -> None:
    """A name in an event is text of somebody else's."""
    from mcpexpose.report.audit import text
    from mcpexpose.report.screen import Screen

    line = json.dumps({"event": "call", "server": "a\x1b[31m\n", "tool": "b", "outcome": "refused:unknown-tool"})
    out = text(summarise([line.encode()]), Screen(80, colour=False, encoding="utf-8"))
    assert "\x1b" not in out


def test_one_of_each_is_said_in_the_singular(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    FileSink(path).write(events({"event": "search", "outcome": "nothing-matched"})[0], effects=False)
    with path.open("a") as file:
        file.write("no event\n")
    out = ran(capsys, "audit", str(path))[1]
    assert out.startswith("1 event of 1 run, ")
    assert "1 line that is no event" in out


def test_events_that_are_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = ran(capsys, "audit", str(tmp_path / "none.jsonl"))
    assert code == 2
    assert "none.jsonl is not there" in err


def test_a_file_without_an_event_is_nothing_that_was_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The wrong file is not a quiet host: 4. A host that wrote nothing yet is one: 0."""
    path = tmp_path / "config.toml"
    path.write_text("[mcp_servers.a]\ncommand = 'a'\n")
    code, _, err = ran(capsys, "audit", str(path))
    assert (code, "is an event of a host" in err) == (4, True)
    path.write_text("")
    assert ran(capsys, "audit", str(path))[0] == 0
