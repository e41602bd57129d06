"""`mcpexpose export`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mcpexpose.surface.exporters import targets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ran


def test_stdout_is_the_value_and_stderr_what_it_does_not_say(run: Callable[..., Ran]) -> None:
    """C04: a program reads the one, a person the other."""
    done = run("export", "--to", "openai-chat")
    assert done.code == 0
    value = json.loads(done.out)
    assert [tool["function"]["name"] for tool in value["tools"]] == ["find_tools", "git__git_status"]
    assert value["messages"] == [{"role": "system", "content": "# MCP servers\n- git: Local git repositories"}]
    assert "what openai-chat does not say:" in done.err
    assert "deferred-not-declared: 2 tools are declared after a search found them" in done.err


def test_json_has_each_loss_as_a_record(run: Callable[..., Ran]) -> None:
    done = run("export", "--to", "anthropic", "--format", "json")
    made = json.loads(done.out)
    assert set(made) == {"target", "value", "headers", "losses"}
    assert {"kind": "approval-dropped", "subject": "git/git_commit", "message": "a call (write) must be approved"} in (
        made["losses"]
    )
    assert "approval-dropped: git/git_commit: a call (write) must be approved" in done.err


def test_hidden_and_denied_tools_are_in_no_export(run: Callable[..., Ran]) -> None:
    """X01, law 3: neither in the value nor among the losses."""
    for target in targets():
        done = run("export", "--to", target, "--format", "json")
        assert done.code == 0
        assert "git_gc" not in done.out + done.err
        assert "git_push" not in done.out + done.err


def test_a_profile_and_a_bundle_do_what_they_do_elsewhere(run: Callable[..., Ran]) -> None:
    """The same from the config and from the bundle that was made of it (law 1)."""
    assert run("plan", "--out", "bundle").code == 0
    one = run("export", "--to", "anthropic", "--profile", "read")
    two = run("export", "--to", "anthropic", "--profile", "read", "--plan", "bundle")
    assert one.out == two.out
    assert [each["name"] for each in json.loads(one.out)["tools"]] == ["git__git_log", "git__git_status"]
    assert run("export", "--to", "anthropic", "--profile", "nope").code == 2


def test_a_file_takes_the_place_of_stdout(run: Callable[..., Ran], project: Path) -> None:
    done = run("export", "--to", "gemini", "--out", "tools.json")
    assert (done.code, done.out) == (0, "")
    assert "wrote tools.json" in done.err
    assert (project / "tools.json").read_text() == run("export", "--to", "gemini").out
    assert run("export", "--to", "gemini", "--out", "none/tools.json").code == 2


def test_a_faulty_config_writes_no_file_and_ends_with_1(run: Callable[..., Ran], project: Path) -> None:
    """What can be is shown; the file that stands there stays (law 8)."""
    (project / "tools.json").write_text("old")
    config = project / "config.toml"
    config.write_text(config.read_text().replace('deny = ["git_push"]', 'deny = ["git_pushh"]'))
    done = run("export", "--to", "openai", "--out", "tools.json")
    assert done.code == 1
    assert "nothing is written to tools.json" in done.err
    assert (project / "tools.json").read_text() == "old"
    shown = run("export", "--to", "openai")
    assert shown.code == 1
    assert json.loads(shown.out)["tools"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "antropic"], "there is no target 'antropic'; did you mean anthropic?"),
        (["--to", "OpenAI"], "did you mean openai?"),
        (["--to", "qqqq"], "there is no target 'qqqq'; there are: anthropic, "),
        ([], "The targets are: anthropic, "),
    ],
)
def test_a_name_that_is_no_target_is_answered(run: Callable[..., Ran], words: list[str], said: str) -> None:
    done = run("export", *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_help_teaches_the_targets(run: Callable[..., Ran]) -> None:
    """Each with its vendor and what finds the deferred tools."""
    done = run("export", "--help")
    flat = " ".join(done.out.split())
    for name, line in targets().items():
        assert name in flat
        assert " ".join(line.split()) in flat.replace("- ", "-") or line.split()[0] in flat
        assert line.split()[0].rstrip(":,") in ("Anthropic", "OpenAI", "Gemini", "MCP", "Codex")


def test_a_header_that_a_request_needs_is_told(run: Callable[..., Ran]) -> None:
    done = run("export", "--to", "anthropic-mcp")
    assert "the request needs the header anthropic-beta: mcp-client-2025-11-20" in done.err


def test_the_same_inputs_give_the_same_bytes(run: Callable[..., Ran]) -> None:
    """Law 5."""
    for target in targets():
        assert run("export", "--to", target).out == run("export", "--to", target).out
