"""`mcpexpose lint` and `mcpexpose rule`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]


@pytest.fixture
def faulty(project: Path) -> Path:
    """A config with one error and one warning."""
    file = project / "config.toml"
    text = file.read_text().replace('deny = ["git_push"]', 'deny = ["git_pish"]').replace('owner = "me"\n', "")
    file.write_text(text)
    return project


def slugs(done: Any) -> list[str]:
    return [finding["slug"] for finding in json.loads(done.out)["findings"]]


def test_a_finding_has_place_line_caret_and_advice(run: Run, faulty: Path) -> None:
    """file:line:column, the rule's name, what to do (C04)."""
    done = run("lint")
    assert done.code == 1
    lines = done.out.split("\n")
    (at,) = [n for n, line in enumerate(lines) if "pattern-matches-nothing" in line and line.startswith("config.toml:")]
    assert lines[at].startswith("config.toml:13:9: error pattern-matches-nothing  ")
    assert "git_pish" in lines[at]
    assert lines[at + 1] == '   13 | deny = ["git_pish"]'
    assert lines[at + 2].index("^") == lines[at + 1].index('"git_pish"')
    assert lines[at + 3].startswith("   fix: ")
    assert done.out.rstrip("\n").split("\n")[-1].startswith("1 error")
    assert "in 1 config, 1 catalog · can be mended: 1 with --fix --unsafe-fixes" in done.out
    assert "· mcpexpose rule pattern-matches-nothing explains" in done.out
    assert done.err == ""


def test_findings_are_in_order(run: Run, faulty: Path) -> None:
    """By file, line, column, slug."""
    found = json.loads(run("lint", "--format", "json").out)["findings"]
    keys = [(each["file"] or "", each["line"] or 0, each["column"] or 0, each["slug"]) for each in found]
    assert keys == sorted(keys)
    assert {"pattern-matches-nothing", "missing-owner"} <= {each["slug"] for each in found}


def test_rules_are_chosen_by_name_and_family(run: Run, faulty: Path) -> None:
    """`--select` and `--ignore`, with commas or again."""
    assert slugs(run("lint", "--format", "json", "--select", "missing-owner")) == ["missing-owner"]
    assert slugs(run("lint", "--format", "json", "--select", "missing-owner", "--ignore", "config")) == []
    both = slugs(run("lint", "--format", "json", "--select", "missing-owner,pattern-matches-nothing"))
    assert both == slugs(
        run("lint", "--format", "json", "--select", "missing-owner", "--select", "pattern-matches-nothing")
    )
    assert sorted(both) == ["missing-owner", "pattern-matches-nothing"]
    unknown = run("lint", "--select", "mising-owner")
    assert unknown.code == 2
    assert "did you mean missing-owner?" in unknown.err


@pytest.mark.parametrize(
    ("fail_on", "error", "warning"), [("error", 1, 0), ("warning", 1, 1), ("info", 1, 1), ("never", 0, 0)]
)
def test_fail_on_says_what_ends_with_1(run: Run, faulty: Path, fail_on: str, error: int, warning: int) -> None:
    """The same code in each format."""
    for form in ("text", "concise", "json"):
        done = run("lint", "--fail-on", fail_on, "--format", form, "--select", "pattern-matches-nothing")
        assert done.code == error
        assert run("lint", "--fail-on", fail_on, "--format", form, "--select", "missing-owner").code == warning


def test_paths_are_configs_or_folders_each_once(run: Run, faulty: Path) -> None:
    """Findings name files as one would type them."""
    sub = faulty / "sub dir"
    sub.mkdir()
    (sub / "config.toml").write_text('[mcp_servers.x]\ncommand = "y"\nexposre = "direct"\n')
    done = run(
        "lint", "sub dir", "config.toml", ".", "--format", "json", "--select", "config-unknown-key,missing-owner"
    )
    value = json.loads(done.out)
    assert value["summary"]["checked"]["configs"] == 2
    assert {each["file"] for each in value["findings"]} == {"config.toml", "sub dir/config.toml"}
    text = run("lint", "sub dir", "--select", "config-unknown-key").out
    assert text.startswith("sub dir/config.toml:3:1: error config-unknown-key")
    assert '    3 | exposre = "direct"' in text
    assert run("lint", "none.toml").code == 2


