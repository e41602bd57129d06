"""`mcpexpose capture`: consent, files, codes and both outputs, with servers that really run."""

from __future__ import annotations

import datetime
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.catalog import store
from mcpexpose.cli import capture as command
from mcpexpose.cli.capture import Setup
from mcpexpose.cli.captured import Choices, first_sentence
from mcpexpose.client.target import Target
from mcpexpose.model.errors import InputMissing, UsageRefused
from mcpexpose.model.transport import Transport
from tests.fakes import control

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("a", "b", "c")]
ENVIRON = {"PATH": os.environ["PATH"]}


class Place:
    """A folder with fake servers and the config's view of them."""

    def __init__(self, folder: Path, servers: Sequence[str]) -> None:
        self.scripts = folder / "scripts"
        self.catalogs = folder / "catalogs"
        targets = {}
        for server in servers:
            program, args = control.command(self.scripts, server)
            targets[server] = Target(server, Transport("stdio", program, tuple(args)), base=folder)
        self.setup = Setup(targets, tuple(sorted(servers)), frozenset(), self.catalogs, "catalogs")

    def capture(self, *servers: str, **choices: Any) -> int:
        asked, missing = command.to_ask(self.setup, command.chosen(self.setup, servers), 60)
        captured = [*missing, *command.ask(asked, ENVIRON, NOW)]
        return command.finish(self.setup, captured, Choices(**choices))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, ["up", "down"])
    control.serve(made.scripts, "up", tools=TOOLS, instructions="Looks things up. Ask often.")
    control.serve(made.scripts, "down", error="connection refused")
    return made


