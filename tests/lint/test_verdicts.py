"""What is remembered between two runs of lint: faster, and not a word different."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.cli.main import main
from mcpexpose.lint.registry import all_rules, facts
from mcpexpose.lint.verdicts import verdicts_of
from mcpexpose.model.recall import Recall

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """\
[mcp_servers.crm]
command = "crm-server"
description = "Customers"
owner = "sales-team"
[mcp_servers.crm.tools."*"]
side_effect = "read_only"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MCPEXPOSE_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    (folder / "catalogs").mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG)
    write(folder, good="Find a customer by name or number", bad="")
    return folder


def write(folder: Path, **tools: str) -> None:
    listed = [
        {"name": name, "description": text, "inputSchema": {"type": "object", "properties": {}}}
        for name, text in tools.items()
    ]
    catalog = {"format": 1, "server": "crm", "captured_at": "2026-11-30T12:00:00Z", "tools": listed}
    (folder / "catalogs" / "crm.json").write_text(json.dumps(catalog))


def said(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[tuple[str, str]]:
    main(["lint", str(folder / "config.toml"), "--now", "2026-11-30T13:00:00Z", "--format", "json", *more])
    return [(each["slug"], each["subject"]) for each in json.loads(capsys.readouterr().out)["findings"]]


def the_file(folder: Path) -> Path:
    (file,) = (folder.parent / "cache" / "mcpexpose" / "lint").iterdir()
    return file


def test_the_second_run_says_the_same(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a cache, without one, and after it was damaged in any way (law 5)."""
    first = said(project, capsys)
    assert ("description-missing", "crm/bad") in first
    assert said(project, capsys) == first
    assert said(project, capsys, "--no-cache") == first
    kept = the_file(project).read_text()
    forged = json.loads(kept)
    forged["plan"]["findings"] = {"not-found-by-name": [{"slug": "not-found-by-name", "message": "\x1b[2J"}]}
    for text in ("", "{", "[]", "null", kept[:-9], kept.replace("tools", "toolz"), json.dumps(forged)):
        the_file(project).write_text(text)
        assert said(project, capsys) == first
    assert the_file(project).read_text() == kept


def test_what_changes_is_judged_anew(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A tool's text, a decision on it, the targets, which rules run."""
    before = said(project, capsys)
    write(project, good="Customers", bad="Merge two customers that are one, by their numbers")
    after = said(project, capsys)
    assert ("description-missing", "crm/bad") not in after
    assert after == said(project, capsys, "--no-cache") != before
    for more in ("[mcp_servers.crm.tools.bad]\ndescription = 'x'\n", "[exposure]\ntargets = ['openai', 'cursor']\n"):
        (project / "config.toml").write_text(CONFIG + more)
        assert said(project, capsys) == said(project, capsys, "--no-cache")
    alone = said(project, capsys, "--select", "description-too-thin")
    assert alone == said(project, capsys, "--select", "description-too-thin", "--no-cache")
    assert said(project, capsys) == said(project, capsys, "--no-cache")


def test_silent_rules_are_not_asked_again(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is what makes it fast (issue of the everyday: the second run)."""
    said(project, capsys)
    asked: list[str] = []

    def check(tool: object, context: object) -> list[object]:
        asked.append(str(tool))
        return []

    for slug in ("secret-in-catalog", "description-missing"):
        rule = all_rules()[slug]
        monkeypatch.setattr(rule, "checks", [(kind, check) for kind, _ in rule.checks])
    said(project, capsys)
    assert asked == []  # nothing is another, so nobody is
    (project / "config.toml").write_text(CONFIG + "# Another text.\n")
    said(project, capsys)
    assert len(asked) == 1
    assert "'bad'" in asked[0]


def test_clock_and_environment_are_asked_anew(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A catalog that grows old, a waiver that ends, a variable that is set meanwhile."""
    more = (
        'env = { A = "${CRM_A}" }\n[freshness]\nmax_age = "2h"\n[[waivers]]\nrule = "description-missing"\n'
        'subject = "crm/*"\nreason = "known"\nuntil = 2026-11-30\n'
    )
    (project / "config.toml").write_text(
        CONFIG.replace('owner = "sales-team"\n', 'owner = "sales-team"\n' + more.partition("[")[0])
        + more[more.index("[fresh") :]
    )
    monkeypatch.delenv("CRM_A", raising=False)
    first = said(project, capsys)
    assert ("env-unset", "crm:env.A") in first
    assert ("description-missing", "crm/bad") not in first
    monkeypatch.setenv("CRM_A", "1")
    assert "env-unset" not in {slug for slug, _ in said(project, capsys)}
    later = said(project, capsys, "--now", "2026-12-01T13:00:00Z")
    assert {("stale-catalog", "crm"), ("waiver-expired", "waivers[0]"), ("description-missing", "crm/bad")} <= {*later}
    assert later == said(project, capsys, "--now", "2026-12-01T13:00:00Z", "--no-cache")


def test_nothing_is_kept_where_nothing_can_be(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home without rights, or --no-cache: lint goes on as ever; and config rules alone need no cache."""
    first = said(project, capsys, "--no-cache")
    said(project, capsys, "--select", "config,transport")
    assert not (project.parent / "cache").exists()
    (project.parent / "cache").write_text("a file")
    assert said(project, capsys) == first
    (project.parent / "cache").unlink()
    said(project, capsys)
    assert [path.name for path in the_file(project).parent.iterdir()] == [the_file(project).name]


def test_another_version_of_the_rules_forgets(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A verdict of rules that were mended since is none."""
    said(project, capsys)
    data = json.loads(the_file(project).read_text())
    assert verdicts_of(project / "config.toml").recall.before
    the_file(project).write_text(json.dumps({**data, "version": "another"}))
    assert not verdicts_of(project / "config.toml").recall.before


@pytest.mark.parametrize("slug", sorted(all_rules()))
def test_a_rule_s_source_says_what_the_rule_is(slug: str) -> None:
    """So that a run need not import the rules that have nothing to look at."""
    rule = all_rules()[slug]
    assert facts(slug).kinds == tuple(dict.fromkeys(kind.__name__ for kind, _ in rule.checks))
    assert facts(slug).audit is rule.audit
    assert facts(slug).remembered == (rule.remembered or "")
    if rule.remembered == "tool":
        assert {kind.__name__ for kind, _ in rule.checks} == {"CapturedTool"}


def test_a_definition_of_any_depth_has_a_key() -> None:
    """Five hundred levels are no trouble of lint's own."""
    deep: dict[str, object] = {}
    for _ in range(2_000):
        deep = {"properties": {"a": deep}}
    recall = Recall()
    assert recall.key({"name": "t", "inputSchema": deep}) != recall.key({"name": "u", "inputSchema": deep})


def test_a_cache_that_others_may_have_written_is_not_believed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever shares a folder with this user silences nothing (C04)."""
    first = said(project, capsys)
    file = the_file(project)
    assert file.stat().st_mode & 0o077 == 0
    data = json.loads(file.read_text())
    data["whole"]["found"] = data["whole"]["told"] = []
    file.write_text(json.dumps(data))
    assert said(project, capsys) == []  # this user's own word is believed
    file.chmod(0o666)
    assert said(project, capsys) == first
    file.write_text(json.dumps(data))
    file.chmod(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    assert said(project, capsys) == first


@pytest.mark.parametrize("name", ["catalogs/other.json", "a.expose.toml", "tests/a.expose.toml", "mcpexpose.lock"])
def test_a_device_or_pipe_in_a_repository_holds_nothing_up(
    project: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """A pull request may link a file to what has no end; lint says what it says without a cache (C04)."""
    path = project / name
    path.parent.mkdir(exist_ok=True)
    for _ in range(2):
        path.symlink_to("/dev/zero")
        plain = said(project, capsys, "--no-cache")
        assert said(project, capsys) == plain
        path.unlink()
        os.mkfifo(path)
        assert name.endswith(".toml") or said(project, capsys) == said(project, capsys, "--no-cache")
        path.unlink()


def test_what_changes_while_lint_reads_is_not_kept(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Findings of one state are never told of another (C04)."""
    from mcpexpose.lint import again

    first = said(project, capsys, "--no-cache")
    using = again.using

    def swapped(recall: Any) -> Any:
        write(project, good="Find a customer by name or number")
        return using(recall)

    monkeypatch.setattr(again, "using", swapped)
    said(project, capsys)
    monkeypatch.setattr(again, "using", using)
    write(project, good="Find a customer by name or number", bad="")
    assert said(project, capsys) == first
