"""What is going to run is shown, and one yes holds for exactly that."""

from __future__ import annotations

import dataclasses
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from mcpexpose.client.consent import ask_of, remember, remembered, state_folder
from mcpexpose.client.target import Target
from mcpexpose.model.transport import Transport

STDIO = Transport("stdio", "npx", ("-y", "pkg@1.0", "--token", "${TOKEN}"), env={"A": "1"}, env_vars=("B",), cwd="work")
TARGET = Target("s", STDIO, base=Path("/srv/repo"))


def test_a_command_line_is_shown_as_it_will_run_but_for_values_of_variables() -> None:
    line = ask_of(TARGET).line
    assert line.startswith("npx -y pkg@1.0 --token ${TOKEN}  ")
    assert "/srv/repo/work" in line
    assert "A, B" in line


def test_an_argument_that_would_fool_the_eye_is_quoted_and_escaped() -> None:
    transport = Transport("stdio", "run", ("a b", "$(rm -rf /)", "x\x1b[2J", "", "a\u202eb"))
    line = ask_of(Target("s", transport)).line
    assert "'a b'" in line
    assert "'$(rm -rf /)'" in line
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "''" in line


def test_literal_credentials_are_struck_out() -> None:
    transport = Transport("stdio", "run", ("--key", "sk-live"))
    assert (
        "sk-live"
        not in ask_of(Target("s", transport), lambda words: [word.replace("sk-live", "***") for word in words]).line
    )
    http = Transport("http", url="https://user:pass@example.com/mcp?key=abc")
    assert ask_of(Target("s", http)).line == "https://example.com/mcp?***"


@pytest.mark.parametrize(
    "change",
    [
        {"command": "uvx"},
        {"args": ("-y", "pkg@1.1", "--token", "${TOKEN}")},
        {"cwd": "elsewhere"},
        {"env": {"A": "1", "NODE_OPTIONS": "--require x"}},
        {"env": {"A": "2"}},
        {"env_vars": ("B", "C")},
    ],
)
def test_another_command_is_another_question(change: dict[str, Any]) -> None:
    """One yes never covers what was changed since."""
    changed = dataclasses.replace(TARGET, transport=dataclasses.replace(STDIO, **change))
    assert ask_of(changed).digest != ask_of(TARGET).digest


def test_time_limits_and_the_name_of_the_server_are_no_other_question() -> None:
    slower = dataclasses.replace(TARGET, server="t", transport=dataclasses.replace(STDIO, startup_timeout_s=99))
    assert ask_of(slower).digest == ask_of(TARGET).digest


def test_a_yes_is_remembered_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    ask = ask_of(TARGET)
    assert remembered(folder) == frozenset()
    remember(folder, [ask])
    remember(folder, [ask_of(Target("o", Transport("http", url="https://example.com")))])
    assert ask.digest in remembered(folder)
    assert len(remembered(folder)) == 2
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "[]", '{"agreed": 5}', '{"agreed": [5]}', "\udcff"])
def test_a_broken_memory_is_no_yes(tmp_path: Path, content: str) -> None:
    (tmp_path / "consent.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert remembered(tmp_path) == frozenset()


def test_the_memory_is_where_the_user_keeps_state(tmp_path: Path) -> None:
    assert state_folder({"MCPEXPOSE_STATE_DIR": "/a", "XDG_STATE_HOME": "/b"}) == Path("/a")
    assert state_folder({"XDG_STATE_HOME": "/b"}) == Path("/b/mcpexpose")
    assert state_folder({"HOME": "/c"}) == Path("/c/.local/state/mcpexpose")


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_memory_that_others_may_have_written_holds_no_consent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody agrees for this user to what is run (C06): not by a file that others can write, or that is another's."""
    asked = ask_of(TARGET)
    remember(tmp_path, [asked])
    file = tmp_path / "consent.json"
    assert asked.digest in remembered(tmp_path)
    file.chmod(0o620)
    assert remembered(tmp_path) == frozenset()
    file.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    assert remembered(tmp_path) == frozenset()
    file.unlink()
    file.symlink_to("/dev/zero")
    assert remembered(tmp_path) == frozenset()