def test_a_catalogs_finding_points_into_the_catalog(run: Run, project: Path) -> None:
    """Line and column of the schema that is wrong."""
    file = project / "catalogs/git.json"
    catalog = json.loads(file.read_text())
    catalog["tools"][1]["inputSchema"] = {"type": "object", "properties": {"x": {"$ref": "https://evil.example/x"}}}
    file.write_text(json.dumps(catalog, indent=1))
    (found,) = json.loads(run("lint", "--format", "json", "--select", "schema-remote-ref").out)["findings"]
    line = file.read_text().split("\n")[found["line"] - 1]
    assert "evil.example" in line
    assert line[found["column"] - 1 :].startswith('"https://evil.example/x"')
    assert found["file"] == "catalogs/git.json"


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ('env = { TOKEN = "SECRET" }', "secret-in-config"),
        ('env = { TOKEN = "SECRET" }\ncwd = "."\nexposre = "SECRET"', "config-unknown-key"),
        ('env = { TOKEN = "SECRET", LOUD = 3 }', "config-type"),
        ('args = ["--token", "SECRET", 3]', "config-type"),
        ('env = { TOKEN = "SECRET", TOKEN = "SECRET" }', "config-duplicate"),
        ('env = { TOKEN = "SECRET" ]', "toml-syntax"),
    ],
)
def test_no_credential_reaches_a_report(run: Run, project: Path, line: str, slug: str) -> None:
    """Wherever it stands and whichever finding shows its line."""
    secret = "ghp_" + "Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    file = project / "config.toml"
    server = 'command = "mcp-git"\n'
    file.write_text(file.read_text().replace(server, server + line.replace("SECRET", secret) + "\n"))
    for form in ("text", "concise", "json"):
        done = run("lint", "--format", form)
        assert slug in done.out
        assert secret not in done.out + done.err
    for form in ("text", "markdown", "json"):
        assert secret not in run("plan", "--format", form).out
    for command in (("show",), ("search", "history"), ("explain", "git/git_log")):
        done = run(*command)
        assert secret not in done.out + done.err


def test_a_waived_finding_is_counted_and_does_not_fail(run: Run, faulty: Path) -> None:
    """For lint and for plan alike: no exit 1; nothing is written all the same."""
    waiver = '\n[[waivers]]\nrule = "pattern-matches-nothing"\nsubject = "git:deny[0]"\nreason = "on its way"\n'
    with (faulty / "config.toml").open("a") as file:
        file.write(waiver)
    done = run("lint")
    assert done.code == 0, done.out
    assert "(1 waived)" in done.out
    assert run("plan").code == 0


def test_reports_go_to_files(run: Run, faulty: Path) -> None:
    """Several in one run; one that cannot be written ends with 2."""
    done = run("lint", "--output", "json=lint.json", "--output", "concise=lint.txt")
    assert done.code == 1
    assert json.loads((faulty / "lint.json").read_text())["summary"]["errors"] == 1
    assert "pattern-matches-nothing" in (faulty / "lint.txt").read_text()
    assert run("lint", "--output", "json=none/lint.json").code == 2


def test_a_config_that_is_no_toml_is_a_finding(run: Run, project: Path) -> None:
    """Exit 1, with line and column."""
    (project / "config.toml").write_text("[mcp_servers.git]\ncommand = “x”\n")
    done = run("lint", "config.toml")
    assert done.code == 1
    assert done.out.startswith("config.toml:2:11: error toml-syntax")


def test_a_rules_page_is_there_for_every_slug(run: Run, faulty: Path) -> None:
    """What lint names, `rule` explains."""
    listed = run("rule")
    assert listed.code == 0
    facts = json.loads(run("rule", "--format", "json").out)["rules"]
    for rule in facts:
        assert rule["slug"] in listed.out
    page = run("rule", "pattern-matches-nothing")
    assert page.code == 0
    assert "pattern-matches-nothing" in page.out
    wrong = run("rule", "pattern-matches-nothin")
    assert wrong.code == 2
    assert "did you mean pattern-matches-nothing?" in wrong.err


TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize(
    "line",
    [
        'args = ["--token", "{}"]',
        'exposure = "{}"',
        '"{}" = 1',
        'allow = ["{}"]',
        'env = {{ A = "${{{}}}" }}',
        'env = {{ A = "${{{}:-x}}" }}',
        'tools."{}".exposure = "direct"',
        'default_tools_approval_mode = "{}"',
    ],
)
@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_a_credential_in_the_wrong_place_is_quoted_by_nobody(project: Path, run: Run, form: str, line: str) -> None:
    """A token is no tool, package, class or variable: the finding that it is none does not print it (C04, law 6)."""
    source = f'[mcp_servers.git]\ncommand = "npx"\n{line.format(TOKEN)}\n'
    (project / "config.toml").write_text(source)
    ran = run("lint", "--format", form)
    assert ran.out
    assert TOKEN not in ran.out + ran.err
    assert TOKEN not in run("plan", "--format", "json").out


def test_a_query_of_a_server_without_a_catalog_is_one_fault(run: Run, project: Path) -> None:
    """What was never captured cannot be found: that is told once, as catalog-missing, at the file that is not there."""
    tests = '[[tests]]\nname = "a"\nquery = "draw a picture"\nfinds = "git/git_log"\n'
    (project / "tests").mkdir()
    (project / "tests" / "a.expose.toml").write_text(tests)
    found = json.loads(run("lint", "--format", "json", "--select", "query-test-failed,catalog-missing").out)["findings"]
    assert [(each["slug"], each["file"], each["line"]) for each in found] == [
        ("query-test-failed", "tests/a.expose.toml", 4)
    ]
    (project / "catalogs" / "git.json").unlink()
    found = json.loads(run("lint", "--format", "json", "--select", "query-test-failed,catalog-missing").out)["findings"]
    assert [each["slug"] for each in found] == ["catalog-missing"]