def test_what_was_captured_is_written_and_told(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """C06: 0 where all went well; the first sentence of the instructions is offered as a summary, and no more."""
    assert place.capture("up") == 0
    catalog = store.load(place.catalogs, ["up"])[0]["up"]
    assert [tool["name"] for tool in catalog.tools] == ["a", "b", "c"]
    out = capsys.readouterr().out
    assert "3 tools" in out
    assert catalog.revision[:8] in out
    assert "Looks things up." in out
    assert "Ask often" not in out


def test_one_server_down_is_5_and_the_rest_is_written(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert place.capture() == 5
    assert (place.catalogs / "up.json").exists()
    assert not (place.catalogs / "down.json").exists()
    assert "capture-failed" in capsys.readouterr().out


def test_json_says_what_was_asked_and_what_came_of_it(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Stable for programs; the format changes no code."""
    assert place.capture(form="json") == 5
    told = json.loads(capsys.readouterr().out)
    down, up = told["servers"]
    assert (up["server"], up["tools"], up["requests"]) == ("up", ["a", "b", "c"], [None])
    assert up["written"].endswith("catalogs/up.json")
    assert len(up["revision"]) == 64
    assert (down["server"], down["tools"], down["unavailable"], down["written"]) == ("down", None, True, None)
    assert [finding["slug"] for finding in told["findings"]] == ["capture-failed"]


def test_a_failed_or_shrunken_capture_leaves_the_file_as_it_was(place: Place) -> None:
    """stale-revision-2"""
    place.capture("up")
    before = (place.catalogs / "up.json").read_bytes()
    control.serve(place.scripts, "up", error="connection refused")
    assert place.capture("up") == 5
    control.serve(place.scripts, "up", pages=[{"tools": []}])
    assert place.capture("up") == 1
    assert (place.catalogs / "up.json").read_bytes() == before
    assert place.capture("up", accept_shrink=True) == 0
    assert store.load(place.catalogs, ["up"])[0]["up"].tools == ()


def test_check_compares_and_writes_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """3 where it differs."""
    assert place.capture("up", check=True) == 3
    assert not place.catalogs.exists()
    place.capture("up")
    before = (place.catalogs / "up.json").read_bytes()
    assert place.capture("up", check=True) == 0
    control.serve(place.scripts, "up", tools=[*TOOLS, {"name": "d"}])
    assert place.capture("up", check=True) == 3
    assert (place.catalogs / "up.json").read_bytes() == before
    assert "differs" in capsys.readouterr().out


def test_a_tool_set_aside_is_1_and_the_rest_is_written(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    control.serve(place.scripts, "up", tools=[*TOOLS, {"title": "no name"}])
    assert place.capture("up") == 1
    assert len(store.load(place.catalogs, ["up"])[0]["up"].tools) == 3
    assert "catalog-invalid" in capsys.readouterr().out


def test_what_children_wrote_is_shown_on_demand_only(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    control.serve(place.scripts, "down", error="\x1b[31mno such database")
    place.capture("down")
    quiet = capsys.readouterr()
    assert "database" not in quiet.out + quiet.err
    place.capture("down", verbose=True)
    assert "\\e[31mno such database" in capsys.readouterr().err


@pytest.mark.parametrize("server", ["upp", "../up", ""])
def test_a_server_that_the_config_does_not_have_is_refused(place: Place, server: str) -> None:
    with pytest.raises(UsageRefused) as caught:
        command.chosen(place.setup, [server])
    assert caught.value.exit_code == 2
    if server == "upp":
        assert 'did you mean "up"' in str(caught.value)


# consent


def test_without_a_terminal_nothing_runs_that_nobody_agreed_to(
    place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """2, and what would have run is shown."""
    environ = {"MCPEXPOSE_STATE_DIR": str(tmp_path / "state")}
    targets = list(place.setup.targets.values())
    with pytest.raises(UsageRefused, match="--yes") as caught:
        command.agree(targets, yes=False, environ=environ)
    assert caught.value.exit_code == 2
    assert "fake_server.py" in capsys.readouterr().err
    assert control.starts(place.scripts, "up") == []


def test_yes_runs_and_what_was_agreed_to_before_runs_too(place: Place, tmp_path: Path) -> None:
    from mcpexpose.client.consent import ask_of, remember

    environ = {"MCPEXPOSE_STATE_DIR": str(tmp_path / "state")}
    targets = list(place.setup.targets.values())
    command.agree(targets, yes=True, environ=environ)
    assert not (tmp_path / "state").exists()
    remember(tmp_path / "state", [ask_of(target, command.conceal) for target in targets])
    command.agree(targets, yes=False, environ=environ)


def test_a_literal_credential_is_not_shown_before_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = "ghp_" + "a1B2" * 9
    transport = Transport("stdio", "server", ("--token", token, "--plain", "word"))
    with pytest.raises(UsageRefused):
        command.agree([Target("s", transport)], yes=False, environ={"MCPEXPOSE_STATE_DIR": str(tmp_path)})
    shown = capsys.readouterr().err
    assert token not in shown
    assert "--plain word" in shown


# --from-file


@pytest.mark.parametrize("stored", [{"tools": TOOLS}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}}])
def test_a_stored_answer_becomes_a_catalog(place: Place, tmp_path: Path, stored: Any) -> None:
    """C06: captured by other means."""
    (tmp_path / "tools.json").write_text(json.dumps(stored))
    captured = command.of_file("up", tmp_path / "tools.json", NOW)
    assert command.finish(place.setup, [captured], Choices()) == 0
    catalog = store.load(place.catalogs, ["up"])[0]["up"]
    assert len(catalog.tools) == 3
    assert catalog.captured_at == "2026-11-30T12:00:00Z"


def test_a_stored_catalog_keeps_its_own_stamp(place: Place, tmp_path: Path) -> None:
    stored = {"server": "up", "captured_at": "2026-11-01T00:00:00Z", "tools": TOOLS}
    (tmp_path / "tools.json").write_text(json.dumps(stored))
    captured = command.of_file("up", tmp_path / "tools.json", NOW)
    assert captured.catalog is not None
    assert captured.catalog.captured_at == "2026-11-01T00:00:00Z"


def test_a_stored_answer_of_another_server_or_none_is_refused(place: Place, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"server": "other", "tools": TOOLS}))
    captured = command.of_file("up", tmp_path / "tools.json", NOW)
    assert [finding.slug for finding in captured.findings] == ["catalog-server-mismatch"]
    assert command.finish(place.setup, [captured], Choices()) == 1
    assert not place.catalogs.exists()
    with pytest.raises(InputMissing, match="nothing-there"):
        command.of_file("up", tmp_path / "nothing-there.json", NOW)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Looks up v1.2 things. More.", "Looks up v1.2 things."),
        ("\n\n# Title\nMore", "# Title"),
        ("no end", "no end"),
        ("", ""),
        ("x" * 400, "x" * 249 + "…"),
    ],
)
def test_the_first_sentence_is_one_line_and_short(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence
