"""What a team asserts of its plan holds, or fails with its place, a fact and what to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mcpexpose.testing.run import coverage, run
from tests.testing import held

if TYPE_CHECKING:
    from pathlib import Path

HOLDS = [
    'sees = ["git/git_status"]',
    'sees = ["git/git_s*"]',
    'sees = ["*/git_status"]',
    'profile = "look"\nsees = ["git/git_log", "git/git_status"]',
    'not_visible = ["git/git_push", "git/git_gc"]',
    'not_visible = ["*/delete_*", "mail/drop_*"]',
    'not_visible = ["old/anything", "lost/anything", "lost/*"]',
    'profile = "look"\nnot_visible = ["mail/*", "git/git_commit"]',
    'query = "record my staged changes"\nfinds = "git/git_commit"\nwithin = 1',
    'query = ["send a letter", "letter to somebody"]\nfinds = "mail/send_*"\nwithin = 1',
    'query = "letter"\nfinds = ["mail/send_letter", "mail/read_letter"]',
    'query = "send commits to a remote"\nnever_finds = ["git/git_push"]',
    'profile = "look"\nquery = "record staged changes"\nnever_finds = ["git/git_commit", "mail/*"]',
    "max_tokens = 2_000",
    'side_effect = { "git/git_commit" = "write", "mail/send_letter" = "destructive", "mail/read_letter" = "unknown" }',
    'approval = { "git/git_log" = "auto", "git/git_commit" = "ask", "mail/*" = "ask" }',
    'profile = "look"\nside_effect = { "*/*" = "read_only" }\napproval = { "*/*" = "auto" }',
]

FAILS = [
    ('sees = ["git/git_log"]', "git/git_log is deferred", 'exposure = "direct"'),
    ('sees = ["git/git_push"]', 'git/git_push is denied by mcp_servers.git.deny "git_push"', "explain git/git_push"),
    ('sees = ["git/git_gc"]', "git/git_gc is hidden by mcp_servers.git.tools.git_gc.exposure", "explain git/git_gc"),
    ('sees = ["git/git_[cl]*"]', "git/git_commit (deferred), git/git_log (deferred)", 'exposure = "direct"'),
    ('sees = ["git/git_staus"]', '"git/git_staus" meets none of the 5 tools captured of git', '"git/git_status"'),
    ('sees = ["gti/git_status"]', "config.toml has no server gti", '"git/git_status"'),
    ('sees = ["git_status"]', '"git_status" names no server', '"git/git_status"'),
    ('sees = ["git/"]', '"git/" names no tool', "server/tool"),
    ('sees = ["git/[z-a]"]', "runs backwards", "Mend the pattern"),
    ('sees = ["old/x"]', "old is switched off", "Mend"),
    ('sees = ["lost/x"]', "lost has no usable catalog", "Mend"),
    ('profile = "look"\nsees = ["mail/read_letter"]', "out of reach of profile look for its groups", "explain"),
    ('profile = "look"\nsees = ["git/git_commit"]', "out of reach of profile look for its class, write", "explain"),
    ('not_visible = ["git/git_status"]', "a model is told it in request 1", 'deny = ["git_status"]'),
    ('not_visible = ["git/git_log"]', "a model may find and call it", 'deny = ["git_log"]'),
    ('not_visible = ["mail/*"]', '2 tools that "mail/*" meets are visible', "[mcp_servers.mail]"),
    ('not_visible = ["git/git_psuh"]', '"git/git_psuh" meets none of the 5 tools', '"git/git_push"'),
    ('not_visible = ["mial/*"]', "config.toml has no server mial", '"mail/*"'),
    ("max_tokens = 10", "and the test allows 10", "git/git_status, the largest with"),
    ('side_effect = { "git/git_commit" = "read_only" }', "is write by mcp_servers.git.tools.git_commit", "explain"),
    (
        'side_effect = { "mail/*" = "destructive" }',
        '1 of the 2 tools that "mail/*" meets is not dest',
        "mail/read_letter",
    ),
    (
        'side_effect = { "git/git_push" = "read_only" }',
        "meets no tool within reach: git/git_push is denied",
        "not_visible",
    ),
    ('approval = { "git/git_commit" = "auto" }', "git/git_commit asks", "give it approval there"),
    ('query = "history"\nfinds = "git/git_push"', "no query finds git/git_push: it is denied", "explain"),
    ('profile = "look"\nquery = "x"\nfinds = "mail/*"', '"mail/*" meets no tool within reach', "explain"),
    (
        'query = "zebra"\nfinds = "git/git_log"',
        "does not find git/git_log at all; nothing-matched",
        'keywords = ["zebra"]',
    ),
    ('query = "the of"\nfinds = "git/git_log"', "search-query-empty", "Ask as a model would"),
    (
        'query = "commit"\nnever_finds = ["git/git_commit"]',
        "finds git/git_commit (write) at rank 1",
        'deny = ["git_commit"]',
    ),
    ('profile = "loop"\nsees = ["git/git_log"]', "config.toml has no profile loop", 'Write "look".'),
]


@pytest.mark.parametrize("body", HOLDS)
def test_what_is_so_holds(body: str, tmp_path: Path) -> None:
    """A name, a pattern, a class, a query or a ceiling, under a profile or none (C04)."""
    assert held.failures(tmp_path, body) == ()


@pytest.mark.parametrize(("body", "fact", "advice"), FAILS, ids=[row[0] for row in FAILS])
def test_what_is_not_so_is_one_fact_and_one_advice(body: str, fact: str, advice: str, tmp_path: Path) -> None:
    """With the nearest right thing, and never in silence: a name that means nothing fails, too (C04, law 8)."""
    (failure,) = held.failures(tmp_path, body)
    assert fact in failure.fact
    assert advice in failure.advice
    assert failure.location is not None
    line = f'[[tests]]\nname = "it"\n{body}\n'.splitlines()[failure.location.line - 1]
    assert line.startswith(failure.key)


def test_a_query_that_misses_says_what_it_found_and_where_the_tool_stands(tmp_path: Path) -> None:
    """Rank by rank, as `mcpexpose search` ranks, and the words that the tool lacks (C04, F01)."""
    body = 'query = "show history of letter"\nfinds = "mail/send_letter"\nwithin = 1'
    (failure,) = held.failures(tmp_path, body)
    ranked = held.subject(tmp_path).under(None).ranking("show history of letter").hits
    ids = list(held.subject(tmp_path).planned)
    assert [(tool, score) for _, tool, score in failure.found] == [(str(ids[hit.row]), hit.score) for hit in ranked]
    assert failure.rank == [tool for _, tool, _ in failure.found].index("mail/send_letter") + 1 > 1
    assert f"mail/send_letter stands at rank {failure.rank}, and the test wants it first" in failure.fact
    assert f"it finds 1. {failure.found[0][1]}" in failure.fact
    assert 'keywords = ["show", "history"]' in failure.advice
    assert f"within = {failure.rank}" in failure.advice


def test_the_words_that_are_advised_do_help(tmp_path: Path) -> None:
    """With them in the config the query finds the tool; the sentence's marks are none of them (F01)."""
    body = 'query = "Please, stow (my) belongings!"\nfinds = "git/git_commit"\nwithin = 1'
    (failure,) = held.failures(tmp_path, body)
    assert 'keywords = ["stow", "belongings"] in [mcp_servers.git.tools.git_commit]' in failure.advice
    old = "[mcp_servers.git.tools.git_commit]\n"
    config = held.CONFIG.replace(old, f'{old}keywords = ["stow", "belongings"]\n')
    assert held.failures(tmp_path, body, config) == ()


