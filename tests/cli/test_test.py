"""`mcpexpose test`: which files are run, about which config, and what the formats and the exit code say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ran

    Run = Callable[..., Ran]

HOLDS = '[[tests]]\nname = "told at once"\nsees = ["git/git_status"]\nnot_visible = ["git/git_push"]\n'
FAILS = '[[tests]]\nname = "found first"\nquery = "history"\nfinds = "git/git_commit"\nwithin = 1\n'


def test_the_files_beside_the_config_are_run(run: Run, project: Path) -> None:
    """And those in tests/ beside it; all that hold is one line (C04)."""
    (project / "a.expose.toml").write_text(HOLDS)
    (project / "tests").mkdir()
    (project / "tests" / "b.expose.toml").write_text(HOLDS)
    done = run("test")
    assert (done.code, done.err) == (0, "")
    assert done.out == "2 tests passed in 2 files · 4 assertions · 1 of 3 tools named by a test (--coverage)\n"


def test_a_failing_assertion_is_a_place_a_fact_and_an_advice(run: Run, project: Path) -> None:
    """What was found instead, at which rank, and where the wanted tool stands (C04)."""
    (project / "a.expose.toml").write_text(HOLDS + FAILS)
    done = run("test")
    assert done.code == 1
    assert done.out.startswith("a.expose.toml:8:9: failed  found first · finds\n")
    assert '"history" does not find git/git_commit at all; it finds 1. git/git_log' in done.out
    assert '\n   fix: Give it the words that it lacks, keywords = ["history"]' in done.out
    assert "1 of 2 tests failed in 1 file" in done.out


def test_a_fault_in_a_file_is_told_with_its_line_and_the_rest_is_run(run: Run, project: Path) -> None:
    """It ends with 1, whatever else holds (C04, law 8)."""
    (project / "a.expose.toml").write_text(HOLDS + '[[tests]]\nname = "b"\nsee = ["git/git_log"]\n')
    done = run("test")
    assert done.code == 1
    assert 'a.expose.toml:7:1: error config-unknown-key  [[tests]] has no key "see"; did you mean "sees"?' in done.out
    assert '    7 | see = ["git/git_log"]\n      | ^^^' in done.out
    assert "1 test passed in 1 file · 1 fault in the files" in done.out


def test_nothing_to_run_is_told_from_success(run: Run, project: Path) -> None:
    """No file, no test, none chosen: 4. A file that is not there: 2."""
    done = run("test")
    assert done.code == 4
    assert "there is no *.expose.toml" in done.err
    (project / "a.expose.toml").write_text("# nothing yet\n")
    assert run("test").code == 4
    assert run("test", ".").code == 4
    (project / "a.expose.toml").write_text(HOLDS)
    done = run("test", "-k", "nothing like it")
    assert done.code == 4
    assert "no test's name holds 'nothing like it'" in done.err
    assert run("test", "-k", "TOLD").code == 0
    assert run("test", "none.expose.toml").code == 2
    assert run("test", "--config", "none.toml").code == 2


def test_a_filter_chooses_by_name(run: Run, project: Path) -> None:
    """What is left out is counted, and fails nothing."""
    (project / "a.expose.toml").write_text(HOLDS + FAILS)
    done = run("test", "--filter", "told")
    assert done.code == 0
    assert "1 test passed in 1 file · 2 assertions · 1 not chosen" in done.out


def test_a_path_is_about_the_nearest_config(run: Run, project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Wherever it is run from; a folder is walked through; --config decides for all."""
    (project / "sub").mkdir()
    (project / "sub" / "config.toml").write_text('[mcp_servers.other]\ncommand = "x"\ndescription = "X"\n')
    (project / "a.expose.toml").write_text(HOLDS)
    (project / "sub" / "b.expose.toml").write_text('[[tests]]\nname = "b"\nsees = ["git/git_status"]\n')
    done = run("test", "a.expose.toml", ".", "--format", "json")
    files = {each["file"]: each for each in json.loads(done.out)["files"]}
    assert {name: each["config"] for name, each in files.items()} == {
        "a.expose.toml": "config.toml",
        "sub/b.expose.toml": "sub/config.toml",
    }
    assert done.code == 1
    assert "sub/config.toml has no server git" in done.out
    assert run("test", ".", "--config", "config.toml").code == 0
    away = tmp_path_factory.mktemp("away")
    (away / "c.expose.toml").write_text(HOLDS)
    assert run("test", str(away / "c.expose.toml")).code == 0  # no config above it: the one at hand


