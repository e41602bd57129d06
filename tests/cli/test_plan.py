"""`mcpexpose plan`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]


def config(project: Path, old: str, new: str) -> None:
    file = project / "config.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_the_preview_has_the_numbers_and_every_deciding_key(run: Run) -> None:
    """What is declared, deferred, hidden and why, each with file and line (C04)."""
    done = run("plan")
    assert done.code == 0
    assert "direct 1 · deferred 2 · hidden 2 (1 denied) · left out 0" in done.out
    (row,) = [line for line in done.out.split("\n") if line.startswith("  git__git_status")]
    assert row.split()[1:3] == ["read_only", "auto"]
    assert row.endswith("config.toml:17")
    assert "Local git repositories" in done.out
    assert "2 d" in done.out
    assert done.err == ""


def test_a_profile_declares_its_default_tools(run: Run) -> None:
    """Request 1 of `--profile read` (X04)."""
    done = run("plan", "--profile", "read")
    assert done.code == 0
    assert "git__git_log" in done.out
    assert "default_tools of profile read" in done.out
    unknown = run("plan", "--profile", "write")
    assert unknown.code == 2
    assert "read" in unknown.err


def test_json_is_the_plan_and_what_is_not_in_it(run: Run) -> None:
    """For programs, exact (C04)."""
    value = json.loads(run("plan", "--format", "json").out)
    assert [tool["name"] for tool in value["tools"]] == ["git_commit", "git_log", "git_status"]
    assert sorted(each["name"] for each in value["hidden"]) == ["git_gc", "git_push"]
    assert value["left_out"] == []


def test_out_writes_the_bundle_and_says_its_digest(run: Run, project: Path) -> None:
    """A host loads what stands there (C03)."""
    done = run("plan", "--out", "build/plan")
    assert done.code == 0
    manifest = json.loads((project / "build/plan/manifest.json").read_text())
    assert manifest["plan_digest"] in done.out.split("\n")[-2]
    assert run("verify", "build/plan").code == 0


def test_out_with_json_keeps_stdout_for_the_plan(run: Run) -> None:
    """stdout is data, stderr is chatter."""
    done = run("plan", "--out", "build/plan", "--format", "json")
    json.loads(done.out)
    assert "plan digest" in done.err


def test_an_operators_fault_writes_nothing_and_the_old_bundle_stays(run: Run, project: Path) -> None:
    """Preview what can be, write nothing, say so, end with 1."""
    assert run("plan", "--out", "build/plan").code == 0
    before = (project / "build/plan/manifest.json").read_bytes()
    config(project, 'deny = ["git_push"]', 'deny = ["git_pish"]')
    done = run("plan", "--out", "build/plan")
    assert done.code == 1
    assert "nothing is written to build/plan" in done.err
    assert "stays" in done.err
    assert "FAULTS" in done.out
    assert "pattern-matches-nothing" in done.out
    assert "config.toml:14:9" in done.out
    assert (project / "build/plan/manifest.json").read_bytes() == before
    assert run("plan", "--out", "build/new").code == 1
    assert not (project / "build/new").exists()


def test_a_servers_fault_is_left_out_and_the_rest_is_written(run: Run, project: Path) -> None:
    """What a server sent cannot stop the plan; the command still ends with 1."""
    file = project / "catalogs/git.json"
    catalog = json.loads(file.read_text())
    catalog["tools"][1]["inputSchema"] = {"type": "object", "properties": {"x": {"$ref": "https://evil.example/x"}}}
    file.write_text(json.dumps(catalog, indent=1))
    done = run("plan", "--out", "build/plan")
    assert done.code == 1
    assert "left out 1" in done.out
    (row,) = [line for line in done.out.split("\n") if line.startswith("  git/git_log ")]
    assert "schema-remote-ref" in row
    assert "catalogs/git.json: #/properties/x/$ref" in row
    assert (project / "build/plan/manifest.json").exists()


def test_a_text_that_is_no_toml_ends_with_1_in_every_format(run: Run, project: Path) -> None:
    """No plan, and why; a format never changes the code."""
    (project / "config.toml").write_text("[mcp_servers.git\n")
    for form in ("text", "json", "markdown"):
        done = run("plan", "--config", "config.toml", "--format", form, "--out", "build/plan")
        assert done.code == 1
        assert "toml-syntax" in done.out
        if form == "json":
            assert json.loads(done.out)["writable"] is False


def test_reports_go_to_files_beside_stdout(run: Run, project: Path) -> None:
    """`--output` as often as wanted; one that cannot be written ends with 2."""
    done = run("plan", "--output", "json=plan.json", "--output", "markdown=plan.md")
    assert done.code == 0
    assert json.loads((project / "plan.json").read_text())["tools"]
    assert (project / "plan.md").read_text().startswith("### ")
    assert done.out.startswith("config.toml")
    failed = run("plan", "--output", "json=no/such/folder/plan.json")
    assert failed.code == 2
    assert "no/such/folder/plan.json" in failed.err


def test_an_old_catalog_is_marked_by_the_clock_that_was_given(run: Run) -> None:
    """`--now` is the wall clock; the plan is the same (law 5)."""
    done = run("plan", "--now", "2026-12-09T12:00:00Z")
    assert "11 d" in done.out
    assert "older than max_age 7d" in done.out
    one = json.loads(run("plan", "--format", "json").out)
    other = json.loads(run("plan", "--format", "json", "--now", "2026-12-09T12:00:00Z").out)
    del one["findings"], other["findings"]
    assert one == other


def test_another_folder_of_catalogs(run: Run, project: Path) -> None:
    """`--catalogs DIR`, and places name it."""
    (project / "catalogs").rename(project / "captured")
    assert "no usable catalog" in run("plan").out
    assert "direct 1 · deferred 2" in run("plan", "--catalogs", "captured").out


def test_two_runs_print_the_same(fresh: Run) -> None:
    """Whatever the hash seed (law 5)."""
    outputs = {
        fresh("plan", "--now", "2026-11-30T12:00:00Z", "--format", form, PYTHONHASHSEED=seed).stdout
        for seed in ("1", "2")
        for form in ("json",)
    }
    assert len(outputs) == 1


def test_a_pipe_is_plain_and_a_terminal_without_unicode_gets_ascii(fresh: Run) -> None:
    """NO_COLOR, FORCE_COLOR, encodings."""
    assert b"\x1b" not in fresh("plan").stdout
    assert b"\x1b[" in fresh("plan", FORCE_COLOR="1").stdout
    assert b"\x1b" not in fresh("plan", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert fresh("plan", PYTHONIOENCODING="ascii").stdout.isascii()


def test_the_page_says_of_every_tool_why_and_where(run: Run, project: Path) -> None:
    """What is declared, deferred, hidden, and why, with the line (C04)."""
    done = run("plan", "--format", "html")
    assert (done.code, done.err) == (0, "")
    rows = re.findall(r"<tr><td>(git_\w+)<br>.*?<td>([^<]*)</td><td>([^<]*)</td></tr>", done.out)
    assert {name: at for name, _, at in rows} == {
        "git_status": "config.toml:17",
        "git_commit": "config.toml:4",
        "git_log": "config.toml:4",
        "git_gc": "config.toml:27",
        "git_push": "config.toml:14",
    }
    assert all(because for _, because, _ in rows)
    (project / "config.toml").write_text("[mcp_servers.git]\ncommand = 'a'\nexposure")
    broken = run("plan", "--output", "html=page.html")
    assert broken.code == 1
    assert "There is no plan" in (project / "page.html").read_text("utf-8")


def test_each_target_has_its_own_tokens(run: Run, project: Path) -> None:
    """What request 1 weighs for whom, in the form that each of them takes; those of lint, where none is named (X08)."""
    value = json.loads(run("plan", "--format", "json").out)["preview"]
    assert [each["target"] for each in value["targets"]] == ["anthropic", "openai"]
    config(project, 'default = "deferred"', 'default = "deferred"\ntargets = ["claude-code", "cursor"]')
    config(
        project,
        '[mcp_servers.git.tools."git_status"]',
        f'[mcp_servers.git.tools."git_status"]\ndescription = "{"word " * 500}"',
    )
    done = run("plan", "--format", "json")
    value = json.loads(done.out)["preview"]
    cut, whole = value["targets"]
    assert (cut["target"], cut["description_cut"], cut["most"]) == ("claude-code", 1, None)
    assert (whole["target"], whole["description_cut"], whole["most"]) == ("cursor", 0, 40)
    assert cut["tokens"] < whole["tokens"] == value["tokens"]
    assert whole["tools"] == len(value["declared"]) + 1
    line = next(line for line in run("plan").out.split("\n") if "as taken by" in line)
    assert f"claude-code {cut['tokens']:,} (" in line
    assert "1 description cut" in line
    (project / "catalogs" / "git.json").unlink()
    assert "as taken by" not in run("plan").out


def test_plan_does_not_claim_the_warnings_that_lint_finds(run: Run, project: Path) -> None:
    """plan runs no rule of lint, so its number is of the way to the plan, and says so."""
    config(project, 'max_age = "7d"', 'max_age = "1d"')
    assert "2 warnings on the way to the plan" in run("plan").out