def test_without_within_the_limit_of_a_search_counts(tmp_path: Path) -> None:
    """What a model gets that names no limit."""
    body = 'query = "letter commits history state"\nfinds = "git/git_status"'
    assert held.failures(tmp_path, body) == ()
    (failure,) = held.failures(tmp_path, body, held.CONFIG + "\n[exposure]\nsearch_limit = 1\n")
    assert failure.key == "finds"


def test_every_assertion_of_a_test_is_held(tmp_path: Path) -> None:
    """One that fails hides no other; they come in the order of the file."""
    body = 'sees = ["git/git_log"]\nnot_visible = ["git/git_log"]\nquery = ["zebra", "history"]\nfinds = "git/git_log"'
    assert [failure.key for failure in held.failures(tmp_path, body)] == ["sees", "not_visible", "finds"]
    (test,) = held.outcome(tmp_path, f'[[tests]]\nname = "it"\n{body}\n').tests
    assert test.assertions == 4
    assert test.outcome == "failed"


def test_tests_are_chosen_by_their_names(tmp_path: Path) -> None:
    """By a part, in any case, or by a pattern."""
    text = "".join(f'[[tests]]\nname = "{name}"\nmax_tokens = 9_000\n' for name in ("One thing", "other", "third"))
    for wanted, names in (
        (("thing",), ["One thing"]),
        (("TH",), ["One thing", "other", "third"]),
        (("o*",), ["One thing", "other"]),
        (("third", "one"), ["One thing", "third"]),
        (("none at all",), []),
    ):
        file = held.outcome(tmp_path, text, wanted)
        assert [test.name for test in file.tests] == names
        assert file.left_out == 3 - len(names)


def test_coverage_is_of_the_tools_that_a_test_speaks_of(tmp_path: Path) -> None:
    """By name, by pattern, as what is to be found; a star alone speaks of none."""
    from mcpexpose.config.document import of_bytes

    subject = held.subject(tmp_path)
    text = (
        '[[tests]]\nname = "it"\nsees = ["git/git_status"]\nquery = "q"\nfinds = "mail/s*"\nnever_finds = ["git/*"]\n'
    )
    _, tests = run(of_bytes(text.encode(), "t"), subject)
    covered = coverage(subject, tests)
    assert covered.tools == ("git/git_commit", "git/git_log", "git/git_status", "mail/read_letter", "mail/send_letter")
    assert covered.unnamed == ("git/git_commit", "git/git_log", "mail/read_letter")
    assert covered.named == 2


def test_text_of_a_server_is_shown_and_not_acted_on(tmp_path: Path) -> None:
    """A name that is met by a star may hold anything (law 6)."""
    catalog = {"server": "evil", "tools": [{"name": "x\x1b[2J\u202e", "inputSchema": {"type": "object"}}]}
    (tmp_path / "catalogs").mkdir()
    (tmp_path / "catalogs" / "evil.json").write_text(json.dumps(catalog))
    config = held.CONFIG + '\n[mcp_servers.evil]\ncommand = "e"\ndescription = "E"\n'
    body = 'sees = ["evil/*"]\nnot_visible = ["*/\\u001b[[]2J*", "\\u202e/*"]\nquery = "\\u202e b"\nfinds = "evil/*"'
    found = held.failures(tmp_path, body, config)
    assert len(found) == 3
    assert not set("\x1b\u202e") & set("".join(failure.fact + failure.advice for failure in found))
