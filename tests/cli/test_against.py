"""`plan --against`: a commit, a bundle, a plan.json; in a scratch repository, as a pull request would meet it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_lock import alter

Run = Callable[..., Any]


def git(folder: Path, *words: str) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        who |= {f"GIT_{role}_NAME": "Somebody", f"GIT_{role}_EMAIL": "somebody@example.com"}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environ | who, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str = "more") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message, "--allow-empty")


@pytest.fixture
def repository(run: Run, project: Path) -> Path:
    """The project under git, locked, with one commit."""
    git(project, "init", "-q", "-b", "main")
    assert run("lock").code == 0
    commit(project, "one")
    return project


def edit(project: Path, old: str, new: str) -> None:
    file = project / "config.toml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def changes(run: Run, *words: str, code: int = 0) -> dict[str, Any]:
    done = run("plan", *words, "--format", "json")
    assert done.code == code, done.err
    value: dict[str, Any] = json.loads(done.out)["changes"]
    return value


def test_against_the_commit_before(run: Run, repository: Path) -> None:
    """Every change of config, pack and catalog that a model would meet, sorted by risk (C07)."""
    edit(repository, 'deny = ["git_push"]\n', "")
    edit(repository, "Local git repositories", "Git repositories of the team")
    edit(
        repository,
        'side_effect = "write"\n\n[mcp_servers.git.tools."git_gc"]',
        'side_effect = "read_only"\n\n[mcp_servers.git.tools."git_gc"]',
    )
    alter(repository, "git_log", description="Show the history of commits and tags")
    assert run("lock").code == 0
    commit(repository)
    assert changes(run, "--against", "HEAD")["differs"] is False
    found = changes(run, "--against", "HEAD~1")
    told = {(each["subject"], each["risk"]) for each in found["changes"]}
    assert ("git/git_push", "WIDENS") in told
    assert ("git/git_log", "TEXT") in told
    assert ("git", "TEXT") in told
    assert ("servers section", "TEXT") in told
    risks = [each["risk"] for each in found["changes"]]
    assert risks == sorted(risks, key=["WIDENS", "SAFETY", "SCHEMA", "TEXT", "NARROWS"].index)
    text = run("plan", "--against", "HEAD~1").out
    assert "  AGAINST HEAD~1" in text
    assert "description +2 −0 words" in text


def test_the_code_and_the_text_are_of_one_mind(run: Run, repository: Path) -> None:
    """3 where something differs, in every format; 0 where nothing does (C07)."""
    for form in ("text", "json", "markdown"):
        assert run("plan", "--against", "main", "--detailed-exitcode", "--format", form).code == 0
    assert "AGAINST main: nothing changed" in run("plan", "--against", "main").out
    edit(repository, 'exposure = "direct"', 'exposure = "deferred"')
    for form in ("text", "json", "markdown"):
        assert run("plan", "--against", "main", "--detailed-exitcode", "--format", form).code == 3
        assert run("plan", "--against", "main", "--format", form).code == 0
    markdown = run("plan", "--against", "main", "--format", "markdown").out
    assert "**Against main:** 1 narrowed · direct 1 → 0" in markdown


def test_lint_lock_and_plan_in_a_pull_request(run: Run, repository: Path) -> None:
    """The codes of the table, one after the other (C07)."""
    git(repository, "checkout", "-qb", "change")
    assert run("lint").code == 0
    assert run("lock", "--check").code == 0
    alter(repository, "git_status", inputSchema={"type": "object", "properties": {}})
    commit(repository)
    assert run("lint").code == 1
    assert run("lock", "--check").code == 3
    found = changes(run, "--against", "HEAD~1", "--detailed-exitcode", code=1)
    assert found["changes"][0]["risk"] == "SAFETY"
    assert "path is gone" in found["changes"][0]["parts"][0]["text"]
    assert run("lock").code == 0
    commit(repository)
    assert run("lint").code == 0
    assert run("lock", "--check").code == 0
    assert run("plan", "--against", "main", "--detailed-exitcode").code == 3


def test_packs_and_folders_of_the_commit_are_used(run: Run, repository: Path) -> None:
    """The pack as it was, from a config in a folder of its own (C07)."""
    (repository / "team").mkdir()
    for name in ("config.toml", "catalogs"):
        git(repository, "mv", name, f"team/{name}")
    edit(repository / "team", "schema_version = 1", 'schema_version = 1\nextends = ["../packs/team.toml", "baseline"]')
    (repository / "packs").mkdir()
    pack = repository / "packs" / "team.toml"
    pack.write_text('name = "team"\nversion = 1\n[[constraints]]\nmatch = "git/git_log"\nmax_exposure = "hidden"\n')
    commit(repository)
    pack.write_text('name = "team"\nversion = 1\n[[constraints]]\nmatch = "git/git_log"\napproval = "ask"\n')
    edit(repository / "team", '"git/git_log"', '"git/git_status"')
    words = ("--config", "team/config.toml", "--against", "HEAD")
    found = {each["subject"]: each["risk"] for each in changes(run, *words)["changes"]}
    assert found["git/git_log"] == "WIDENS"


def test_where_there_was_no_config_all_is_new(run: Run, repository: Path) -> None:
    """The pull request that brings it (C07)."""
    git(repository, "checkout", "-q", "--orphan", "empty")
    git(repository, "rm", "-rqf", "--cached", ".")
    git(repository, "commit", "-q", "--allow-empty", "-m", "nothing")
    done = run("plan", "--against", "HEAD")
    assert done.code == 0
    assert "all of it is new" in done.err
    assert "4 widened" in done.out  # three tools and a profile
    assert "direct 0 → 1" in done.out


@pytest.mark.parametrize(
    "ref",
    ["--upload-pack=touch MARK", "-h", "", "nothing-of-that-name", "HEAD:config.toml", "HEAD^{tree}", "a b", "@{-9}"],
)
def test_what_names_no_commit_is_usage(run: Run, repository: Path, ref: str) -> None:
    """And nothing that looks like an option reaches git (law 6)."""
    done = run("plan", f"--against={ref}")
    assert done.code == 2
    assert done.out == ""
    assert not (repository / "MARK").exists()


def test_outside_a_repository_a_commit_is_usage(run: Run, project: Path) -> None:
    done = run("plan", "--against", "main")
    assert done.code == 2
    assert "repository" in done.err


def test_a_config_that_was_broken_cannot_be_compared_with(run: Run, repository: Path) -> None:
    text = (repository / "config.toml").read_text()
    (repository / "config.toml").write_text("[")
    commit(repository)
    (repository / "config.toml").write_text(text)
    done = run("plan", "--against", "HEAD")
    assert done.code == 2
    assert "config.toml at HEAD" in done.err


def test_nothing_is_checked_out_and_nothing_stays(run: Run, repository: Path) -> None:
    """The work tree, the index and the temporary folder are as they were (law 7)."""
    there = Path(tempfile.gettempdir())
    edit(repository, "Local git", "Global git")
    before = git(repository, "status", "--porcelain"), {path.name for path in there.glob("mcpexpose-*")}
    assert run("plan", "--against", "HEAD").code == 0
    after = git(repository, "status", "--porcelain"), {path.name for path in there.glob("mcpexpose-*")}
    assert after == before


def test_against_a_bundle(run: Run, repository: Path) -> None:
    """A folder with a manifest, read as a host reads it (C07)."""
    assert run("plan", "--out", "build/plan").code == 0
    assert changes(run, "--against", "build/plan")["differs"] is False
    alter(repository, "git_log", inputSchema={"type": "object", "properties": {"path": {"type": "integer"}}})
    found = changes(run, "--against", "build/plan", code=1)  # the lock has not accepted it
    assert [(each["subject"], each["risk"]) for each in found["changes"]] == [("git/git_log", "SAFETY")]
    (repository / "build" / "plan" / "definitions.bin").write_bytes(b"x")
    done = run("plan", "--against", "build/plan")
    assert done.code == 1
    assert "plan-damaged" in done.err


def test_against_a_file(run: Run, repository: Path) -> None:
    """plan.json, or what `plan --format json` gave (C07)."""
    run("plan", "--output", "json=before.json")
    assert changes(run, "--against", "before.json")["differs"] is False
    edit(repository, 'exposure = "direct"', 'exposure = "deferred"')
    found = changes(run, "--against", "before.json")
    assert [(each["subject"], each["risk"]) for each in found["changes"]] == [("git/git_status", "NARROWS")]
    (repository / "before.json").write_text("{}")
    assert run("plan", "--against", "before.json").code == 1
    assert run("plan", "--against", "none/at/all.json").code == 2


def test_a_plan_file_alone_never_understates_a_schema(run: Run, repository: Path) -> None:
    """It holds digests of definitions: that one changed is known, how is not, and it may be a SAFETY (C07)."""
    assert run("plan", "--out", "build/plan").code == 0
    (repository / "alone.json").write_bytes((repository / "build/plan/plan.json").read_bytes())
    catalog = repository / "catalogs" / "git.json"
    value = json.loads(catalog.read_text())
    value["tools"][0]["inputSchema"]["properties"] = {"ref": {"type": "string"}}
    value["tools"][0]["inputSchema"]["required"] = ["ref"]
    catalog.write_text(json.dumps(value))
    assert run("lock").code == 0
    (alone,) = changes(run, "--against", "alone.json")["changes"]
    assert (alone["risk"], alone["parts"][0]["text"]) == (
        "SAFETY",
        "schema or annotations changed (a plan.json does not say how)",
    )
    (beside,) = changes(run, "--against", "build/plan/plan.json")["changes"]
    assert (beside["risk"], "path is gone" in str(beside["parts"])) == ("SAFETY", True)


def test_a_file_that_is_no_plan_says_what_is_wanted(run: Run, repository: Path) -> None:
    done = run("plan", "--against", "config.toml")
    assert done.code == 1
    assert "plan.json of a bundle" in done.err


def test_a_folder_without_a_plan_says_so(run: Run, repository: Path) -> None:
    done = run("plan", "--against", "catalogs")
    assert done.code == 2
    assert "holds no plan" in done.err


def test_profile_alias_and_approval_count(run: Run, repository: Path) -> None:
    """Nothing that a model meets is left out (C07)."""
    edit(repository, 'side_effects = ["read_only"]', 'side_effects = ["read_only", "write"]')
    with (repository / "config.toml").open("a") as file:
        file.write('[policy]\nauto_approve = ["git/git_commit"]\n')
    found = {each["subject"]: each for each in changes(run, "--against", "HEAD")["changes"]}
    assert "approval ask → auto" in found["git/git_commit"]["parts"][0]["text"]
    assert found["git/git_commit"]["note"] == "write · runs without asking"
    assert found["read"]["kind"] == "profile"
    assert "reaches git/git_commit" in found["read"]["parts"][0]["text"]


def test_references_are_shown_by_name_and_values_never(run: Run, repository: Path) -> None:
    """C07"""
    edit(repository, 'command = "mcp-git"', 'command = "mcp-git"\nenv = { TOKEN = "${OLD_TOKEN:-sesame}" }')
    commit(repository)
    edit(repository, "${OLD_TOKEN:-sesame}", "${NEW_TOKEN:-sesame}")
    for form in ("text", "json", "markdown"):
        done = run("plan", "--against", "HEAD", "--format", form)
        assert "NEW_TOKEN" in done.out.replace("\\", "")
    text = run("plan", "--against", "HEAD").out
    assert "TOKEN ${OLD_TOKEN} → ${NEW_TOKEN}" in text
    assert "sesame" not in text


def test_a_catalog_that_is_a_link_is_followed_within_the_commit(run: Run, repository: Path) -> None:
    """As a reader of the work tree follows it; what leads out of the repository is not there (C07)."""
    (repository / "shared").mkdir()
    (repository / "catalogs" / "git.json").rename(repository / "shared" / "git.json")
    (repository / "catalogs" / "git.json").symlink_to("../shared/git.json")
    commit(repository)
    assert changes(run, "--against", "HEAD")["differs"] is False
    (repository / "catalogs" / "git.json").unlink()
    (repository / "catalogs" / "git.json").symlink_to("/etc/hostname")
    commit(repository)
    (repository / "catalogs" / "git.json").unlink()
    (repository / "catalogs" / "git.json").symlink_to("../shared/git.json")
    assert all(
        each["risk"] == "WIDENS" for each in changes(run, "--against", "HEAD")["changes"] if each["kind"] == "tool"
    )


def test_a_clone_that_lacks_objects_fetches_none(run: Run, repository: Path) -> None:
    """Nothing connects, not even where git would do so by itself (law 7)."""
    blob = git(repository, "rev-parse", "HEAD:config.toml")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ext::sh -c touch% MARK"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ):
        git(repository, "config", key, value)
    done = run("plan", "--against", "HEAD")
    assert not (repository / "MARK").exists()
    assert done.code == 2
