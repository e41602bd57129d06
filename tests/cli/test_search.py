"""`mcpexpose search`, `show`, `inspect`, `explain`, `verify`: what a model and an operator are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]


def test_a_search_is_a_table_with_scores(run: Run) -> None:
    """Rank, score, class, policy and the words that matched (C04)."""
    done = run("search", "commits", "history")
    assert done.code == 0
    lines = done.out.split("\n")
    assert lines[0].split() == ["#", "TOOL", "SCORE", "SIDE", "EFFECT", "POLICY", "WHY"]
    assert lines[1].split()[:2] == ["1", "git/git_log"]
    assert "read_only" in lines[1]


def test_what_the_model_reads_is_the_hosts_own_answer(run: Run, project: Path) -> None:
    """`--as-model`, to the letter, from the config and from the bundle alike (C04)."""
    from mcpexpose.host.plan import load_plan

    assert run("plan", "--out", "build/plan").code == 0
    said = load_plan(project / "build/plan").session(profile="read").find_tools("show the history").text
    assert run("search", "show the history", "--profile", "read", "--as-model").out == said + "\n"
    bundle = run("search", "show the history", "--profile", "read", "--as-model", "--plan", "build/plan")
    assert bundle.out == said + "\n"


def test_json_has_the_promised_shape(run: Run) -> None:
    """Scores whole, what the profile filtered counted."""
    value = json.loads(run("search", "record commit history", "--profile", "read", "--format", "json").out)
    assert value["query"] == "record commit history"
    assert value["profile"] == "read"
    assert value["reason"] == ""
    assert value["filtered"] == 1
    hit = value["hits"][0]
    assert (hit["rank"], hit["server"], hit["tool"], hit["alias"]) == (1, "git", "git_log", "git__git_log")
    assert hit["declared"] is True
    assert {
        "score",
        "exact",
        "covered",
        "exposure",
        "policy_state",
        "side_effect",
        "description",
        "title",
        "fresh",
    } <= set(hit)


def test_what_the_profile_took_out_is_named_to_the_operator(run: Run) -> None:
    """And only to the operator."""
    out = run("search", "commit history", "--profile", "read").out
    assert "taken out by profile read: git/git_commit (write)" in out
    assert "git_commit" not in run("search", "commit history", "--profile", "read", "--as-model").out


def test_hidden_and_denied_tools_are_never_found(run: Run) -> None:
    """Not even by their exact name (law 3)."""
    for query in ("git_gc", "git_push", "git/git_push", "git__git_push"):
        for more in ((), ("--as-model",), ("--format", "json")):
            out = run("search", query, *more).out.replace(query, "")
            assert "git_gc" not in out
            assert "git_push" not in out


def test_no_hit_ends_with_0_and_says_so(run: Run) -> None:
    """Nothing found is an answer (F09)."""
    done = run("search", "zebra")
    assert done.code == 0
    assert "nothing-matched" in done.out
    assert json.loads(run("search", "zebra", "--format", "json").out)["reason"] == "nothing-matched"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "search-query-empty"),
        (("  ",), "search-query-empty"),
        (("x" * 1_001,), "search-query-too-long"),
        (("history", "--limit", "0"), "search-limit-invalid"),
        (("history", "--limit", "-1"), "search-limit-invalid"),
        (("history", "--limit", "2.5"), "search-limit-invalid"),
        (("history", "--limit", "many"), "search-limit-invalid"),
        (("history", "--limit", "1_0"), "search-limit-invalid"),
        (("history", "--limit", "\u0665"), "search-limit-invalid"),
        (("history", "--limit", "00"), "search-limit-invalid"),
    ],
)
def test_what_a_model_would_be_refused_ends_with_2_and_its_reason(
    run: Run, arguments: tuple[str, ...], reason: str
) -> None:
    """The same rules for both."""
    done = run("search", *arguments)
    assert done.code == 2
    assert reason in done.err
    as_json = run("search", *arguments, "--format", "json")
    assert as_json.code == 2
    assert json.loads(as_json.out)["reason"] == reason


def test_a_limit_above_20_is_cut_to_20(run: Run) -> None:
    """As find_tools cuts it (F10)."""
    for limit in ("21", "500", "9" * 30, "9" * 5_000, "20.0"):
        assert json.loads(run("search", "history", "--limit", limit, "--format", "json").out)["limit"] == 20
    assert len(json.loads(run("search", "git", "--limit", "1", "--format", "json").out)["hits"]) == 1


def test_a_query_is_words_and_no_syntax(run: Run) -> None:
    """No text reaches a query parser."""
    for query in ('"', "AND OR NOT", "*:*", "name:(", "-x --y", "\x00"):
        assert run("search", "--", query).code in {0, 2}


def test_show_is_request_1(run: Run) -> None:
    """Declared tools, servers section, tokens (X06)."""
    value = json.loads(run("show", "--format", "json").out)
    assert [tool["name"] for tool in value["declared"]] == ["find_tools", "git__git_status"]
    assert value["prompt_section"] == "# MCP servers\n- git: Local git repositories"
    assert value["tokens"]["total"] == sum(value["tokens"][part] for part in ("tools", "search_tool", "prompt_section"))
    text = run("show").out
    assert "- git: Local git repositories" in text
    assert '{"name":"find_tools"' in text


def test_inspect_gives_the_definition_and_what_the_plan_says_of_it(run: Run) -> None:
    """Stage two, for an operator (G03)."""
    value = json.loads(run("inspect", "git/git_log", "--format", "json").out)
    assert value["name"] == "git_log"
    assert value["inputSchema"]["properties"]["path"]["type"] == "string"
    assert (value["exposure"], value["policy_state"], value["side_effect"]) == ("deferred", "allowed", "read_only")
    assert len(value["revision"]) == 64


def test_hidden_denied_and_unknown_tools_get_one_answer(run: Run) -> None:
    """Law 3: the answer differs in the name alone, and so does the exit code."""
    answers = set()
    for tool in ("git/git_gc", "git/git_push", "git/no_such", "none/nothing"):
        done = run("inspect", tool)
        assert done.out == ""
        server, _, name = tool.partition("/")
        answers.add(
            (done.code, done.err.replace(name, "TOOL").replace(f"'{server}'", "SERVER").replace(server + "/", "S/"))
        )
    assert len(answers) == 1


def test_explain_names_winner_losers_and_places(run: Run) -> None:
    """Each layer that had a say, with file and line."""
    done = run("explain", "git/git_status")
    assert done.code == 0
    assert done.out.startswith("git/git_status is direct, read_only")
    assert "config.toml:17" in done.out
    assert "gives way" in done.out
    value = json.loads(run("explain", "git/git_status", "--format", "json").out)
    assert value["tool"] == "git/git_status"
    (winner,) = [each for each in value["because"] if each["axis"] == "exposure"]
    assert (winner["value"], winner["line"]) == ("direct", 17)
    assert any(each["value"] == "deferred" for each in value["losers"] if each["axis"] == "exposure")


def test_explain_tells_the_operator_of_hidden_and_denied_tools(run: Run) -> None:
    """And what to ask for instead of a name that is not there."""
    assert "no model meets it" in run("explain", "git/git_push").out
    assert 'deny "git_push"' in run("explain", "git/git_push").out
    assert "no model meets it" in run("explain", "git/git_gc").out
    unknown = run("explain", "git/git_statu")
    assert unknown.code == 2
    assert "did you mean git/git_status?" in unknown.err
    assert "no server" in run("explain", "gti/x").err


def test_verify_finds_a_changed_byte(run: Run, project: Path) -> None:
    """Every byte is under a digest; 1 where one differs, 2 where nothing stands."""
    run("plan", "--out", "build/plan")
    whole = run("verify", "build/plan")
    assert (whole.code, whole.err) == (0, "")
    file = project / "build/plan/definitions.bin"
    data = bytearray(file.read_bytes())
    data[10] ^= 1
    file.write_bytes(bytes(data))
    done = run("verify", "build/plan")
    assert done.code == 1
    assert "plan-damaged" in done.out
    assert run("verify", "build/none").code == 2


def test_explain_reads_a_bundle_too(run: Run, project: Path) -> None:
    """The winner of each axis, as plan.json has it; what a bundle does not hold, it knows nothing of (C04)."""
    assert run("plan", "--out", "build/plan").code == 0
    (project / "config.toml").unlink()
    done = run("explain", "git/git_log", "--plan", "build/plan")
    assert done.code == 0
    assert "tools.git_log.side_effect" in done.out
    assert "is told of it in request 1" in done.out
    assert "gives way" not in done.out
    value = json.loads(run("explain", "git/git_log", "--plan", "build/plan", "--format", "json").out)
    assert (value["decision"]["exposure"], value["losers"]) == ("deferred", [])
    for tool in ("git/git_push", "git/git_gc", "git/none"):
        gone = run("explain", tool, "--plan", "build/plan")
        assert (gone.code, gone.out) == (2, "")
        assert f"build/plan holds no tool {tool}" in gone.err


def test_explain_says_where_nobody_is_there_to_ask(run: Run, project: Path) -> None:
    """A call that asks is refused in an unattended profile."""
    with (project / "config.toml").open("a") as file:
        file.write("[profiles.night]\nunattended = true\n[profiles.day]\n")
    assert "night (refused: nobody is there to ask)" in run("explain", "git/git_commit").out
    assert "day (refused" not in run("explain", "git/git_commit").out
    assert "refused" not in run("explain", "git/git_log").out
