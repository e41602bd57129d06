"""What --fix makes of a config: the right text, and nothing else of it."""

from __future__ import annotations

import datetime
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from mcpexpose.cli.linting import lint
from mcpexpose.lint.choice import Choice
from mcpexpose.lint.fix import Edit, Fix
from mcpexpose.lint.mend import Mended, mend, offers
from mcpexpose.lint.registry import all_rules
from mcpexpose.model.jsonform import to_json
from mcpexpose.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
CATALOG = (
    '{"server":"git","captured_at":"2026-11-29T00:00:00Z","tools":['
    '{"name":"git_log","description":"Show the history of commits","inputSchema":{"type":"object"}},'
    '{"name":"git_push","description":"Send commits to a remote","inputSchema":{"type":"object"}}]}'
)
HEAD = '# the servers\n[mcp_servers.git] # mine\ncommand = "git-mcp"\ndescription = "Repositories"\nowner = "me"\n'


def mended(folder: Path, config: str | bytes, *, unsafe: bool = True, select: str = "") -> Mended:
    (folder / "config.toml").write_bytes(config if isinstance(config, bytes) else config.encode())
    (folder / "catalogs").mkdir(exist_ok=True)
    (folder / "catalogs" / "git.json").write_text(CATALOG)
    workspace = Workspace(folder / "config.toml", environ={}, now=NOW)
    choice = Choice(select=frozenset({select, "plain-http", "shell-command"} if select else ()))
    return mend(workspace, lambda each: lint(each, choice), unsafe=unsafe)


def text(done: Mended) -> str:
    return done.workspace.document.text