def test_json_is_for_programs(run: Run, project: Path) -> None:
    """Places, ranks and scores, and coverage where it was asked for."""
    (project / "a.expose.toml").write_text(HOLDS + FAILS + "[[tests]]\nname = 5\n")
    told = json.loads(run("test", "--format", "json", "--coverage").out)
    assert told["version"] == 1
    assert told["summary"] == {
        "files": 1,
        "tests": 2,
        "passed": 1,
        "failed": 1,
        "errors": 1,
        "left_out": 0,
        "assertions": 3,
    }
    good, bad = told["files"][0]["tests"]
    assert (good["outcome"], good["failures"], good["line"]) == ("passed", [], 2)
    (failure,) = bad["failures"]
    assert (failure["key"], failure["about"], failure["query"], failure["rank"]) == (
        "finds",
        "git/git_commit",
        "history",
        None,
    )
    assert (failure["line"], failure["column"]) == (8, 9)
    assert failure["found"][0]["tool"] == "git/git_log"
    assert told["findings"][0]["slug"] == "config-type"
    assert told["coverage"] == [
        {"config": "config.toml", "tools": 3, "named": 2, "unnamed": ["git/git_log"]},
    ]
    assert "unnamed" not in json.loads(run("test", "--format", "json").out)["coverage"][0]


def test_coverage_lists_what_no_test_names(run: Run, project: Path) -> None:
    """By server, for whoever writes the next test."""
    (project / "a.expose.toml").write_text(HOLDS)
    out = run("test", "--coverage").out
    assert "config.toml: 1 of 3 tools named by a test; no test names\n  git: git_commit, git_log\n" in out


def test_junit_goes_to_a_file_in_the_same_run(run: Run, project: Path) -> None:
    """One case a test, a fault of the file as an error; the code is that of the run (C04)."""
    (project / "a.expose.toml").write_text(HOLDS + FAILS + '[[tests]]\nname = "b"\nsee = ["a/b"]\n')
    done = run("test", "--output", "junit=out.xml", "--output", "json=out.json")
    assert done.code == 1
    assert "failed  found first" in done.out
    root = ElementTree.parse(project / "out.xml").getroot()
    assert [len(case) for case in root.iter("testcase")] == [0, 1, 1]
    assert root.attrib == {"name": "mcpexpose test", "tests": "3", "failures": "1", "errors": "1", "skipped": "0"}
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert list(cases["told at once"]) == []
    failure = cases["found first"].find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "finds"
    assert "a.expose.toml:8:9" in (failure.text or "")
    assert cases["config-unknown-key a.expose.toml:tests[2].see"].find("error") is not None
    assert json.loads((project / "out.json").read_text())["summary"]["failed"] == 1
    assert run("test", "--output", "junit=none/out.xml").code == 2


@pytest.mark.parametrize("form", ["text", "json", "junit"])
def test_a_format_changes_no_code(run: Run, project: Path, form: str) -> None:
    """0 and 1 in each."""
    (project / "a.expose.toml").write_text(HOLDS)
    assert run("test", "--format", form).code == 0
    (project / "a.expose.toml").write_text(HOLDS + FAILS)
    assert run("test", "--format", form).code == 1


def test_a_config_at_fault_is_no_green_run(run: Run, project: Path) -> None:
    """Tests over what is left would hold for the wrong reason (law 8)."""
    (project / "a.expose.toml").write_text('[[tests]]\nname = "a"\nnot_visible = ["git/git_push"]\n')
    config = project / "config.toml"
    config.write_text(config.read_text().replace('deny = ["git_push"]', 'denny = ["git_push"]'))
    done = run("test", "--output", "junit=out.xml")
    assert done.code == 1
    assert "config.toml has 1 error, so no plan can be written from it" in done.err
    assert ElementTree.parse(project / "out.xml").getroot().attrib["errors"] == "1"
    config.write_text("[mcp_servers.git\n")
    assert run("test").code == 1


def test_a_bundle_is_tested_as_a_host_has_it(run: Run, project: Path) -> None:
    """It does not know what was left out, so what is not in it is just not there (C03)."""
    (project / "a.expose.toml").write_text(HOLDS)
    assert run("plan", "--out", "plan").code == 0
    assert run("test", "--plan", "plan").code == 0
    (project / "a.expose.toml").write_text(FAILS + '[[tests]]\nname = "b"\nsees = ["git/git_push"]\n')
    done = run("test", "--plan", "plan", "--format", "json")
    assert done.code == 1
    told = [failure for test in json.loads(done.out)["files"][0]["tests"] for failure in test["failures"]]
    assert [failure["key"] for failure in told] == ["finds", "sees"]
    assert "meets none of the 3 tools in the plan of git" in told[1]["message"]
    assert run("test", "--plan", "none").code == 2


def test_the_query_is_ranked_as_search_ranks_it(run: Run, project: Path) -> None:
    """To the letter of the score (C04, F01)."""
    body = '[[tests]]\nname = "a"\nquery = "record history of the working tree"\nfinds = "git/git_commit"\nwithin = 1\n'
    (project / "a.expose.toml").write_text(body)
    (failure,) = json.loads(run("test", "--format", "json").out)["files"][0]["tests"][0]["failures"]
    searched = json.loads(run("search", "record history of the working tree", "--format", "json").out)["hits"]
    assert failure["found"] == [
        {"rank": hit["rank"], "tool": f"{hit['server']}/{hit['tool']}", "score": hit["score"]} for hit in searched
    ]