CASES: list[tuple[str, str, str]] = [
    ("config-unknown-key", HEAD + 'exposre = "hidden" # x\n', HEAD + 'exposure = "hidden" # x\n'),
    ("config-unknown-key", HEAD + '"expo-sure" = "hidden"\n', HEAD + 'exposure = "hidden"\n'),
    (
        "config-unknown-key",
        HEAD.replace("mcp_servers", "mcp_server") + "[mcp_server.b]\ncommand='b'\n",
        HEAD + "[mcp_servers.b]\ncommand='b'\n",
    ),
    ("config-value", HEAD + "exposure  =  'diferred'\n", HEAD + "exposure  =  'deferred'\n"),
    ("config-type", HEAD + 'trust_annotations = "True" # y\n', HEAD + "trust_annotations = true # y\n"),
    ("config-type", HEAD + 'deny = "git_push"\n', HEAD + 'deny = ["git_push"]\n'),
    ("config-type", HEAD + 'tool_timeout_sec = "60"\n', HEAD + 'tool_timeout_sec = "60"\n'),
    (
        "config-type",
        HEAD + '[exposure]\ncontext_window = "200000"\n',
        HEAD + "[exposure]\ncontext_window = 200000\n",
    ),
    ("config-control-characters", HEAD + r'cwd = "C:\temp\\new"' + "\n", HEAD + r"cwd = 'C:\temp\new'" + "\n"),
    ("config-control-characters", HEAD + 'deny = ["git_pu\\u0007sh"]\n', HEAD + 'deny = ["git_push"]\n'),
    (
        "pattern-matches-nothing",
        HEAD + "deny = [\n  'git_pusch', # no\n]\n",
        HEAD + "deny = [\n  'git_push', # no\n]\n",
    ),
    ("pattern-matches-nothing", HEAD + 'deny = ["git/git_push"]\n', HEAD + 'deny = ["git_push"]\n'),
    ("pattern-matches-nothing", HEAD + 'deny = ["git_p?sch"]\n', HEAD + 'deny = ["git_p?sch"]\n'),
    ("env-syntax", HEAD + 'args = ["${HOME/x", "$${A"]\n', HEAD + 'args = ["${HOME}/x", "$${A"]\n'),
    ("env-syntax", HEAD + 'args = ["${A${B}}"]\n', HEAD + 'args = ["${A${B}}"]\n'),
    ("env-syntax", HEAD + 'args = ["${ HOME }"]\n', HEAD + 'args = ["${HOME}"]\n'),
    ("env-foreign-syntax", HEAD + 'args = ["%HOME%", "{env:X}"]\n', HEAD + 'args = ["${HOME}", "${X}"]\n'),
    ("env-foreign-syntax", HEAD + "args = ['${env:A}-$B']\n", HEAD + "args = ['${A}-${B}']\n"),
    ("env-foreign-syntax", HEAD + 'args = ["${A-b}"]\n', HEAD + 'args = ["${A:-b}"]\n'),
    (
        "secret-in-config",
        HEAD + 'env = { TOKEN = "ghp_Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1" } # t\n',
        HEAD + 'env = { TOKEN = "${TOKEN}" } # t\n',
    ),
    (
        "secret-in-config",
        HEAD + 'args = ["--token=ghp_Ab3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1"]\n',
        HEAD + 'args = ["--token=${GIT_ARGS_0}"]\n',
    ),
    (
        "config-description-multiline",
        HEAD.replace('"Repositories"', '"""\nRepositories\n  of all teams\n"""  # d'),
        HEAD.replace('description = "Repositories"', '# of all teams\ndescription = "Repositories"  # d'),
    ),
    (
        "waiver-expired",
        '[[waivers]]\nrule = "plain-http"\nsubject = "git:url"\nreason = "r"\nuntil = 2026-01-01\n\n# next\n' + HEAD,
        "# next\n" + HEAD,
    ),
    (
        "unused-waiver",
        HEAD
        + '\n[[waivers]] # w\nrule = "plain-http"\n# why\nsubject = "git:url"\nreason = """\na\n"""\n'
        + '\n[groups]\na = "b"\n',
        HEAD + '\n# why\n\n[groups]\na = "b"\n',
    ),
    (
        "unused-waiver",
        'waivers = [{ rule = "plain-http", subject = "git:url", reason = "r" }]\n' + HEAD,
        "waivers = []\n" + HEAD,
    ),
    ("unused-waiver", HEAD + "# mcpexpose: ignore[plain-http] x\n", HEAD),
    ("unused-waiver", HEAD.replace("# mine", "# mcpexpose: ignore[plain-http] x"), HEAD.replace(" # mine", "")),
    (
        "unused-waiver",
        HEAD.replace("# mine", "# mcpexpose: ignore[plain-http, shell-command] x"),
        HEAD.replace(" # mine", ""),
    ),
    (
        "unknown-rule-name",
        HEAD + "[lint]\nignore = ['plain-htp']\n[lint.severity]\nplain-htp = 'info'\n",
        HEAD + "[lint]\nignore = ['plain-http']\n[lint.severity]\nplain-http = 'info'\n",
    ),
    ("unknown-rule-name", HEAD + "# mcpexpose: ignore[plain-htp] x\n", HEAD + "# mcpexpose: ignore[plain-http] x\n"),
    (
        "toml-1-1-only",
        HEAD + 'env = {\n  A = "a\\x41\\e",\n  B = "b",\n}\n',
        HEAD + 'env = { A = "a\\u0041\\u001B", B = "b" }\n',
    ),
    ("toml-1-1-only", HEAD + "env = {\n  A = '1', # a\n}\n", HEAD + "env = {\n  A = '1', # a\n}\n"),
]


@pytest.mark.parametrize(("slug", "before", "after"), CASES, ids=[f"{n}-{case[0]}" for n, case in enumerate(CASES)])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_config_is_mended_and_nothing_else_of_it_changes(
    tmp_path: Path, slug: str, before: str, after: str, end: str
) -> None:
    """Comments, layout, quotes and line ends stay; the text is what one would have written (C04)."""
    done = mended(tmp_path, before.replace("\n", end), select=slug)
    assert text(done) == after.replace("\n", end)
    assert bool(done.done) == (before != after)
    assert {offer.finding.slug for offer in done.done} <= {slug}


def test_every_rule_that_says_so_mends() -> None:
    """A rule that `rule` calls mendable has a mend, and a case above."""
    mending = {slug for slug, rule in all_rules().items() if rule.mender}
    assert mending == {slug for slug, _, _ in CASES}
    assert {slug for slug, rule in all_rules().items() if rule.fix} - mending <= {"lock-stale"}  # `mcpexpose lock` does


SAFE = sorted(slug for slug, rule in all_rules().items() if rule.mender and rule.fix == "safe")


@pytest.mark.parametrize(("slug", "before"), [case[:2] for case in CASES if case[0] in SAFE])
def test_a_safe_mend_leaves_the_plan_as_it_is(tmp_path: Path, slug: str, before: str) -> None:
    """What --fix does alone, no model sees (law 5)."""
    done = mended(tmp_path, before, unsafe=False, select=slug)
    assert done.done
    plans = [Workspace(tmp_path / "config.toml", environ={}, now=NOW), done.workspace]
    old, new = ({**to_json(each.compiled.plan), "inputs": None} for each in plans)  # `inputs`: digests of what was read
    assert old == new


def test_what_is_a_guess_is_not_mended_unasked(tmp_path: Path) -> None:
    """--fix alone keeps its hands off what may have been meant otherwise."""
    assert mended(tmp_path, HEAD + 'exposre = "hidden"\n', unsafe=False).done == ()


def test_a_mark_at_the_start_of_the_file_stays(tmp_path: Path) -> None:
    """A byte order mark is part of the file, as are its line ends."""
    done = mended(tmp_path, b"\xef\xbb\xbf" + (HEAD + 'exposre = "hidden"\r\n').encode())
    assert done.workspace.document.data_as_bytes == b"\xef\xbb\xbf" + (HEAD + 'exposure = "hidden"\r\n').encode()


def test_several_faults_are_mended_over_rounds(tmp_path: Path) -> None:
    """A key that is right again shows that its value is not (C04)."""
    done = mended(tmp_path, HEAD + 'exposre = "hiden"\ndeny = ["git_pusch", "git_logg"]\n')
    assert text(done) == HEAD + 'exposure = "hidden"\ndeny = ["git_push", "git_log"]\n'
    assert [offer.finding.slug for offer in done.done].count("pattern-matches-nothing") == 2
    assert tomllib.loads(text(done))


def test_what_another_host_calls_a_thing_is_not_renamed(tmp_path: Path) -> None:
    """`disabled = true` is no `enabled = true`."""
    for line in ("disabled = true", "defer_loading = true", "readOnly = true", 'type = "stdio"'):
        assert mended(tmp_path, HEAD + line + "\n", select="config-unknown-key").done == ()


def test_a_key_that_is_there_already_is_not_written_twice(tmp_path: Path) -> None:
    """The text would be no TOML."""
    config = HEAD + 'exposre = "hidden"\nexposure = "deferred"\n'
    assert mended(tmp_path, config, select="config-unknown-key").done == ()


def test_an_unused_waiver_of_a_server_without_a_catalog_is_kept(tmp_path: Path) -> None:
    """It meets nothing because nothing is known, not because nothing is wrong."""
    waiver = '[[waivers]]\nrule = "description-missing"\nsubject = "jira/x"\nreason = "r"\n'
    other = '[mcp_servers.jira]\ncommand = "jira"\n' + waiver
    assert mended(tmp_path, HEAD + other, select="unused-waiver").done == ()


@pytest.mark.parametrize(
    "fix",
    [
        Fix("break the TOML", (Edit(0, 0, "= ="),)),
        Fix("change what it does not say", (Edit(len(HEAD), len(HEAD), "enabled = false\n"),), (("exposure",),)),
        Fix("overlap", (Edit(0, 5, ""), Edit(3, 4, "x")), ((),)),
    ],
)
def test_a_mend_that_would_do_harm_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fix: Fix) -> None:
    """The text is read again; other fixes of the round are done all the same."""
    monkeypatch.setattr(all_rules()["missing-owner"], "mender", lambda finding, source: fix)
    config = HEAD.replace('owner = "me"\n', "") + 'exposre = "hidden"\n'
    done = mended(tmp_path, config)
    assert text(done) == config.replace("exposre", "exposure") or fix.title == "overlap"
    assert tomllib.loads(text(done))


def test_edits_that_overlap_wait_for_the_next_round(tmp_path: Path) -> None:
    """Two findings of one text: each is mended."""
    done = mended(tmp_path, HEAD + 'args = ["$A $B", "%CCC%"]\n', select="env-foreign-syntax")
    assert text(done) == HEAD + 'args = ["${A} ${B}", "${CCC}"]\n'


def test_a_text_that_is_no_toml_is_left_alone(tmp_path: Path) -> None:
    """There is nothing to hold on to."""
    done = mended(tmp_path, HEAD + "exposre = \n")
    assert done.done == ()
    assert offers(done.linted, done.workspace) == ()


def test_no_title_holds_a_credential(tmp_path: Path) -> None:
    """Titles are printed and stored."""
    for _, before, _ in CASES:
        done: Any = mended(tmp_path, before)
        assert all("ghp_" not in offer.fix.title for offer in done.done)
